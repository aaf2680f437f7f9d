import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Collection } from '../../src/search/collection.ts'
import type { Confidence } from '../../src/search/confidence.ts'
import type { ScoreParts, NameForm } from '../../src/search/candidate.ts'
import { hitsToJudge, rateCollections, type RankedChunks } from '../../src/search/judge.ts'
import { rankChunks, search } from '../../src/search/search.ts'
import { openCollections } from '../support/collections.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { kernels, writeGeneration } from '../support/store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const embedder = hashEmbedder()

const temp = disposeAfterAll(await createTempFolder('og-judge'))
const filler = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`filler/${i}`, `page ${i} tells of nothing in particular`]),
)
const birds = {
  'b/heron': 'the heron builds its nest in high trees near quiet water',
  'b/crane': 'cranes dance in spring',
  ...filler,
}
const pots = { 'p/pot': 'a pot of water boils on the stove', ...filler }
await writeGeneration(temp.path, birds, { library: 'birds', embedder })
const { id } = await writeGeneration(temp.path, pots, { library: 'pots', embedder })
await writeGeneration(temp.path, { 's/one': 'a word on water' }, { library: 'small', embedder })
// A generation that was built before the page index existed.
rmSync(join(temp.path, 'generations', id, 'page-index.bin'))
const opened = disposeAfterAll(await openCollections(temp.path))

type Change = {
  collection?: (collection: Collection) => Collection
  ranked?: (ranked: RankedChunks) => RankedChunks
  byWords?: boolean
  level?: Confidence
}

/** Checks which libraries answer a query, or which ones have the given level. */
async function check(text: string, expected: string[], change: Change = {}) {
  const { collection = (it) => it, ranked = (it) => it, byWords = true, level } = change
  const collections = opened.asked(byWords ? undefined : embedder).map(collection)
  const mode = byWords ? 'full-text' : 'hybrid'
  const result = await rankChunks(collections, { text, mode, kernels, limit: 30 })
  const levels = await rateCollections(collections, text, ranked(result))
  const isChosen = (rated: Confidence) => (level ? rated === level : rated !== 'weak')
  const answering = collections.filter((_, i) => isChosen(levels[i]!))
  expect(answering.map(({ entry }) => entry.library)).toEqual(expected)
}

/** Replaces fields of `why` in every ranked chunk. */
const withWhy =
  (why: Partial<ScoreParts>) =>
  (ranked: RankedChunks): RankedChunks => ({
    ...ranked,
    chunks: ranked.chunks.map((chunk) => ({ ...chunk, why: { ...chunk.why, ...why } })),
  })

const question = 'how does the heron build a nest in high trees near water'
const stray = 'how are contracts for water rights negotiated between nations'

test('by words: accepts libraries that contain the question and rejects those with one word of it', async () => {
  await check(question, ['birds', 'small'])
  await check('when do cranes dance', ['birds'])
  await check('how long does a pot of water boil', ['pots', 'small'])
  await check('zeppelin', [])
})

test('accepts one query word in a library that is too small to judge', () =>
  check(stray, ['small']))

test('judges each library by its own chunks', () =>
  check(question, ['birds'], {
    ranked: (ranked) => ({
      ...ranked,
      chunks: ranked.chunks.filter(({ collection }) => collection.entry.library === 'birds'),
    }),
  }))

test('accepts a library whose chunk contains the queried name', async () => {
  const named = { form: 'typed', place: 'prose' } as const
  await check(stray, ['birds', 'pots', 'small'], { ranked: withWhy({ nameMatch: named }) })
})

test('accepts a rare name with a symbol or digit, but not a plain word or a brand', async () => {
  for (const rareName of ['snake_case', 'http2', 'a.b', 'std::vec', 'a->b', '@a/b', 'x-y']) {
    await check(stray, ['birds', 'pots', 'small'], { ranked: withWhy({ rareName }) })
  }
  for (const rareName of ['React', 'a-', '.env', null]) {
    await check(stray, ['small'], { ranked: withWhy({ rareName }) })
  }
})

test('judges by the best five hits only', async () => {
  expect(hitsToJudge).toBe(5)
  const behind =
    (count: number) =>
    (ranked: RankedChunks): RankedChunks => {
      const mine = ranked.chunks.filter(({ collection }) => collection.entry.library === 'birds')
      const { row, ...rest } = mine[0]!
      const other = { ...rest, row: { ...row, url: 'x', title: '', heading: '', content: 'else' } }
      return { ...ranked, chunks: [...Array(count).fill(other), mine[0]!] }
    }
  await check(question, ['birds'], { ranked: behind(4) })
  await check(question, [], { ranked: behind(5) })
})

