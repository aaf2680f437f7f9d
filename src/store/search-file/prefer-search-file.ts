import type { Kernels } from '../../platform/kernels/kernels.ts'
import { once } from '../../platform/once.ts'
import type { VectorSearch } from '../chunks/vectors.ts'
import { checkBytes, checkTableFiles } from '../integrity/file-checks.ts'
import type { Manifest } from '../integrity/manifest.ts'
import { limitToPages } from '../nearest-on-pages.ts'
import type { OpenGeneration } from '../reading.ts'
import type { TableName } from '../remote/open-tables.ts'
import { searchFileName } from './format.ts'
import { openSearchFile, type SearchFile } from './search-file.ts'

/**
 * Returns a generation that answers searches from its search file, and everything else from its
 * tables. All bytes of the file are verified when it is opened, so its rows need no checksums of
 * their own. Returns `tables` if the manifest lists no search file.
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
