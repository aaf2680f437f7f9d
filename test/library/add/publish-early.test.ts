import { expect, test } from 'bun:test'
import { freeUnusedData } from '../../../src/library/free.ts'
import { renderIncomplete } from '../../../src/library/incomplete.ts'
import {
  askBirds,
  birds,
  embeddedBy,
  openBirds,
  type SeenLive,
} from '../../support/following/birds.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { until } from '../../support/until.ts'
import { openEach } from '../../support/run/dispose.ts'

const at = openEach(openBirds)

test('finds a chunk without an embedding by full text, and never by a zero vector', async () => {
  await at().stopAfter(6)
  expect((await at().live()).embedded).toBe(birds.pages)
  using store = at().openWith(hashEmbedder())
  const words = await askBirds(store, 'heron 7x9', 'full-text')
  expect(words.hits[0]!.text).toContain('Part 7x9')
  expect(words.incomplete).toEqual([])
  const near = await askBirds(store, 'heron 7x9', 'vector')
  expect(near.hits.length).toBeGreaterThan(0)
  const openings = near.hits.filter(({ heading }) => heading.endsWith('x0'))
  expect(openings).toEqual(near.hits)
  const both = await askBirds(store, 'heron 7x9')
  expect(both.hits[0]!.text).toContain('Part 7x9')
  expect(both.incomplete).toEqual([
    { library: 'zoo', version: '1', embedded: birds.pages, chunks: birds.chunks },
  ])
  expect(both.incomplete.map(renderIncomplete)).toEqual([
    'zoo 1: 7 % of its passages by meaning so far',
  ])
})

test('embeds only the remaining chunks without chunking pages again', async () => {
  await at().stopAfter(6)
  const seen: SeenLive = []
  const embedder = at().watched(seen)
  const isPublished = async () => (await at().live()).embedded !== birds.pages
  const embed = async (texts: string[]) => {
    await until('the known embeddings are published', isPublished)
    return embedder.embed(texts)
  }
  using store = at().openWith({ ...embedder, embed })
  const result = await store.add('zoo', at().docs)
  const rest = birds.chunks - embeddedBy.six
  expect(result).toMatchObject({ status: 'updated', chunks: birds.chunks, embedded: rest })
  expect(new Set(embedder.embedded).size).toBe(rest)
  // Chunks that the first run embedded without publishing them are published while others are
  // embedded, and are not embedded again.
  expect(seen[0]).toBe(embeddedBy.six)
  expect((await at().live()).embedded).toBeUndefined()
  expect(await store.add('zoo', at().docs)).toMatchObject({ status: 'unchanged', embedded: 0 })
})

test('keeps the live generation until the new one has more embeddings', async () => {
  await at().stopAfter(9)
  const { id, embedded } = await at().live()
  expect(embedded).toBe(birds.pages)
  at().write('stork')
  const seen: SeenLive = []
  using store = at().openWith(at().watched(seen))
  await store.add('zoo', at().docs)
  expect(id).not.toBe((await at().live()).id)
  expect(seen[0]).toBe(birds.pages)
  // The first chunks alone do not replace the old generation, which has as many embeddings. The
  // next one replaces it while the remaining chunks are embedded.
  expect(seen.slice(1)).not.toContain(birds.pages)
  expect(seen.length).toBeLessThanOrEqual(2)
  expect((await askBirds(store, 'stork', 'full-text')).hits.length).toBeGreaterThan(0)
})

test('replaces a complete generation only when the new one is complete', async () => {
  const seen: SeenLive = []
  using store = at().openWith(hashEmbedder())
  await store.add('zoo', at().docs)
  at().write('stork')
  using later = at().openWith(at().watched(seen))
  await later.add('zoo', at().docs)
  expect(seen).toEqual([undefined])
})

test('og gc keeps embeddings of an incomplete generation', async () => {
  await at().stopAfter(9)
  using store = at().openWith(hashEmbedder())
  const freed = await Array.fromAsync(
    freeUnusedData({ folder: at().folder, natives: null }, store.entries, { isDry: false }),
  )
  expect(freed.find(({ kind }) => kind === 'embeddings')).toMatchObject({ count: 0, inUse: 0 })
  expect(await store.add('zoo', at().docs)).toMatchObject({
    embedded: birds.chunks - embeddedBy.nine,
  })
})

test('publishes no intermediate state if a minimum health is required', async () => {
  const seen: SeenLive = []
  using store = at().openWith(at().watched(seen))
  await store.add('zoo', at().docs, { minHealth: 0 })
  expect(seen).toEqual([])
})
