import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openLive, writeGeneration } from '../support/store.ts'
import {
  asksForFact,
  firstGuideAndApiHits,
  findGuideAndApiHits,
  guideHits,
  guideShareOf,
  keepBestApiPage,
  mixed,
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
  expect(urls(await findGuideAndApiHits({ limit: 2, guideShare: 1 }, ask(hits)))).toEqual([
    'a.py#L1',
    'guide',
    'a.py#L2',
    'other',
  ])
  const api = ask(hits.filter(({ url }) => url.includes('#')))
  expect(await findGuideAndApiHits({ limit: 1, guideShare: 1 }, api)).toHaveLength(1)
  const guides = ask([hits[1]!, hits[3]!])
  const found = await findGuideAndApiHits({ limit: 2, guideShare: 1 }, guides)
  expect(urls(found)).toEqual(['guide', 'other'])
  expect(limits).toEqual([2, 8, 1, 2])
})

test('asks once in a library with few guides', async () => {
  const limits: number[] = []
  const found = await findGuideAndApiHits({ limit: 2, guideShare: 0.1 }, async (limit) => {
    limits.push(limit)
    return hits.slice(0, limit)
  })
  expect(urls(found)).toEqual(['a.py#L1', 'guide'])
  expect(limits).toEqual([2])
})

test('tells questions about facts from tasks, topics and error messages', () => {
  const facts = [
    'does the client follow redirects by default',
    'which encodings can the middleware be limited to',
    'how many retries does the transport do',
    'return type of SuggestionsFor',
    'maximum length of a request id',
  ]
  expect(facts.filter((query) => !asksForFact(query))).toEqual([])
  const others = ['how do I follow redirects', 'limit the encodings', 'cors', 'Failed to fetch it']
  expect(others.filter(asksForFact)).toEqual([])
})

test('ranks all API pages except the best one below the first guides of the library', () => {
  const [library, other] = [{ guideShare: 1 }, { guideShare: 1 }]
  const ranked = ['a.py#L1', 'a.py#L2', 'a.py#L1', 'b.py#L1', 'one', 'two', 'three'].map(
    (url, i) => ({ url, score: 10 - i, collection: library, why: { api: 0.6 } }),
  )
  const alone = { url: 'c.py#L1', score: 9, collection: other, why: { api: 0.6 } }
  const second = { ...alone, url: 'c.py#L2' }
  keepBestApiPage([...ranked, alone, second], 2)
  expect(ranked.map(({ score }) => Math.round(10 * score) / 10)).toEqual([10, 5, 8, 5, 6, 5, 4])
  expect(ranked[1]!.score).toBeLessThan(5)
  expect(ranked[1]!.why.api).toBeCloseTo((0.6 * 5) / 9, 3)
  expect([alone.score, second.score]).toEqual([9, 9])
  const few = ranked.slice(0, 4).map((hit) => ({ ...hit, score: 3 }))
  keepBestApiPage([...few, ranked[4]!], 2)
  expect(few.map(({ score }) => score)).toEqual([3, 3, 3, 3])
  const readme = { guideShare: 0 }
  const alike = ranked.map((hit, i) => ({ ...hit, collection: readme, score: 10 - i }))
  keepBestApiPage(alike, 2)
  expect(alike.map(({ score }) => score)).toEqual([10, 9, 8, 7, 6, 5, 4])
})

test('shares the scale of guides by their number, without change logs', () => {
  const library = (nGuides: number) => {
    const kinds = ['api', 'api', 'changelog', ...Array.from({ length: nGuides }, () => 'guide')]
    return new Map(kinds.map((kind, i) => [`${i}`, { kind: kind as 'api' }]))
  }
  const [none, few, many] = [0, 20, 144].map((n) => guideShareOf(library(n)))
  expect([none, many]).toEqual([0, 1])
  expect(guideShareOf(new Map([['a', { kind: 'guide' }]]))).toBe(1)
  expect(few).toBeGreaterThan(0)
  expect(few).toBeLessThan(0.5)
  expect([none, few, many].map((share) => mixed(share!, 0, 1))).toEqual([1, 1 - few!, 0])
})

test('scores guides as if there were no API reference', async () => {
  await using temp = await createTempFolder('og-guides-and-api')
  const guides = {
    'doc:/a.md': 'Light the lamp with a match.',
    'doc:/b.md': 'Trim the wick of the lamp.',
    'doc:/c.md': 'Buy oil.',
    ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`doc:/${i}.md`, `Page ${i}.`])),
  }
  const api = { 'doc:/lamp.py#L1': 'wick()', 'doc:/lamp.py#L9': 'match(wick, wick, wick, wick)' }
  await writeGeneration(temp.path, guides, { library: 'alone' })
  await writeGeneration(temp.path, { ...guides, ...api }, { library: 'both' })
  const [alone, both] = await Promise.all(
    ['alone', 'both'].map(async (library) => (await openLive(temp.path, library))[0]!),
  )
  const terms = ['lamp', 'wick', 'match', 'oil']
  const pages = await Promise.all([alone!, both!].map((open) => open.pageIndex()))
  const [ofAlone, ofBoth] = pages.map((index) => [
    ...Object.keys(guides).map(index!.fullText(terms)),
    ...terms.map(index!.rarity),
  ])
  expect(ofBoth).toEqual(ofAlone!)
  for (const open of [alone!, both!]) open[Symbol.dispose]()
})
