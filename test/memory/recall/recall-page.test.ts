import { expect, test } from 'bun:test'
import { answerPage } from '../../../src/memory/session-search.ts'
import { entries, openTestMemory } from '../../support/memory/memory-search.ts'

const body = (i: number) => `heron number ${i} ${'stands in the reeds and waits '.repeat(4)}`.trim()
const files = {
  'MEMORY.md': entries(
    ...[1, 2, 3].map((i) => [`2026-01-0${i} 10:00`, body(i)] as [string, string]),
  ),
}

/** Expects this number of results and this next offset. */
async function check(maxTokens: number | null, expected: [number, number | null]) {
  await using memory = await openTestMemory(files)
  const answer = await memory.ask('heron')
  const page = answerPage(answer, { query: 'heron', offset: 0, maxTokens })
  expect([page.results.length, page.next_offset]).toEqual(expected)
  return page.results
}

test('ends a page at its budget and returns the next offset', async () => {
  await check(null, [3, null])
  await check(80, [2, 2])
})

test('always returns one hit, truncated and marked if too long', async () => {
  const [hit] = await check(5, [1, 1])
  expect([hit!.text.length, hit!.truncated, hit!.content === hit!.text]).toEqual([19, true, true])
})

test("returns upstream's fields with a valid path and a snippet", async () => {
  const [hit] = await check(null, [3, null])
  expect(Object.keys(hit!)).toEqual([
    'chunk_id',
    'entry_id',
    'path',
    'file',
    'source',
    'start_line',
    'end_line',
    'heading',
    'date',
    'tags',
    'text',
    'content',
    'snippet',
    'score',
    'vector_score',
    'text_score',
    'confidence',
    'corrected_by',
    'relation_context',
  ])
  expect(hit!.snippet).toStartWith('## 2026-01-03 10:00 <b>heron</b> number 3 stands')
  expect(hit!.path).toBe('MEMORY.md')
})
