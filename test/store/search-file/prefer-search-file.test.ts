import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { chunkTerms } from '../../../src/chunk/terms.ts'
import type { ChunkRow } from '../../../src/store/chunks/chunk-table.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { openUnpublished } from '../../../src/store/reading.ts'
import type { Generation } from '../../../src/store/registry.ts'
import { searchFileName } from '../../../src/store/search-file/format.ts'
import {
  preferSearchFile,
  openSearchFile,
} from '../../../src/store/search-file/prefer-search-file.ts'
import { writeSearchFile } from '../../../src/store/search-file/write-search-file.ts'
import { readManifest } from '../../../src/store/integrity/manifest.ts'
import { startScript } from '../../support/child.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import {
  chunkRow,
  generationNamed,
  kernels,
  openLive,
  pageRow,
  publish,
  writeGeneration,
} from '../../support/store.ts'
import { testWhere } from '../../support/where.ts'
import { openEach } from '../../support/run/dispose.ts'
import type { OpenGeneration } from '../../../src/store/open-generation.ts'

const temp = openEach(() => createTempFolder('og search file'))
const folder = () => join(temp().path, 'store')

/** LanceDB stores embeddings as plain numbers only above a certain size. */
const embedder = hashEmbedder({ fingerprint: { dimensions: 384 } })
const { fingerprint } = embedder
const nPages = 90
const chunksPerPage = 8

/** A page whose last chunk is not a part of its text, and whose chunks have other titles. */
const pages = Array.from({ length: nPages }, (_, page) => {
  const parts = Array.from(
    { length: chunksPerPage - 1 },
    (_, i) => `\ufeffpart${page} wörd${i} 😀 `,
  )
  return { ...pageRow(`page ${page}`, parts.join('')), title: `title ${page % 3}`, parts }
})

function chunksOf({ url, title, parts }: (typeof pages)[number]): ChunkRow[] {
  let at = 0
  const cut = parts.map((content, i) => {
    const row = chunkRow(url, content, `heading ${i}`)
    const place = { chunk_index: i, start_offset: at, end_offset: (at += content.length) }
    return { ...row, ...place, title, terms: termsOf(content), start_line: i, end_line: i + 1 }
  })
  const last = chunkRow(url, `elsewhere ${parts.length}`)
  return [...cut, { ...last, chunk_index: parts.length, title: 'another title' }]
}

function termsOf(body: string): string {
  return chunkTerms({ title: '', heading: '', path: '', body }).join(' ')
}

/** Writes all pages in several fragments; embeds only the chunks that `isEmbedded` accepts. */
async function writePages(
  isEmbedded: (row: number) => boolean,
  known: Partial<Generation> = {},
): Promise<Generation> {
  using writer = await createGeneration(folder())
  await writer.appendPages(pages.map(({ parts: _, ...row }) => row))
  const rows = pages.flatMap(chunksOf)
  for (const [from, to] of [
    [0, 512],
    [512, 600],
    [600, rows.length],
  ] as const) {
    const part = rows.slice(from, to)
    const block = await embedder.embed(part.map(({ content }) => content))
    part.forEach((_, i) => {
      const { dimensions } = fingerprint
      if (!isEmbedded(from + i)) block.fill(0, i * dimensions, (i + 1) * dimensions)
    })
    await writer.appendChunks(part, { block, dimensions: fingerprint.dimensions })
  }
  await writer.finish()
  const counts = { pages: nPages, chunks: rows.length }
  const generation = generationNamed(writer.id, { ...counts, fingerprint, ...known })
  await publish(folder(), 'lib', generation)
  return generation
}

/** Compares the answers of the search file with the answers of the tables. */
async function compare(byFile: OpenGeneration, byTables: OpenGeneration): Promise<void> {
  for (const terms of [['part7'], ['wörd3', 'part1'], ['nowhere'], ['elsewher', 'part2']]) {
    for (const method of ['fullText', 'fullTextOfAll'] as const) {
      const [found, expected] = await Promise.all(
        [byFile, byTables].map((it) => it[method](terms, 1000)),
      )
      const scores = new Map(expected!.map(({ rowId, score }) => [rowId, score]))
      expect(found!.map(({ rowId }) => rowId).sort()).toEqual([...scores.keys()].sort())
      for (const { rowId, score } of found!) expect(score).toBeCloseTo(scores.get(rowId)!, 4)
    }
  }
  for (const query of ['part7 wörd1', 'elsewhere']) {
    const embedding = await embedder.embedQuery(query)
    const [found, expected] = await Promise.all(
      [byFile, byTables].map((it) => it.nearest(embedding, 30)),
    )
    const sorted = (hits: typeof found) => hits!.map(({ score }) => score.toFixed(4))
    expect(sorted(found)).toEqual(sorted(expected))
    const ids = found!.map(({ rowId }) => rowId)
    const { terms: _, ...columns } = chunkRow('', '')
    const rows = await byFile.chunks(ids)
    expect(rows).toEqual(await byTables.chunks(ids))
    if (ids.length > 0) expect(Object.keys(rows[0]!).sort()).toEqual(Object.keys(columns).sort())
    expect(await byFile.embeddings(ids)).toEqual(await byTables.embeddings(ids))
  }
  const urls = ['page 3', 'page 89', 'missing']
  expect(await byFile.pageHeads()).toEqual(new Map(await byTables.pageHeads()))
  expect(await byFile.pageStates()).toEqual(await byTables.pageStates())
  for (const url of urls) expect(await byFile.page(url)).toEqual(await byTables.page(url))
  const [fromFile, fromTables] = await Promise.all(
    [byFile, byTables].map((it) => Array.fromAsync(it.pages())),
  )
  expect(fromFile!.flat()).toEqual(fromTables!.flat())
  const [texts, expected] = await Promise.all([byFile, byTables].map((it) => it.pageTexts(urls)))
  expect([...texts!.keys()]).toEqual([...expected!.keys()])
  for (const [url, { text, markup }] of expected!) {
    expect(texts!.get(url)).toMatchObject({ url, text, markup })
  }
}

