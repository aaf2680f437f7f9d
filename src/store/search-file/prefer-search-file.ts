import type { Kernels } from '../../platform/kernels/kernels.ts'
import { once } from '../../platform/concurrency.ts'
import type { VectorSearch } from '../chunks/vector-index.ts'
import { checkTableFiles, readOptionalFile } from '../file-checks.ts'
import type { Manifest } from '../integrity/manifest.ts'
import { limitToPages, type OpenGeneration } from '../open-generation.ts'
import type { TableName } from '../remote/open-tables.ts'
import {
  searchFileName,
  decodeSearchFile,
  unpackBlock,
  type SearchContent,
  type StoredChunk,
  type StoredPage,
  type TableWrite,
} from './format.ts'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { markGuides } from '../../api/api-path.ts'
import { type ChunkHit, type FullTextLimits, fullTextInMemory } from '../chunks/chunk-search.ts'
import type { ChunkRow } from '../chunks/chunk-table.ts'
import {
  embeddingsInBlock,
  nearestInBlock,
  rowsInBlock,
  type VectorBlock,
  nearestOnPages,
} from '../chunks/vector-block.ts'
import { rowIndexOf } from '../chunks/row-urls.ts'
import { FileFault, checkBytes, type CheckBytes } from '../integrity/damage.ts'
import type { PageHead, PageRow, PageState } from '../pages/page-table.ts'
import { toPageHead } from '../pages/page-head.ts'
import { openPostings } from '../postings.ts'

/**
 * Returns a generation that answers searches from its search file and everything else from its
 * tables. Opening the file verifies all of its bytes, so its rows have no checksums. Returns
 * `tables` if the manifest lists no search file.
 */
export function preferSearchFile(
  tables: OpenGeneration,
  { path, manifest, kernels }: { path: string; manifest: Manifest; kernels: Kernels },
): OpenGeneration {
  const listed = manifest.files.find((file) => file.path === searchFileName)
  if (listed === undefined) return tables
  const open = once(() => openSearchFile(path, kernels, (bytes) => checkBytes(listed, bytes)))
  const openFor = (name: TableName) =>
    once(async () => {
      checkTableFiles(path, manifest, name)
      return open()
    })
  const openChunks = openFor('chunks')
  const ask = fileFirst(openChunks)
  const vectors = vectorsOf(tables, openChunks)
  const whole: OpenGeneration = {
    ...tables,
    fullText: ask((it, terms, limit) => it.fullText(terms, { limit }), tables.fullText),
    fullTextOfAll: ask(
      (it, terms, limit) => it.fullText(terms, { limit, isAll: true }),
      tables.fullTextOfAll,
    ),
    nearest: vectors.nearest,
    embeddings: ask((it, rowIds) => it.embeddings(rowIds), tables.embeddings),
    prepareSearch: () =>
      void openChunks().then(
        (it) => it ?? tables.prepareSearch(),
        () => {},
      ),
    within: (urls) => limitToPages(urls, { whole, vectors }),
    chunks: ask((it, rowIds) => it.chunks(rowIds), tables.chunks),
    ...readPages(tables, openFor('pages')),
  }
  return whole
}

type OpenFile = () => Promise<SearchFile | null>

function fileFirst(open: OpenFile) {
  return <A extends unknown[], T>(
    fromFile: (file: SearchFile, ...args: A) => T | Promise<T>,
    fromTables: (...args: A) => Promise<T>,
  ) =>
    async (...args: A): Promise<T> => {
      const file = await open()
      return file === null ? fromTables(...args) : fromFile(file, ...args)
    }
}

function readPages(
  tables: OpenGeneration,
  open: OpenFile,
): Pick<OpenGeneration, 'page' | 'pageHeads' | 'pageStates' | 'pageTexts' | 'pages'> {
  const ask = fileFirst(open)
  return {
    pageHeads: ask((it) => it.pageHeads(), tables.pageHeads),
    pageStates: ask((it) => it.pageStates(), tables.pageStates),
    page: ask((it, url) => it.page(url), tables.page),
    pageTexts: ask((it, urls) => {
      const pages = urls.flatMap((url) => it.page(url) ?? [])
      return new Map(pages.map((page) => [page.url, page]))
    }, tables.pageTexts),
    async *pages() {
      yield* (await open())?.pages() ?? tables.pages()
    },
  }
}

function vectorsOf(tables: OpenGeneration, open: OpenFile): Pick<VectorSearch, 'nearest'> {
  const { embedded } = tables.generation
  return {
    async nearest(embedding, limit, within) {
      const file = await open()
      if (file === null) {
        const from = within === undefined ? tables : tables.within(within.urls)
        return from.nearest(embedding, limit)
      }
      if (embedded === 0) return []
      const hits = await file.nearest(embedding, limit, within?.urls)
      return embedded === undefined ? hits : hits.filter(({ score }) => score !== 0)
    },
  }
}

/** Answers a search without LanceDB, with the same results as the tables. */
type SearchFile = {
  fullText(terms: readonly string[], limits: FullTextLimits): ChunkHit[]
  nearest(
    embedding: Float32Array,
    limit: number,
    urls?: ReadonlySet<string> | undefined,
  ): Promise<ChunkHit[]>
  embeddings(rowIds: bigint[]): Promise<Float32Array | null>
  chunks(rowIds: readonly bigint[]): ChunkRow[]
  pageHeads(): Promise<ReadonlyMap<string, PageHead>>
  pageStates(): Map<string, PageState>
  page(url: string): PageRow | null
  pages(): Iterable<PageRow[]>
}

