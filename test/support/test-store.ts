import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddingCache, type EmbeddingCache } from '../../src/embed/cache.ts'
import { addLibrary } from '../../src/library/add/add.ts'
import { openEntryCache, type OpenEntries } from '../../src/library/entries.ts'
import type { AddRequest, AddResult, Hit, SearchRequest } from '../../src/library/library.ts'
import type { LibraryContext } from '../../src/library/library-context.ts'
import { isBuiltTheSame } from '../../src/library/recipe.ts'
import { searchLibraries } from '../../src/library/search/search.ts'
import { countWords } from './count-words.ts'
import { hashEmbedder, type HashEmbedder } from './hash-embedder.ts'
import { kernels } from './store.ts'

export type TestStore = Disposable & {
  folder: string
  opened: LibraryContext
  entries: OpenEntries
  /** Adds a folder, or another source, as a library. */
  add(library: string, from: string, request?: Partial<AddRequest>): Promise<AddResult>
  search(query: string, request?: Partial<SearchRequest>): Promise<Hit[]>
}

/** Opens a store as open.ts would, but with an embedder that needs no model. */
export function openTestStore(
  folder: string,
  options: { embedder?: HashEmbedder | null; chunkChars?: number; others?: HashEmbedder[] } = {},
): TestStore {
  const { embedder = hashEmbedder() } = options
  const chunking = { chunkChars: options.chunkChars, overlapChars: undefined }
  let cache: EmbeddingCache | null = null
  const openCache = () => {
    mkdirSync(folder, { recursive: true })
    return (cache ??= openEmbeddingCache(join(folder, 'embeddings.sqlite'), embedder!))
  }
  const entries = openEntryCache(folder, kernels)
  const opened: LibraryContext = {
    folder,
    kernels,
    chunking,
    fingerprint: embedder?.fingerprint ?? null,
    embedder: async () => embedder,
    ownEmbedder: async (fingerprint) =>
      options.others?.find((it) => Bun.deepEquals(it.fingerprint, fingerprint)) ?? null,
    embedding: async () => (embedder === null ? null : { embedder, cache: openCache() }),
    countTokens: async () => countWords,
    isEnglishWord: async () => false,
    isMadeBySettings: (generation) => isBuiltTheSame(generation, chunking, embedder),
  }
  return {
    folder,
    opened,
    entries,
    add: (library, path, request = {}) =>
      addLibrary(opened, {
        library,
        version: '1',
        source: { kind: 'local_path', path, baseUrl: 'doc:/' },
        lockTimeoutMs: 120_000,
        ...request,
      }),
    async search(query, request = {}) {
      const wanted = { library: null, version: null, limit: 5, ...request }
      return (await searchLibraries(opened, entries, { query, ...wanted })).hits
    },
    [Symbol.dispose]() {
      entries[Symbol.dispose]()
      cache?.[Symbol.dispose]()
    },
  }
}