test('answers like the tables, also on some pages only', async () => {
  const generation = await writePages(() => true)
  const path = join(folder(), 'generations', generation.id, searchFileName)
  expect(existsSync(path)).toBe(true)
  const [byFile] = await openLive(folder())
  const byTables = openUnpublished(folder(), generation, kernels)
  await compare(byFile!, byTables)
  const urls = new Set(['page 1', 'page 2', 'page 70'])
  await compare(byFile!.within(urls), byTables.within(urls))
  for (const open of [byFile!, byTables]) open[Symbol.dispose]()
})

test.each([
  [0, () => false],
  [80, (row: number) => row >= 560 && row < 640],
])('answers like the tables if %i chunks are embedded', async (embedded, isEmbedded) => {
  const generation = await writePages(isEmbedded, { embedded })
  expect(existsSync(join(folder(), 'generations', generation.id, searchFileName))).toBe(true)
  const [byFile] = await openLive(folder())
  const byTables = openUnpublished(folder(), generation, kernels)
  await compare(byFile!, byTables)
  for (const open of [byFile!, byTables]) open[Symbol.dispose]()
})

testWhere(process.platform === 'linux' ? null : 'no /proc')(
  'a search does not load LanceDB',
  async () => {
    await writeGeneration(folder(), { a: 'one two', b: 'two' }, { library: 'lib', embedder })
    await using child = startScript('store/searcher.ts', [folder()])
    expect(JSON.parse((await child.line())!)).toEqual({ hits: ['a', 'b'], libraries: [] })
  },
)

test('is not written for a partial generation, and tables answer', async () => {
  using writer = await createGeneration(folder())
  await writer.appendPages([pageRow('a', 'lamp')])
  await writer.appendChunks([chunkRow('a', 'lamp')], null)
  await writer.finish({ isPartial: true })
  const path = join(folder(), 'generations', writer.id)
  expect(existsSync(join(path, searchFileName))).toBe(false)
  const tables = openUnpublished(folder(), generationNamed(writer.id), kernels)
  const manifest = readManifest(path)
  expect(preferSearchFile(tables, { path, manifest, kernels })).toBe(tables)
  expect((await tables.fullText(['lamp'], 9)).map(({ url }) => url)).toEqual(['a'])
  tables[Symbol.dispose]()
})

test('is not written for more than 20,000 pages', async () => {
  const table = { countRows: async () => 20_001 } as unknown as Table
  await writeSearchFile(temp().path, { pages: table, chunks: table })
  expect(existsSync(join(temp().path, searchFileName))).toBe(false)
})

test('is not written if the chunks of a page are not adjacent, and tables answer', async () => {
  using writer = await createGeneration(folder())
  await writer.appendPages([pageRow('a', 'one three'), pageRow('b', 'two')])
  await writer.appendChunks(
    [chunkRow('a', 'one'), chunkRow('b', 'two'), chunkRow('a', 'three')],
    null,
  )
  await writer.finish()
  expect(existsSync(join(folder(), 'generations', writer.id, searchFileName))).toBe(false)
  await publish(folder(), 'lib', generationNamed(writer.id, { pages: 2, chunks: 3 }))
  const [open] = await openLive(folder())
  expect((await open!.fullText(['three'], 9)).map(({ url }) => url)).toEqual(['a'])
  open![Symbol.dispose]()
})

test('reports a changed byte, and counts a file in an unknown format as missing', async () => {
  const { id } = await writeGeneration(folder(), { a: 'one' }, { library: 'lib' })
  const generation = join(folder(), 'generations', id)
  const path = join(generation, searchFileName)
  const bytes = readFileSync(path)
  const other = Buffer.from(bytes.toString('latin1').replace('"format":1', '"format":9'), 'latin1')
  writeFileSync(path, other)
  expect(await openSearchFile(generation, kernels, () => {})).toBeNull()
  const [open] = await openLive(folder())
  await expect(open!.fullText(['one'], 1)).rejects.toThrow('search.bin has changed since')
  open![Symbol.dispose]()
})