const calibrated =
  (own: number, foreign: number, more: object = {}) =>
  (one: Collection) => {
    const live = { ...one.entry.live, calibration: { own, foreign }, ...more }
    return { ...one, entry: { ...one.entry, live } }
  }

test("by embeddings: accepts hits that are near by the library's own calibration and contain the words", async () => {
  const by = { byWords: false }
  await check(question, ['birds'], { ...by, collection: calibrated(0.8, 0.2) })
  // An inverted calibration (headings farther away than foreign sentences) is ignored.
  await check(stray, ['birds', 'pots', 'small'], { ...by, collection: calibrated(0.3, 0.5) })
  await check(stray, ['birds', 'pots', 'small'], by)
  // Without a page index, every word weighs the same.
  await check(stray, ['pots'], { ...by, collection: calibrated(0.7, 0.2) })
})

test('is sure of a name only if a chunk contains it, not just its words', async () => {
  const by = { byWords: false, collection: calibrated(0.8, 0.2), level: 'high' } as const
  const match = (form: NameForm) => withWhy({ nameMatch: { form, place: 'prose' } })
  await check('--mode', ['birds', 'pots', 'small'], { ...by, ranked: match('typed') })
  await check('--mode', [], { ...by, ranked: match('core') })
  await check('root_path', ['birds', 'pots'], { ...by, ranked: match('spelling') })
  await check('root_path', [], { ...by, ranked: match('words') })
})

test('judges by words while embeddings are incomplete', async () => {
  const collection = calibrated(0.3, 0.5, { embedded: 10 })
  await check(stray, ['small'], { byWords: false, collection })
})

test('also looks for words in the title, the heading and the URL path', async () => {
  const saying =
    (part: object) =>
    (ranked: RankedChunks): RankedChunks => ({
      ...ranked,
      chunks: ranked.chunks
        .slice(0, 1)
        .map((chunk) => ({
          ...chunk,
          row: { ...chunk.row, title: '', heading: '', content: '', url: 'x', ...part },
        })),
    })
  const text = 'when do cranes dance'
  await check(text, [], { ranked: saying({}) })
  for (const part of [
    { title: 'Cranes dance' },
    { heading: 'Birds > Cranes dance' },
    { content: 'cranes dance' },
    { url: 'https://x.org/cranes/dance.html' },
  ]) {
    await check(text, ['birds'], { ranked: saying(part) })
  }
  await check(text, [], { ranked: saying({ url: 'https://cranes-dance.org/x' }) })
})

test('rates a library that is partly embedded at most medium by words', async () => {
  const collection = calibrated(0.8, 0.2, { embedded: 1 })
  await check(question, ['birds', 'small'], { byWords: false, collection, level: 'medium' })
  await check(question, [], { byWords: false, collection, level: 'high' })
  await check(question, ['birds', 'small'], { level: 'high' })
})

test('rates an answer only by the libraries of its best hits', async () => {
  const text = 'page tells nothing particular word zeppelin trombone marmalade'
  const request = { text, mode: 'full-text', kernels, limit: 200, context: 0 } as const
  const { confidence, chunks } = await search(opened.asked(), { ...request, isJudged: true })
  const libraries = chunks.map(({ collection }) => collection.entry.library)
  expect(libraries.slice(0, hitsToJudge)).not.toContain('small')
  // The library "small" has one chunk, so any hit in it is rated high.
  expect(libraries).toContain('small')
  expect(confidence).toBe('weak')
})

test('rates an answer without the signs or the qualified symbol of the query as weak', async () => {
  await check('=>', [], { byWords: false })
  await check(`${question}: heron.flyAway`, [])
  await check(`${question}: heron.water`, ['birds', 'small'])
})

test('rates the definition of a symbol and a heading that is the question as high', async () => {
  const level = 'high'
  const defines = withWhy({ nameMatch: { form: 'words', place: 'api', parts: 2 } })
  await check('cranes', ['birds'], { ranked: defines, byWords: false, level })
  const headed = (ranked: RankedChunks): RankedChunks => ({
    ...ranked,
    chunks: ranked.chunks.map((chunk) => ({
      ...chunk,
      row: { ...chunk.row, heading: 'Birds > Build a `nest`?' },
    })),
  })
  await check('build a nest', ['birds', 'pots', 'small'], { ranked: headed, byWords: false, level })
})
