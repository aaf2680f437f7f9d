import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openEmbeddingCache } from '../../../src/embed/cache.ts'
import {
  cutAhead,
  embedRows,
  ingestChunks,
  type IngestOptions,
} from '../../../src/library/add/ingest.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { ChunkRow, Embeddings } from '../../../src/store/chunks/chunk-table.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { countWords } from '../../support/count-words.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { chunkRow, pageRow } from '../../support/store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og ingest'))

type Batch = { rows: ChunkRow[]; embeddings: Embeddings | null }

/** Ingests texts as pages; returns the rows and the number of calls of the embedder. */
async function ingest(
  texts: string[],
  options: Partial<IngestOptions> & { batchTexts?: number } = {},
) {
  using writer = await createGeneration(temp().path)
  await writer.appendPages(texts.map((text, i) => pageRow(`page ${i}`, text)))
  const batches: Batch[] = []
  const spied = {
    ...writer,
    appendChunks: async (rows: ChunkRow[], embeddings: Embeddings | null) =>
      void batches.push({ rows, embeddings }),
  }
  const embedder = { ...hashEmbedder(), batchTexts: options.batchTexts }
  const calls: number[] = []
  const embed = (given: string[]) => (calls.push(given.length), embedder.embed(given))
  using cache = openEmbeddingCache(join(temp().path, 'embeddings.sqlite'), embedder)
  const result = await ingestChunks(
    spied,
    { embedder: { ...embedder, embed }, cache },
    {
      chunkChars: undefined,
      overlapChars: undefined,
      maxTokens: 512,
      countTokens: countWords,
      characters: texts.join('').length,
      onProgress: () => {},
      ...options,
    },
  )
  return { ...result, rows: batches.flatMap(({ rows }) => rows), batches, calls, embedder }
}

const section = (i: number) => `# Section ${i}\n\n${`word${i} `.repeat(250)}\n`
const sections = (count: number) => Array.from({ length: count }, (_, i) => section(i)).join('\n')

test('chunks, embeds and writes one large page in order, batch by batch (W-50)', async () => {
  const text = sections(500)
  const { rows, batches, chunks, embedded, embedder } = await ingest([text])
  expect(rows.map(({ content }) => content).join('')).toBe(text)
  expect(rows.map(({ chunk_index: index }) => index)).toEqual(rows.map((_, i) => i))
  expect({ chunks, embedded }).toEqual({ chunks: rows.length, embedded: rows.length })
  expect(Math.max(...batches.map((batch) => batch.rows.length))).toBe(512)
  for (const { rows: written, embeddings } of batches) {
    const { block, dimensions } = embeddings!
    expect(block.length).toBe(written.length * dimensions)
    const row = written.length - 1
    const title = written[row]!.heading === '' ? '' : `${written[row]!.heading}\n`
    const [expected] = [await embedder.embed([title + written[row]!.content.trim()])]
    expect(block.subarray(row * dimensions)).toEqual(expected)
  }
})

test('embeds few chunks of a very long page, and counts the others', async () => {
  const seen: number[] = []
  const onProgress = ({ shared }: { shared: number }) => void seen.push(shared)
  const { rows, embedded } = await ingest([sections(1300)], { onProgress })
  expect(rows.length).toBeGreaterThan(2000)
  expect(embedded).toBe(1000 + Math.ceil((rows.length - 1000) / 8))
  expect(seen.at(-1)).toBe(rows.length - embedded)
})

test('combines many small pages into batches, and keeps their order', async () => {
  const texts = Array.from({ length: 700 }, (_, i) => `Page number ${i}.\n`)
  const { rows, batches } = await ingest(texts)
  expect(rows.map(({ content }) => content)).toEqual(texts)
  expect(batches.map((batch) => batch.rows.length)).toEqual([512, 188])
})

test('writes more chunks than a function may have arguments', async () => {
  const text = 'a b '.repeat(70_000)
  const { rows, chunks } = await ingest([text], { chunkChars: 3 })
  expect(chunks).toBe(rows.length)
  expect(chunks).toBeGreaterThan(65_536)
  expect(rows.map(({ content }) => content).join('')).toBe(text)
})

test("embeds only texts that are missing from the cache, in the embedder's preferred batches", async () => {
  const texts = Array.from({ length: 100 }, (_, i) => `Page number ${i}.\n`)
  expect((await ingest(texts.slice(0, 40))).calls).toEqual([16, 16, 8])
  expect((await ingest(texts, { batchTexts: 50 })).calls).toEqual([50, 10])
  expect(await ingest(texts)).toMatchObject({ chunks: 100, embedded: 0, calls: [] })
})

