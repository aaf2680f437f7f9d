import type { PageHead } from '../store/pages/page-table.ts'
import type { VersionQuery } from '../version/pick.ts'
import type { OpenEntries } from './entries.ts'
import type { LibraryContext } from './library-context.ts'
import type { PageChunk } from './page.ts'
import type { Evaluation, EvaluateRequest } from './quality/evaluate.ts'
import type { LibraryHealth } from './quality/health.ts'
import type { SearchRequest, FullPage } from './library.ts'
import type { SearchAnswer } from './search/search.ts'
import { readEntries } from '../store/registry.ts'
import { unknownLibraryError } from '../version/unknown-version.ts'

export type Reader = {
  search(request: SearchRequest): Promise<SearchAnswer>
  evaluate(request: EvaluateRequest): Promise<Evaluation>
  health(request: VersionQuery & { signal?: AbortSignal }): AsyncGenerator<LibraryHealth>
  page(request: VersionQuery & { url: string }): Promise<FullPage | null>
  pagesNear(request: VersionQuery & { url: string }): Promise<string[]>
  chunks(request: VersionQuery & { url: string }): Promise<PageChunk[]>
  pages(request: {
    library: string
    version: string | null
  }): Promise<ReadonlyMap<string, PageHead>>
}

type Readable = { context: LibraryContext; entries: OpenEntries }

/** `ready` opens the store on the first call. Each operation loads its own modules. */
export function openReader(ready: () => Promise<Readable>): Reader {
  return {
    async search(request) {
      const [{ searchLibraries }, { context, entries }] = await Promise.all([
        import('./search/search.ts'),
        ready(),
      ])
      return searchLibraries(context, entries, request)
    },
    async evaluate(request) {
      const { evaluateLibrary } = await import('./quality/evaluate.ts')
      const { context, entries } = await ready()
      return evaluateLibrary(context, entries, request)
    },
    async *health(request) {
      const { healthOfLibraries } = await import('./quality/health.ts')
      const { context, entries } = await ready()
      yield* healthOfLibraries(context, entries, request)
    },
    async page(request) {
      const { findFullPage } = await import('./page.ts')
      const { isAvailable } = await import('./search/availability.ts')
      const { context, entries } = await ready()
      return findFullPage(entries, request, (entry) => isAvailable(context.folder, entry))
    },
    pagesNear: async (request) =>
      (await import('./page.ts')).similarAddresses((await ready()).entries, request),
    chunks: async (request) =>
      (await import('./page.ts')).pageChunks((await ready()).entries, request),
    pages: async (request) =>
      (await import('./page.ts')).libraryPages((await ready()).entries, request),
  }
}

type IsSeen = (library: string) => boolean

export function visibleEntries(entries: OpenEntries, canSee: IsSeen): OpenEntries {
  return Object.assign(
    (pick: Parameters<OpenEntries>[0]) =>
      entries((all) => pick(all.filter(({ library }) => canSee(library)))),
    { [Symbol.dispose]() {} },
  )
}

export function visibleOnly(canSee: IsSeen) {
  return {
    among: <T extends { library: string }>(all: readonly T[]): T[] =>
      all.filter(({ library }) => canSee(library)),
    /**
     * Returns the request if the caller may see its library.
     * @throws OgError as for a library that is not indexed; the message names only visible
     * libraries
     */
    async check<T extends { library: string }>(folder: string, request: T): Promise<T> {
      if (canSee(request.library)) return request
      const entries = await readEntries(folder)
      throw unknownLibraryError(
        entries.filter(({ library }) => canSee(library)),
        request.library,
      )
    },
  }
}
