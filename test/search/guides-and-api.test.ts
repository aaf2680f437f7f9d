import { expect, test } from 'bun:test'
import {
  firstGuideAndApiHits,
  findGuideAndApiHits,
  guideHits,
} from '../../src/search/guides-and-api.ts'

const hits = ['a.py#L1', 'guide', 'a.py#L2', 'other', 'a.py#L3', 'third'].map((url) => ({ url }))
const urls = (some: readonly { url: string }[]) => some.map(({ url }) => url)

test('returns as many API hits as guide hits', () => {
  expect(urls(firstGuideAndApiHits(hits, 2))).toEqual(['a.py#L1', 'guide', 'a.py#L2', 'other'])
  expect(urls(guideHits(hits))).toEqual(['guide', 'other', 'third'])
  expect(urls(guideHits(hits.slice(0, 1)))).toEqual(['a.py#L1'])
})

test('asks again until there are enough guides', async () => {
  const limits: number[] = []
  const ask = (some: typeof hits) => async (limit: number) => {
    limits.push(limit)
    return some.slice(0, limit)
  }
  expect(urls(await findGuideAndApiHits(2, ask(hits)))).toEqual([
    'a.py#L1',
    'guide',
    'a.py#L2',
    'other',
  ])
  expect(
    await findGuideAndApiHits(1, ask(hits.filter(({ url }) => url.includes('#')))),
  ).toHaveLength(1)
  expect(urls(await findGuideAndApiHits(2, ask([hits[1]!, hits[3]!])))).toEqual(['guide', 'other'])
  expect(limits).toEqual([2, 8, 1, 2])
})
