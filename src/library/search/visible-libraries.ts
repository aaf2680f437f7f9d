import { readEntries } from '../../store/registry.ts'
import { unknownLibraryError } from '../../version/unknown-version.ts'
import type { OpenEntries } from '../entries.ts'

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