/**
 * Opens the search file of the generation in `folder`, or returns null if it has none. `check`
 * throws if the bytes differ from those written.
 */
export async function openSearchFile(
  folder: string,
  kernels: Kernels,
  check: CheckBytes,
): Promise<SearchFile | null> {
  const bytes = await readOptionalFile(join(folder, searchFileName), check)
  const content = bytes && decodeSearchFile(bytes)
  if (content === null) return null
  const { pages, writes, dimensions } = content
  const rowIds = rowIdsOf(writes)
  const urls = urlsOf(content, rowIds.length)
  const bm25 = openPostings(content.postings, markGuides(urls))
  const vectors = once(async (): Promise<VectorBlock> => {
    const block = await readEmbeddings(join(folder, 'chunks.lance', 'data'), writes, dimensions)
    return { block, compressed: null, rowIds, urls }
  })
  const read = openPageReader(content)
  return {
    fullText: (terms, limits) => fullTextInMemory({ bm25, rowIds, urls }, terms, limits),
    async nearest(embedding, limit, only) {
      const query = { embedding, limit }
      return only === undefined
        ? nearestInBlock(kernels, await vectors(), query)
        : nearestOnPages(kernels, await vectors(), { ...query, urls: only })
    },
    async embeddings(ids) {
      if (dimensions === 0) return null
      const block = await vectors()
      return embeddingsInBlock(block, rowsInBlock(block, ids) ?? missingRow())
    },
    chunks: (ids) =>
      ids.map((id) => {
        const row = rowIndexOf(rowIds, id)
        return rowIds[row] === id ? read.chunkAt(urls[row]!, row) : missingRow()
      }),
    pageHeads: once(
      async () => new Map(pages.map((page) => [page.url, toPageHead(page, BigInt(page.rowId))])),
    ),
    pageStates: () => new Map(pages.map(({ url, hash, validator }) => [url, { hash, validator }])),
    page: read.page,
    *pages() {
      for (let from = 0; from < pages.length; from += pagesAtOnce) {
        const batch = pages.slice(from, from + pagesAtOnce)
        yield batch.map((page, i) => toPageRow(page, unpackBlock(content.texts, from + i)))
      }
    },
  }
}

const pagesAtOnce = 1_000

function toPageRow(
  { rowId: _id, first: _first, chunks: _chunks, ...row }: StoredPage,
  text: string,
): PageRow {
  return { ...row, text }
}

function missingRow(): never {
  throw new FileFault(`${searchFileName} lacks a row of the table`)
}

function rowIdsOf(writes: readonly TableWrite[]): BigUint64Array {
  const ids = writes.map(({ id, rows }) => {
    const first = BigInt(id) << 32n
    return Array.from({ length: rows }, (_, row) => first + BigInt(row))
  })
  return BigUint64Array.from(ids.flat())
}

function urlsOf({ pages }: SearchContent, nRows: number): string[] {
  const urls = Array<string>(nRows)
  for (const { url, first, chunks } of pages) urls.fill(url, first, first + chunks)
  return urls
}

async function readEmbeddings(
  folder: string,
  writes: readonly TableWrite[],
  dimensions: number,
): Promise<Float32Array> {
  const nRows = writes.reduce((sum, { rows }) => sum + rows, 0)
  const block = new Float32Array(nRows * dimensions)
  let row = 0
  for (const { rows, file, at } of writes) {
    const part = new Uint8Array(block.buffer, 4 * row * dimensions, 4 * rows * dimensions)
    row += rows
    if (file === null) continue
    await using handle = await open(join(folder, file))
    const { bytesRead } = await handle.read(part, 0, part.length, at)
    if (bytesRead < part.length) throw new FileFault(`${file} is too short`)
  }
  return block
}

/** Decompresses a page's text and chunks on first use and keeps them. */
function openPageReader(content: SearchContent) {
  const places = new Map(content.pages.map(({ url }, i) => [url, i]))
  const chunksByPage = new Map<number, ChunkRow[]>()
  const texts = new Map<number, string>()
  const textOf = (place: number): string =>
    texts.getOrInsertComputed(place, () => unpackBlock(content.texts, place))
  const chunksOf = (url: string): ChunkRow[] => {
    const place = places.get(url)
    if (place === undefined) return []
    return chunksByPage.getOrInsertComputed(place, () => readChunks(content, place, textOf(place)))
  }
  return {
    chunkAt: (url: string, row: number) =>
      chunksOf(url)[row - content.pages[places.get(url)!]!.first]!,
    page(url: string): PageRow | null {
      const place = places.get(url)
      return place === undefined ? null : toPageRow(content.pages[place]!, textOf(place))
    },
  }
}

function readChunks({ pages, chunks }: SearchContent, place: number, text: string): ChunkRow[] {
  const page = pages[place]!
  const all: StoredChunk[] = JSON.parse(unpackBlock(chunks, place))
  return all.map(([heading, index, start, end, startLine, endLine, title, content]) => ({
    url: page.url,
    title: title ?? page.title,
    heading,
    content: content ?? text.slice(start, end),
    chunk_index: index,
    start_offset: start,
    end_offset: end,
    start_line: startLine,
    end_line: endLine,
  })) as ChunkRow[]
}
