import { describe, expect, test } from 'bun:test'
import { addPageEvidence, adjustRanking, spreadPages } from '../../src/search/adjust.ts'
import { emptyScoreParts, toCandidate } from '../../src/search/candidate.ts'
import type { Collection } from '../../src/search/collection.ts'
import { fuse } from '../../src/search/fuse.ts'
import type { RankingRequest } from '../../src/search/query.ts'
import { kernels } from '../support/store.ts'

const kind = (url: string) => (url === 'log' ? 'changelog' : 'guide')
const idOf = (url: string) => BigInt(url.charCodeAt(0))
const codes = new Map([
  [idOf('c'), '```\nrun()\n```'],
  [idOf('d'), '```yaml\nrun: 1\n```'],
])
const collection = {
  open: {
    generation: { id: 'one' },
    // The passages of the pages 'c' and 'd' have code.
    chunks: async (rowIds: bigint[]) =>
      rowIds.map((id) => ({ content: codes.get(id) ?? 'Run it.' })),
  },
  entry: { version: '4.1' },
  facts: {
    get: (url: string) => ({
      kind: kind(url),
      path: url === 'm' ? 'docs/upgrading-to.md' : `${url}.md`,
      major: url === 'v' ? 3 : null,
      isInner: url.startsWith('i.py#L'),
    }),
  },
  languageWeight: (url: string) => (url === 'es' ? 0.5 : 1),
  guideShare: 1,
  gain: 1,
} as unknown as Collection

/**
 * Takes the chunks of both lanes as `page/number score`, best first; each page is a letter.
 */
async function check(
  lanes: { text?: string[]; vector?: string[] },
  expected: string[],
  query: Partial<RankingRequest> = {},
) {
  const candidates = (found: string[] = []) =>
    found.map((each) => {
      const [key = '', score] = each.split(' ')
      const url = key.split('/')[0]!
      const why = emptyScoreParts()
      return { key, url, rowId: idOf(url), collection, why, score: Number(score), share: 1 }
    })
  const given = {
    byText: candidates(lanes.text).map((each) => ({ ...each, bm25: each.score, pageBm25: null })),
    byVector: candidates(lanes.vector).map((each) => ({
      ...each,
      cosine: each.score,
      pageCosine: null,
    })),
  }
  const asked = { text: 'three words here', mode: 'hybrid', limit: 10, kernels, ...query } as const
  const fused = fuse(given, () => ({ text: 0.5, vector: 0.5 }))
  const ranked = await adjustRanking(fused, [collection], { ...asked, without: ['exact'] })
  expect(ranked.map(({ key }) => key)).toEqual(expected)
  for (const { score, why } of ranked) {
    const points = (why.fullText?.points ?? 0) + (why.vector?.points ?? 0)
    const own = points * why.changelog * why.version * why.list * why.example
    expect(score).toBeCloseTo((own + why.evidence) * why.repeated * why.language, 9)
  }
  return ranked
}

test('ranks a chunk found by both lanes first, and then the more certain of the other chunks', async () => {
  await check({ text: ['a/1 9', 'b/1 8'], vector: ['c/1 0.8', 'b/1 0.75', 'd/1 0.74'] }, [
    'b/1',
    'a/1',
    'c/1',
    'd/1',
  ])
})

test('keeps the order of a single lane', async () => {
  const found = ['a/1 9', 'b/1 8', 'b/2 7', 'a/2 1']
  await check({ text: found }, ['a/1', 'b/1', 'b/2', 'a/2'], { mode: 'full-text' })
})

test('ranks a page with several good chunks first and its second chunk after other pages', async () => {
  const text = ['a/1 9', 'b/1 8.5', 'b/2 8.4', 'c/1 7']
  const [best, , , last] = await check({ text }, ['b/1', 'a/1', 'c/1', 'b/2'])
  expect(best!.why.evidence).toBeGreaterThan(0)
  expect(last!.why.repeated).toBeLessThan(1)
})

test('ranks pages in another language lower, even in a single lane', async () => {
  const text = ['es/1 9', 'a/1 8']
  for (const mode of ['hybrid', 'full-text'] as const) {
    const [, other] = await check({ text }, ['a/1', 'es/1'], { mode })
    expect(other!.why.language).toBe(0.5)
  }
})

