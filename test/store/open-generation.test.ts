import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { bestOnPages } from '../../src/store/open-generation.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { openLive, writeGeneration } from '../support/store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const embedder = hashEmbedder()
const nPages = 300

const temp = disposeAfterAll(await createTempFolder("og within 'ü"))
const text = (i: number) => `word${i} word${i % 7} word`
const texts = Array.from({ length: nPages }, (_, i) => [`it's page ${i}`, text(i)])
await writeGeneration(temp.path, Object.fromEntries(texts), { library: 'lib' })

/** Checks that both lanes find the best chunks among these pages, cold and warm. */
async function check(isWanted: (i: number) => boolean) {
  const all = Array.from({ length: nPages }, (_, i) => i)
  const urls = new Set(all.filter(isWanted).map((i) => `it's page ${i}`))
  const [open] = await openLive(temp.path)
  using whole = open!
  const within = whole.within(urls)
  const limit = 12
  const embedding = await embedder.embedQuery('word3 word250')
  const cold = await within.nearest(embedding, limit)
  const warm = await within.nearest(embedding, limit)
  const everything = await whole.nearest(embedding, nPages)
  const best = everything.filter(({ url }) => urls.has(url)).slice(0, limit)
  for (const found of [cold, warm]) {
    expect(found.map(({ url }) => url)).toEqual(best.map(({ url }) => url))
    found.forEach(({ score }, i) => expect(score).toBeCloseTo(best[i]!.score, 5))
  }
  const byText = await within.fullText(['word3', 'word'], limit)
  expect(byText.length).toBe(Math.min(limit, urls.size))
  expect(byText.every(({ url }) => urls.has(url))).toBe(true)
  const scores = (await whole.fullText(['word3', 'word'], nPages))
    .filter(({ url }) => urls.has(url))
    .map(({ score }) => score)
  byText.forEach(({ score }, i) => expect(score).toBeCloseTo(scores[i]!, 4))
}

test('few pages', () => check((i) => i % 40 === 1))
test('most pages', () => check((i) => i % 40 !== 1))
test('half of the pages, in runs', () => check((i) => i % 20 < 10))
test('one page', () => check((i) => i === 299))
test('all pages', () => check(() => true))
test('no page', () => check(() => false))

test('raises the limit until there are enough hits, or no more to find', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ rowId: 0n, url: `${i % 100}`, score: 1 }))
  async function check(urls: string[], of: number, expected: { found: number; asked: number[] }) {
    const asked: number[] = []
    const found = await bestOnPages(new Set(urls), { limit: 10, of }, async (limit) => {
      asked.push(limit)
      return rows.slice(0, limit)
    })
    expect({ found: found.length, asked }).toEqual(expected)
  }
  await check(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'], 1000, { found: 10, asked: [40] })
  await check(['1'], 1000, { found: 10, asked: [40, 320, 1000] })
  await check(['none'], 5000, { found: 0, asked: [40, 320, 2560] })
})
