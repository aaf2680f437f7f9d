import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { readPageIndex, type PageIndex } from '../../../src/store/pages/page-index.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import {
  chunkRow,
  generationNamed,
  openLive,
  pageRow,
  publish,
  writeGeneration,
} from '../../support/store.ts'
import { openEach } from '../../support/run/dispose.ts'

const embedder = hashEmbedder()

const temp = openEach(() => createTempFolder('og-page-index'))

test('represents a page by the mean of its chunks, with more weight on the first', async () => {
  const e = (axis: number) => Float32Array.from({ length: 4 }, (_, i) => (i === axis ? 1 : 0))
  const chunks = [
    { url: 'p', chunk_index: 1, axis: 1 },
    { url: 'q', chunk_index: 0, axis: 2 },
    { url: 'p', chunk_index: 0, axis: 0 },
  ]
  using writer = await createGeneration(temp().path)
  await writer.appendPages(['q', 'blank', 'p'].map((url) => pageRow(url, '')))
  for (const { axis, ...chunk } of chunks) {
    const row = { ...chunkRow(chunk.url, `axis ${axis}`), ...chunk }
    await writer.appendChunks([row], { block: e(axis), dimensions: 4 })
  }
  await writer.finish()
  const fingerprint = { ...embedder.fingerprint, dimensions: 4 }
  await publish(temp().path, 'lib', generationNamed(writer.id, { chunks: 3, fingerprint }))
  const [open] = await openLive(temp().path)
  using reading = open!
  const pages = (await reading.pageIndex())!
  const length = Math.hypot(0.4 + 0.2, 0.4)
  for (const [axis, p, q] of [
    [0, 0.6 / length, 0],
    [1, 0.4 / length, 0],
    [2, 0, 1],
  ] as const) {
    expect(pages.cosine('p', e(axis))).toBeCloseTo(p, 5)
    expect(pages.cosine('q', e(axis))).toBeCloseTo(q, 5)
    expect(pages.cosine('blank', e(axis))).toBe(0)
    expect(pages.cosine('nowhere', e(axis))).toBeNull()
  }
})

test('finds a page by its title and the last part of its path', async () => {
  const rows = [
    ['$lookup (aggregation)', 'operator/lookup.txt'],
    ['', 'guide/index.md'],
    ['Release Notes', 'release-notes.md'],
  ] as const
  using writer = await createGeneration(temp().path)
  await writer.appendPages(rows.map(([title, path]) => ({ ...pageRow(path, ''), title, path })))
  await writer.appendChunks([chunkRow(rows[0][1], 'text')], null)
  await writer.finish()
  await publish(temp().path, 'lib', generationNamed(writer.id))
  const [open] = await openLive(temp().path)
  using reading = open!
  const pages = (await reading.pageIndex())!
  expect(pages.cosine('guide/index.md', new Float32Array(4))).toBeNull()
  expect(pages.fullText(['text'])('operator/lookup.txt')).toBeGreaterThan(0)
  expect(pages.fullText(['text'])('guide/index.md')).toBe(0)
  expect(pages.fullText(['text'])('nowhere')).toBeNull()
})

describe('with more than 20,000 pages', () => {
  const count = 20_001

  /** Opens pages where the embedding of page i has the angle i, or where no page has one. */
  async function openMany(dimensions: number | null): Promise<PageIndex> {
    const row = { ...chunkRow('', 'every page'), terms: 'every page' }
    using writer = await createGeneration(temp().path)
    const urls = Array.from({ length: count }, (_, i) => `p${i}`)
    await writer.appendPages(urls.map((url) => pageRow(url, '')))
    const block = Float32Array.from(urls.flatMap((_, i) => [Math.cos(i), Math.sin(i)]))
    const chunks = urls.map((url, i) => ({
      ...row,
      url,
      terms: i === 20_000 ? 'every page rare' : row.terms,
    }))
    await writer.appendChunks(chunks, dimensions === null ? null : { block, dimensions })
    await writer.finish()
    const fingerprint = dimensions === null ? null : { ...embedder.fingerprint, dimensions }
    const live = generationNamed(writer.id, { pages: count, chunks: count, fingerprint })
    await publish(temp().path, 'lib', live)
    const [open] = await openLive(temp().path)
    using reading = open!
    return (await reading.pageIndex())!
  }

  test.each([2, null])(
    'counts words in the same way as for few pages (dimensions: %p)',
    async (dimensions) => {
      const pages = await openMany(dimensions)
      expect(pages.fullText(['rare'])('p20000')).toBeGreaterThan(5)
      expect(pages.fullText(['rare'])('p1')).toBe(0)
      expect(pages.knows('rare')).toBe(true)
    },
  )

  test('quantises embeddings', async () => {
    const pages = await openMany(2)
    for (const i of [0, 1, 19_999, 20_000]) {
      const cosine = pages.cosine(`p${i}`, Float32Array.of(1, 0))!
      expect(Math.abs(cosine - Math.cos(i))).toBeLessThan(0.005)
    }
    expect((await openMany(null)).cosine('p1', Float32Array.of(1, 0))).toBeNull()
  })
})

test('works if the page index is missing or has an unknown format', async () => {
  const old = await writeGeneration(temp().path, { a: 'text' }, { library: 'old' })
  const path = join(temp().path, 'generations', old.id)
  expect(await readPageIndex(path)).not.toBeNull()
  // The format is unknown: the header lacks a format, and no arrays follow it.
  writeFileSync(
    join(path, 'page-index.bin'),
    Buffer.concat([Buffer.of(2, 0, 0, 0), Buffer.from('{}')]),
  )
  expect(await readPageIndex(path)).toBeNull()
  rmSync(join(path, 'page-index.bin'))
  const [open] = await openLive(temp().path)
  using reading = open!
  expect(await reading.pageIndex()).toBeNull()
  expect((await reading.fullText(['text'], 5)).map(({ url }) => url)).toEqual(['a'])
})