test('ranks upgrade notes and older majors lower unless the query asks for them', async () => {
  const text = ['m/1 9', 'v/1 8.9', 'a/1 8.8']
  await check({ text }, ['a/1', 'm/1', 'v/1'])
  await check({ text }, ['m/1', 'a/1', 'v/1'], { text: 'how do I upgrade it' })
  await check({ text }, ['m/1', 'v/1', 'a/1'], { text: 'how to run v3 here' })
})

test('ranks pages that contain the signs of a query first', async () => {
  await check({ text: ['a/1 9', 'c/1 3'] }, ['c/1', 'a/1'], { text: '```' })
})

describe('release notes', () => {
  const text = ['log/1 9', 'a/1 8']
  test('ranks release notes lower', async () => {
    const [, log] = await check({ text }, ['a/1', 'log/1'])
    expect(log!.why.changelog).toBeLessThan(1)
  })
  test('keeps the rank of release notes if the query asks for changes', async () => {
    for (const asked of ['what is new in it', 'breaking changes', 'behaviour of 0.106.0']) {
      await check({ text }, ['log/1', 'a/1'], { text: asked })
    }
  })
})

test('records how each lane found a chunk', async () => {
  const [both, , textOnly] = await check(
    { text: ['a/1 9', 'b/1 6'], vector: ['c/1 0.8', 'a/1 0.75'] },
    ['a/1', 'c/1', 'b/1'],
  )
  expect(both!.why.fullText).toEqual({ rank: 1, score: 9, pageScore: null, points: 0.5 })
  expect(both!.why.vector).toMatchObject({ rank: 2, cosine: 0.75, pageCosine: null })
  expect(textOnly!.why.vector).toBeNull()
})

/** Chunks named by page and number. */
function chunksOf(scores: Record<string, number>) {
  const why = { evidence: 0, repeated: 1 }
  return Object.entries(scores).map(([name, score]) => ({ name, score, why: { ...why } }))
}

const page = ({ name }: { name: string }) => name[0]!

describe('addPageEvidence', () => {
  function check(before: Record<string, number>, after: Record<string, number>) {
    const chunks = chunksOf(before)
    addPageEvidence(chunks, { page, share: () => 0.5 })
    expect(Object.fromEntries(chunks.map(({ name, score }) => [name, score]))).toEqual(after)
    for (const { name, score, why } of chunks) expect(score - why.evidence).toBe(before[name]!)
  }

  test('adds a share of the next two chunks to the best chunk of a page', () => {
    check({ a1: 10, b1: 9, b2: 8, b3: 4, b4: 4 }, { a1: 10, b1: 15, b2: 8, b3: 4, b4: 4 })
  })
  test('subtracts nothing for chunks with negative scores', () => {
    check({ a1: 2, a2: -1 }, { a1: 2, a2: -1 })
  })
  test('changes nothing if each page has one chunk', () =>
    check({ a1: 2, b1: 1 }, { a1: 2, b1: 1 }))
  test('accepts an empty list', () => check({}, {}))
})

describe('spreadPages', () => {
  function check(before: Record<string, number>, after: Record<string, number>) {
    const chunks = chunksOf(before)
    spreadPages(chunks, { page, factor: () => 0.5 })
    expect(Object.fromEntries(chunks.map(({ name, score }) => [name, score]))).toEqual(after)
    for (const { name, score, why } of chunks) expect(before[name]! * why.repeated).toBe(score)
  }

  test('lowers each further chunk of a page by its position', () =>
    check({ a1: 8, a2: 8, b1: 6, a3: 4 }, { a1: 8, a2: 4, b1: 6, a3: 1 }))
  test('leaves negative scores unchanged', () => check({ a1: 8, a2: -8 }, { a1: 8, a2: -8 }))
})

test('ranks passages with code first if the query asks for an example', async () => {
  const lanes = { text: ['a/1 9', 'c/1 8.9', 'b/1 3'] }
  await check(lanes, ['a/1', 'c/1', 'b/1'], { text: 'how to run the kettle' })
  await check(lanes, ['c/1', 'a/1', 'b/1'], { text: 'example of running the kettle' })
  await check({ text: ['a/1 9', 'c/1 4'] }, ['a/1', 'c/1'], { text: 'show me how it runs' })
})

