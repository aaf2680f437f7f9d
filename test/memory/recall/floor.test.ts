import { expect, test } from 'bun:test'
import { relevanceTest } from '../../../src/memory/recall/recall-request.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { entries, openTestMemory } from '../../support/memory/memory-search.ts'

const files = {
  'MEMORY.md': entries(
    ['2026-01-01 10:00', 'deploys go out on Tuesdays'],
    ['2026-01-02 10:00', 'Ann prefers short answers'],
    ['2026-01-03 10:00', 'the heron stands in the reeds'],
  ),
}

async function check(query: string, minCosine: number, expected: number) {
  await using memory = await openTestMemory(files, { embedder: hashEmbedder() })
  const { hits, nextOffset } = await memory.ask(query, {
    mode: 'hybrid',
    floor: { minCosine },
    limit: 5,
  })
  expect([query, hits.length, nextOffset]).toEqual([query, expected, null])
}

test('finds nothing for unrelated words if the model has a floor', async () => {
  const foreign = 'elephants drink in summer while the rain falls'
  await check(foreign, 0.95, 0)
  await using memory = await openTestMemory(files, { embedder: hashEmbedder() })
  expect((await memory.ask(foreign, { mode: 'hybrid' })).hits).not.toEqual([])
  const open = { mode: 'hybrid', floor: { minCosine: null } } as const
  expect((await memory.ask(foreign, open)).hits).not.toEqual([])
})

test('finds an entry that contains the words, however distant its embedding', async () => {
  await check('deploys', 0.999, 1)
  await check('short answers', 0.999, 1)
  await check('on which day do deploys go out', 0.999, 1)
})

test('counts matching words in a memory of one entry, where text scores are zero', async () => {
  await using memory = await openTestMemory({
    'MEMORY.md': entries(['2026-01-01 10:00', 'deploys go out on Tuesdays']),
  })
  const { hits } = await memory.ask('do deploys wait for banana', { floor: { minCosine: 0.9 } })
  expect(hits.map(({ textScore }) => textScore < 0.3)).toEqual([true])
})

test('accepts a hit with enough words, a high cosine or the exact name', () => {
  const far = { text: 'x', heading: '', tags: [], textScore: 0, vectorScore: 0.1, named: null }
  const isShown = relevanceTest('alpha beta gamma delta', { minCosine: 0.5 })
  expect(isShown(far)).toBe(false)
  expect(isShown({ ...far, textScore: 0.1, text: 'alpha' })).toBe(false)
  expect(isShown({ ...far, textScore: 0.1, text: 'alpha', tags: ['beta'] })).toBe(true)
  expect(isShown({ ...far, textScore: 0.3 })).toBe(true)
  expect(isShown({ ...far, vectorScore: 0.5 })).toBe(true)
  expect(isShown({ ...far, named: 'typed' })).toBe(true)
})
