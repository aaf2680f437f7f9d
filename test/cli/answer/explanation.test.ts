import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { whyJson } from '../../../src/cli/answer/explanation.ts'
import { writeFiles } from '../../support/repository.ts'
import { openHome } from '../../support/run-og.ts'
import { plainWhy } from '../../support/why.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const home = disposeAfterAll(openHome())
writeFiles(home.path, {
  'docs/kettle.md': '# Kettle\n\nIt boils water.\n',
  'docs/pot.md': '# Pot\n\nIt stews, and boils nothing.\n',
})
const source = ['-s', join(home.path, 'docs'), '--base-url', 'doc:']
await home.run(['add', 'kitchen', '-v', '1', ...source])
writeFiles(home.path, {
  'pots/a.md': '# Lid\n\nIt covers.\n',
  'pots/b.md': '# Stove\n\nIt stews for hours.\n',
})
writeFiles(home.path, { 'lights/light.md': '# Light\n\nIt is `stoveLight()`.\n' })
await home.run(['add', 'lights', '-v', '1', '-s', join(home.path, 'lights')])
for (const version of ['1.0', '1.1']) {
  await home.run([
    'add',
    'pots',
    '-v',
    version,
    '-s',
    join(home.path, 'pots'),
    '--base-url',
    'doc:',
  ])
}

test('prints the parts of a score as JSON', () => {
  expect(whyJson(plainWhy)).toMatchObject({
    full_text: { rank: 1, score: 20, page_score: 15, points: 0.4 },
    vector: { rank: 1, cosine: 0.8, page_cosine: 0.75, points: 0.6 },
    copies: [],
    twins: [],
  })
  expect(whyJson({ ...plainWhy, vector: null }).vector).toBeNull()
})

test('og query --explain shows the searched versions and why each hit was found', async () => {
  const { code, stdout } = await home.run(['query', 'kettle water', '-l', 'kitchen', '--explain'])
  expect(code).toBe(0)
  expect(stdout).toContain('\nAsked kitchen 1 (the only version that is indexed): best BM25 ')
  expect(stdout).toContain('; no embeddings, full text only.\n1. doc:/kettle.md, kitchen 1, ')
  expect(stdout).toContain('\n   + 0.50 full text: rank 1, BM25 ')
  const json = await home.run([
    'query',
    'kettle',
    '-l',
    'kitchen',
    '-v',
    '1',
    '--explain',
    '--json',
  ])
  const { explain } = JSON.parse(json.stdout)
  expect(explain.asked).toEqual([
    {
      library: 'kitchen',
      version: '1',
      version_by: '"1" was requested',
      pages: 2,
      pages_passing: 2,
      pages_searched: 2,
      engine: null,
      best_cosine: null,
      best_full_text: expect.any(Number),
    },
  ])
  expect(explain.hits[0]).toMatchObject({ rank: 1, why: { full_text: { rank: 1 }, vector: null } })
  const plain = await home.run(['query', 'kettle', '--json'])
  expect(JSON.parse(plain.stdout).explain).toBeUndefined()
})

test('og query --explain shows the reason for each version and the filters that a hit passed', async () => {
  const asked = ['query', 'stews', '-l', 'pots', '--explain', '-v', 'all']
  const { stdout } = await home.run([
    ...asked,
    '--path',
    '*.md',
    '--path',
    '!a.md',
    '--kind',
    'guide',
  ])
  const passed = '1 of 2 pages matched --path "*.md" --path "!a.md" --kind guide.'
  expect(stdout).toContain(`\nAsked pots 1.1 ("all" was requested): best BM25 `)
  expect(stdout).toContain(`full text only.\n  ${passed}\nAsked pots 1.0 (`)
  expect(stdout).toContain('\n          matched by path b.md (*.md, !a.md); kind guide\n')
  expect(stdout).toContain('\n          the same in 1.0, shown once\n')
  const json = await home.run([...asked, '--language', 'en', '--json'])
  const { explain } = JSON.parse(json.stdout)
  expect(explain.filter).toEqual({ path: [], language: ['en'], kind: [] })
  expect(explain.asked.map((one: any) => [one.version, one.version_by, one.pages_passing])).toEqual(
    [
      ['1.1', '"all" was requested', 2],
      ['1.0', '"all" was requested', 2],
    ],
  )
  expect(explain.hits[0]).toMatchObject({
    library: 'pots',
    version: '1.1',
    met: { path: [], language: 'en', kind: null },
  })
  const newest = await home.run(['query', 'stews', '-l', 'pots', '--explain'])
  expect(newest.stdout).toContain('\nAsked pots 1.1 (of 2 versions the highest release): ')
})

test('og query --explain shows which similar term replaced a misspelled one', async () => {
  const asked = ['query', 'stoveLihgt', '-l', 'lights', '--explain']
  const { code, stdout } = await home.run(asked)
  expect(code).toBe(0)
  expect(stdout).toContain('\n"stovelihgt" is on no page: stovelight was searched too.\n')
  const json = await home.run([...asked, '--json'])
  const { explain, hits } = JSON.parse(json.stdout)
  expect(hits[0].path).toBe('light.md')
  expect(explain.near_terms).toEqual({ stovelihgt: ['stovelight'], lihgt: ['stovelight'] })
})

test('og query --explain shows the English words of a German query', async () => {
  const asked = ['query', 'Wie schließe ich den kettle?', '-l', 'kitchen', '--explain']
  const { stdout } = await home.run(asked)
  expect(stdout).toContain('\nAsked in English words: "close kettle".\n')
  const { explain, query } = JSON.parse((await home.run([...asked, '--json'])).stdout)
  expect([query, explain.in_english]).toEqual(['Wie schließe ich den kettle?', 'close kettle'])
})

test('reports requested versions that are not indexed and exits with 1', async () => {
  const some = await home.run(['query', 'stews', '-l', 'pots', '-v', '1.0,9.9'])
  expect([some.code, some.stderr]).toEqual([
    1,
    'warning: Version "9.9" of pots is not indexed; nearest: 1.1, 1.0\n',
  ])
  expect(some.stdout).toStartWith('Found 1 match in pots 1.0. ')
  const json = await home.run(['query', 'stews', '-l', 'pots,pot', '--json'])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({
    hits: [{ library: 'pots' }],
    notes: expect.arrayContaining([
      expect.objectContaining({
        kind: 'not-indexed',
        library: 'pot',
        version: null,
        nearest: ['pots', 'kitchen', 'lights'],
      }),
    ]),
  })
  const none = await home.run(['query', 'stews', '-l', 'pots', '-v', '8,9'])
  expect([none.code, none.stdout, none.stderr]).toEqual([
    2,
    '',
    'error: Version "8,9" not found for library "pots"\nhint: indexed: 1.0, 1.1\n',
  ])
})