test('ranks passages with code in the language of the query first', async () => {
  const lanes = { text: ['c/1 9', 'd/1 8.9', 'b/1 3'] }
  await check(lanes, ['c/1', 'd/1', 'b/1'], { text: 'example of running the kettle' })
  await check(lanes, ['d/1', 'c/1', 'b/1'], { text: 'run the kettle, example in YAML' })
})

test('without guides, prefers symbols, and passages with more terms and text', async () => {
  const texts = {
    'a.py#L1': 'retry',
    'b.py#L1': 'retry a failed request',
    'c.py#L1': `retry a failed request ${'and wait '.repeat(90)}`,
    README: 'retry a failed request',
  }
  expect(await rankTexts(texts, 0)).toEqual(['c.py#L1', 'b.py#L1', 'README', 'a.py#L1'])
  expect(await rankTexts(texts, 1)).toEqual(Object.keys(texts))
})

test('without guides, prefers a function to types, hidden and undocumented symbols', async () => {
  const symbol = (code: string, prose: string) =>
    `## \`retry\`\n\n\`\`\`ts\n${code}\n\`\`\`\n\n${prose}`
  const texts = {
    'i.py#L1': symbol('def failed_request()', 'Since 2.'),
    'i.py#L2': symbol('def failed_request()', 'Waits it.'),
    'a.ts#L1': symbol('interface Retry', 'A failed request.'),
    'b.ts#L1': symbol('let retry: Retry', 'Not exported: a failed request.'),
    'c.ts#L1': symbol('function retry()', 'A failed request.'),
  }
  const ranked = await rankTexts(texts, 0)
  expect(ranked[0]).toBe('c.ts#L1')
  expect(ranked.indexOf('i.py#L2')).toBeLessThan(ranked.indexOf('i.py#L1'))
})

test('without guides, prefers other symbols to errors unless the query is about one', async () => {
  const symbol = (code: string) => `## \`x\`\n\n\`\`\`py\n${code}\n\`\`\`\n\nRetry a request.`
  const texts = { 'a.py#L1': symbol('class R(Error)'), 'b.py#L1': symbol('def retry()') }
  expect(await rankTexts(texts, 0, 'retry request')).toEqual(['b.py#L1', 'a.py#L1'])
  expect(await rankTexts(texts, 0)).toEqual(['a.py#L1', 'b.py#L1'])
})

test('without guides, prefers a main symbol to its namesake in a side module', async () => {
  const symbol = (name: string, text: string) => `# \`${name}\`\n\nLoads a ${text}.`
  const texts = {
    'i.py#L1': symbol('lib.web.load', 'lamp'),
    'a.py#L1': symbol('lib.Shop.load', 'lamp'),
    'b.py#L1': symbol('lib.Shop.open', 'lamp'),
  }
  expect(await rankTexts(texts, 0, 'load lamp')).toEqual(['a.py#L1', 'i.py#L1', 'b.py#L1'])
  expect((await rankTexts(texts, 0, 'load web lamp'))[0]).toBe('i.py#L1')
})

/** Ranks passages by URL, in an order that full text alone has found. */
async function rankTexts(
  texts: Record<string, string>,
  guideShare: number,
  text = 'retry failed request',
): Promise<string[]> {
  const urls = Object.keys(texts)
  const bare = {
    ...collection,
    guideShare,
    open: {
      generation: { id: 'one' },
      pageIndex: async () => null,
      chunks: async (rowIds: bigint[]) =>
        rowIds.map((id) => {
          const content = texts[urls[Number(id)]!]!
          return { title: 'x', heading: /^# `(.*)`/.exec(content)?.[1] ?? 'x', content }
        }),
    },
  } as unknown as Collection
  const byText = urls.map((url, i) => ({
    ...toCandidate(bare, { url, rowId: BigInt(i), score: 10 - i / 10 }),
    ...{ share: 1, bm25: 10 - i / 10, pageBm25: null },
  }))
  const fused = fuse({ byText, byVector: [] }, () => ({ text: 1, vector: 0 }))
  const query = { text, mode: 'hybrid', limit: 10, kernels } as const
  const ranked = await adjustRanking(fused, [bare], { ...query, without: ['exact', 'api'] })
  return ranked.map(({ url }) => url)
}
