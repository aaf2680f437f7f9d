import { beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { relate, removeRelations, type RelateRequest } from '../../src/memory/relate.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../support/memory/memory.ts'
import { openEach } from '../support/run/dispose.ts'

const head = '# Relations\n\n'

const temp = openEach(() => createTempFolder('og relate'))
const memory = openEach(() => openTestMemory(temp().path))
beforeEach(() => memory().put('RELATIONS.md', head))

const ann = { subject: 'Ann', predicate: 'works at', object: 'Acme' }

/** Records a relation and expects this text below the heading. */
async function check(request: Partial<RelateRequest>, expected: string, result: object = {}) {
  expect(await relate(memory(), { ...ann, ...request })).toMatchObject(result)
  expect(memory().text('RELATIONS.md')).toBe(head + expected)
}

test("writes a line in upstream's format and returns its fields", async () => {
  await check(
    { subject: ' Ann ', note: 'since "May"' },
    '- [Ann] --works at--> [Acme] (2026-03-20) - "since "May""\n',
    {
      relation: {
        subject: ' Ann ',
        predicate: 'works at',
        object: 'Acme',
        note: 'since "May"',
        source_file: 'RELATIONS.md',
        confidence: 1,
      },
    },
  )
})

test('weakness 11: normalizes or rejects values that do not fit on a line', async () => {
  await check(
    { predicate: 'works-at', note: 'two\nlines' },
    '- [Ann] --works at--> [Acme] (2026-03-20) - "two lines"\n',
  )
  for (const [part, why] of [
    [{ object: 'a]b' }, `'object' cannot contain ']': "a]b"`],
    [{ subject: ' ' }, `'subject' cannot be empty.`],
    [{ since: 'May' }, `'since' must be a date like 2026-03-20, not "May"`],
  ] as const) {
    const message = await outcome(relate(memory(), { ...ann, ...part }))
    expect(message).toBe(`Failed to record relation: ${why}`)
  }
})

test('weakness 14: updates the line of a known relation', async () => {
  await relate(memory(), ann)
  const line = '- [Ann] --works at--> [Acme] (2026-03-20)'
  await check({ subject: 'ANN' }, `${line}\n`, { deduplicated: true })
  await check({ subject: 'ANN', note: 'n' }, `${line} - "n"\n`)
  const { duplicate_of, deduplicated } = await relate(memory(), { ...ann, note: 'n' })
  expect([duplicate_of, deduplicated]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), true])
  await check(
    { confidence: 0.5 },
    `<!-- relation {"of":"${duplicate_of}","confidence":0.5} -->\n${line} - "n"\n`,
  )
  await check({ confidence: 7 }, `${line} - "n"\n`, { relation: { confidence: 1 } })
})

test('weakness 13: superseded relations become past, even without an index', async () => {
  await memory().put('RELATIONS.md', `${head}- [ann] --Works at--> [Old] (2025-01-01) - "n"\n`)
  await check(
    { supersedes: true },
    '<!-- past {"subject":"ann","predicate":"Works at","object":"Old","date":"2025-01-01",' +
      '"note":"n","until":"2026-03-20"} -->\n- [Ann] --works at--> [Acme] (2026-03-20)\n',
    { superseded: [{ subject: 'ann', predicate: 'Works at', object: 'Old' }] },
  )
  const again = await relate(memory(), { ...ann, supersedes: true })
  expect(again.superseded).toBe(undefined)
  expect(again.deduplicated).toBe(true)
})

test('ends and deletes relations by subject, predicate or triple, ignoring case', async () => {
  await relate(memory(), ann)
  await relate(memory(), { ...ann, object: 'Beta', confidence: 0.5 })
  await removeRelations(memory(), { ...ann, subject: 'ANN' }, { keep: true, until: '2026-02-01' })
  expect(memory().text('RELATIONS.md')).toContain(
    '"object":"Acme","date":"2026-03-20","until":"2026-02-01"',
  )
  const all = await removeRelations(
    memory(),
    { subject: 'ann', predicate: 'works-at' },
    { keep: false },
  )
  expect(all.removed.map(({ object }) => object)).toEqual(['Acme', 'Beta'])
  expect(memory().text('RELATIONS.md')).toBe(head)
  expect(await outcome(removeRelations(memory(), ann, { keep: false }))).toBe(
    'There is no such relation',
  )
})

test('keeps line endings, and tolerates a missing final newline or file', async () => {
  await memory().put('RELATIONS.md', '# R\r\n- [A] --works at--> [B]')
  await relate(memory(), { ...ann, subject: 'A', supersedes: true, confidence: 0.5 })
  const text = memory().text('RELATIONS.md')
  expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  expect(text).toContain('--> [Acme] (2026-03-20)\r\n')
  rmSync(join(memory().workspace.path, 'RELATIONS.md'))
  await relate(memory(), ann)
  expect(memory().text('RELATIONS.md')).toBe('- [Ann] --works at--> [Acme] (2026-03-20)\n')
})

test('reports relations that the new one contradicts', async () => {
  await relate(memory(), ann)
  const beta = { ...ann, object: 'Beta' }
  expect(await relate(memory(), beta)).toMatchObject({ contradicts: [ann] })
  expect(await relate(memory(), { ...beta, object: 'Ceta', supersedes: true })).not.toHaveProperty(
    'contradicts',
  )
  const knows = { subject: 'Ann', predicate: 'knows', object: 'Bob' }
  await relate(memory(), knows)
  expect(await relate(memory(), { ...knows, object: 'Carl' })).not.toHaveProperty('contradicts')
})
