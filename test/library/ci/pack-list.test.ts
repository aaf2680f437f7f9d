import { expect, test } from 'bun:test'
import { parsePackList } from '../../../src/library/ci/pack-list.ts'

const path = '/srv/lists/packs.yaml'

test('keeps versions as written, and applies top-level settings to all libraries', async () => {
  const wishes = await parsePackList(
    `
min_health: 90
vectors: int8
libraries:
  kettle: [1.10, 2.0]
  lamp:
    source: https://lamp.example/docs.git
    docs_paths: [docs, README.md]
    languages: en
    min_health: 50
    questions: golden/lamp.jsonl
    min_hits: 70
  click:
`,
    path,
  )
  const usual = { vectors: 'int8', minHealth: 90, questions: null, minHits: 80, addArguments: [] }
  expect(wishes).toEqual([
    { ...usual, library: 'kettle', version: '1.10' },
    { ...usual, library: 'kettle', version: '2.0' },
    {
      library: 'lamp',
      version: null,
      vectors: 'int8',
      minHealth: 50,
      minHits: 70,
      questions: '/srv/lists/golden/lamp.jsonl',
      addArguments: [
        '--source=https://lamp.example/docs.git',
        '--docs-path=docs',
        '--docs-path=README.md',
        '--language=en',
      ],
    },
    { ...usual, library: 'click', version: null },
  ] as never)
})

test('lists all bundled sources, with changes to one of them', async () => {
  const wishes = await parsePackList('bundled: true\nlibraries: {flask: [3.0]}', path)
  expect(wishes.length).toBeGreaterThan(90)
  expect(wishes.filter(({ library }) => library === 'flask').map((it) => it.version)).toEqual([
    '3.0',
  ])
})

test('reports which part of the list is invalid', async () => {
  const check = async (text: string, why: string | RegExp) =>
    expect(parsePackList(text, path)).rejects.toThrow(why)
  await check('libraries: {}', `Cannot read "${path}": it names no library`)
  await check('- a', 'it is not a mapping of names to values')
  await check('libary: {}', 'it has "libary"')
  await check('libraries: {a: {versions: {b: c}}}', '"versions" of library "a" is neither a string')
  await check('libraries: {a: {vectors: f8}}', '"vectors" of library "a" is not one of f32')
  await check(
    'libraries: {a: {min_health: 101}}',
    '"min_health" of library "a" is not a whole number',
  )
  await check('libraries: {--help: }', 'library "--help" looks like an option')
  await check('bundled: 1', '"bundled" is true or false')
  const bomb = [
    'a: &a [x,x]',
    ...Array.from(
      { length: 20 },
      (_, i) =>
        `${'bcdefghijklmnopqrstuv'[i]}: &${'bcdefghijklmnopqrstuv'[i]} [*${'abcdefghijklmnopqrstu'[i]},` +
        `*${'abcdefghijklmnopqrstu'[i]}]`,
    ),
  ].join('\n')
  await check(bomb, /alias/i)
})