test('embeds equal texts once', async () => {
  const texts = Array.from({ length: 60 }, (_, i) => `The same on ${i % 3} of all.\n`)
  const { rows, batches, calls, embedded, embedder } = await ingest(texts)
  expect({ calls, embedded }).toEqual({ calls: [3], embedded: 3 })
  const expected = await embedder.embed(rows.map(({ content }) => content.trim()))
  expect(batches[0]!.embeddings!.block).toEqual(expected)
})

test('reports progress that never decreases', async () => {
  const seen: { chunks: number; toEmbed: number; embedded: number }[] = []
  const onProgress = (done: (typeof seen)[0]) => void seen.push({ ...done })
  await ingest([sections(600), sections(600)], { onProgress })
  const embedded = seen.map((done) => done.embedded)
  expect(embedded).toEqual([...embedded].sort((a, b) => a - b))
  for (const done of seen) expect(done.toEmbed).toBeGreaterThanOrEqual(done.embedded)
  expect(seen.at(-1)!.toEmbed).toBe(seen.at(-1)!.embedded)
})

test('creates no chunks for blank pages', async () => {
  expect(await ingest(['', ' \n\n'])).toMatchObject({ chunks: 0, embedded: 0, batches: [] })
})

test('reports the URL of a page that cannot be chunked, and ingests the others', async () => {
  const countTokens = (text: string) => {
    if (text.includes('poison')) throw new Error('cutting it takes longer than 10 s')
    return countWords(text)
  }
  const texts = [section(0), `# Bad\n\n${'poison '.repeat(400)}\n`, section(2)]
  const { rows, failed } = await ingest(texts, { countTokens })
  expect(failed).toEqual([{ url: 'page 1', reason: 'cutting it takes longer than 10 s' }])
  expect([...new Set(rows.map(({ url }) => url))]).toEqual(['page 0', 'page 2'])
})

const context = {
  chunking: { chunkChars: undefined, overlapChars: undefined },
  countTokens: async () => countWords,
  embedding: async () => null,
}

test('ingests pages that were cut ahead, and cuts the others', async () => {
  const ahead = cutAhead({ context, request: {} })
  // The third page is stored in other characters, and the last is too long to wait in memory.
  const texts = [section(0), sections(20), `# Odd \ud800\n`, '\n'.repeat(2 ** 22)]
  ahead.start(pageRow('page 0', texts[0]!))
  expect(ahead.take('page 0')).toBeUndefined()
  texts.slice(1).forEach((text, i) => ahead.start(pageRow(`page ${i + 1}`, text)))
  const taken: (number | undefined)[] = []
  const take = (url: string) => {
    const cut = ahead.take(url)
    taken.push(cut && texts.findIndex((_, i) => url === `page ${i}`))
    return cut
  }
  const { rows } = await ingest(texts, { ahead: { ...ahead, take } })
  expect(taken).toEqual([0, 1, undefined, undefined])
  expect(rows).toEqual((await ingest(texts)).rows)
  expect(ahead.take('page 0')).toBeUndefined()
})

test('cuts only a few thousand pages ahead, even if they are short', async () => {
  const ahead = cutAhead({ context, request: {} })
  const urls = Array.from({ length: 5000 }, (_, i) => `page ${i}`)
  for (const url of urls) ahead.start(pageRow(url, 'A short page.\n'))
  const cut = urls.map(ahead.take).filter((it) => it !== undefined)
  expect((await Promise.all(cut)).flat()).toHaveLength(cut.length)
  expect(cut.length).toBeGreaterThan(3000)
  expect(cut.length).toBeLessThan(4096)
})

test('keeps the embeddings of a call that was still running when another one failed', async () => {
  const hash = hashEmbedder()
  const failed = Promise.withResolvers<void>()
  const embedder = {
    ...hash,
    batchTexts: 1,
    async embed(texts: string[]) {
      if (texts[0]!.includes('lost')) {
        failed.resolve()
        throw new Error('out of order')
      }
      await failed.promise
      return hash.embed(texts)
    },
  }
  using cache = openEmbeddingCache(join(temp().path, 'embeddings.sqlite'), embedder)
  const prepared = ['kept', 'lost'].map((text) => ({ row: chunkRow('a', text), text }))
  const rows = embedRows({ embedder, cache }, prepared, { step: () => {} })
  await expect(rows).rejects.toThrow('out of order')
  expect(cache.read(['kept', 'lost']).map((it) => it !== null)).toEqual([true, false])
})

test('counts the different texts that the cache lacks if embedding is deferred', async () => {
  await ingest(['known'])
  const { missing, embedded, rows, batches } = await ingest(['known', 'new', 'new', 'other'], {
    isDeferred: true,
  })
  expect({ missing, embedded, rows: rows.length }).toEqual({ missing: 2, embedded: 0, rows: 4 })
  expect(batches[0]!.embeddings!.block.every((value) => value === 0)).toBe(true)
})
