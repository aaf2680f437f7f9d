import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { searchLibraries } from '../../../src/library/search/search.ts'
import { readEntries, type Generation } from '../../../src/store/registry.ts'
import { hashEmbedder, type HashEmbedder } from '../hash-embedder.ts'
import { writeFiles } from '../repository.ts'
import { openTestStore, type TestStore } from '../test-store.ts'

/** Numbers of pages, of sections per page, and of chunks. Each section is a chunk. */
export const birds = { pages: 48, sections: 13, chunks: 48 * 13 }
/**
 * Numbers of chunks that six and nine calls embed. Each call embeds sixteen texts, and the first
 * three calls embed the first chunks of the pages.
 */
export const embeddedBy = { six: birds.pages + 3 * 16, nine: birds.pages + 6 * 16 }

/** Number of embedded chunks in each live generation; undefined means all of them. */
export type SeenLive = (number | undefined)[]

export type BirdStore = AsyncDisposable & {
  /** The folder of the store. */
  folder: string
  docs: string
  write(bird: string): void
  openWith(embedder: HashEmbedder): TestStore
  /**
   * Returns an embedder that records the live generation at each call, and may fail at one of the
   * calls.
   */
  watched(seen: SeenLive, failsAt?: number): HashEmbedder
  /** Adds the pages with an embedder that fails after this many calls. */
  stopAfter(calls: number): Promise<void>
  live(): Promise<Generation>
}

/**
 * A store for a library about birds, which is large enough to be published before it is embedded.
 */
export async function openBirds(): Promise<BirdStore> {
  const temp = await createTempFolder('og-birds')
  const folder = join(temp.path, 'store')
  const docs = join(temp.path, 'docs')
  const openWith = (embedder: HashEmbedder) => openTestStore(folder, { embedder, chunkChars: 120 })
  const watched = (seen: SeenLive, failsAt = Infinity) => {
    const inner = hashEmbedder()
    let calls = 0
    return {
      ...inner,
      async embed(texts: string[]) {
        if (++calls > failsAt) throw new Error('no more')
        const [entry] = await readEntries(folder)
        const embedded = entry?.live.embedded
        if (entry !== undefined && seen.at(-1) !== embedded) seen.push(embedded)
        return inner.embed(texts)
      },
    }
  }
  const write = (bird: string) => writeFiles(docs, Object.fromEntries(pagesAbout(bird)))
  write('heron')
  return {
    folder,
    docs,
    write,
    openWith,
    watched,
    async stopAfter(calls) {
      using store = openWith(watched([], calls))
      const error = await store.add('zoo', docs).catch((error: Error) => error)
      if (!(error instanceof Error) || error.message !== 'no more') throw error
    },
    live: async () => (await readEntries(folder))[0]!.live,
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
}

function pagesAbout(bird: string): [string, string][] {
  return Array.from({ length: birds.pages }, (_, page) => {
    const sections = Array.from(
      { length: birds.sections },
      (_, at) =>
        `## Part ${page}x${at}\n\nThe ${bird} ${page}x${at} ${`stands${at} `.repeat(8)}.\n`,
    )
    return [`p${page}.md`, sections.join('\n')]
  })
}

export function askBirds(
  store: TestStore,
  query: string,
  mode: 'full-text' | 'vector' | 'hybrid' = 'hybrid',
) {
  const wanted = { query, library: null, version: null, limit: 100, mode }
  return searchLibraries(store.opened, store.entries, wanted)
}
