import { readEntries } from '../../store/registry.ts'
import { unknownLibrary } from '../../version/unknown.ts'
import type { OpenEntries } from '../entries.ts'

type IsSeen = (library: string) => boolean

/** The entries as if there were no others than those that are seen. */
export function seenEntries(entries: OpenEntries, canSee: IsSeen): OpenEntries {
  return Object.assign(
    (pick: Parameters<OpenEntries>[0]) =>
      entries((all) => pick(all.filter(({ library }) => canSee(library)))),
    { [Symbol.dispose]() {} },
  )
}

/** The functions of a view that shows only the libraries which are seen. */
export function seenOnly(canSee: IsSeen) {
  return {
    among: <T extends { library: string }>(all: readonly T[]): T[] =>
      all.filter(({ library }) => canSee(library)),
    /**
     * The request, where its library is seen.
     * @throws OgError as for a library that is not there, which names only what is seen
     */
    async check<T extends { library: string }>(folder: string, request: T): Promise<T> {
      if (canSee(request.library)) return request
      const entries = await readEntries(folder)
      throw unknownLibrary(
        entries.filter(({ library }) => canSee(library)),
        request.library,
      )
    },
  }
}
