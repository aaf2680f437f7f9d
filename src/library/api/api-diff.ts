import { compareSymbols, type ApiChange } from '../../api/compare.ts'
import { readEntries } from '../../store/registry.ts'
import { entriesToCompare, type DiffRequest } from '../diff.ts'
import { openEntryCache } from '../entries.ts'
import type { LibraryVersion } from '../library.ts'
import { libraryVersion } from '../list.ts'
import type { LibraryContext } from '../library-context.ts'
import { listSymbols, noApiError } from './api-symbols.ts'

export type ApiDiff = { from: LibraryVersion; to: LibraryVersion; changes: ApiChange[] }

/**
 * Returns the public names that were added, removed, renamed, changed or deprecated between two
 * library versions, or since the previous state of one version.
 * @throws OgError if a version is not indexed or has no API reference
 */
export async function diffApi(context: LibraryContext, request: DiffRequest): Promise<ApiDiff> {
  const [from, to] = entriesToCompare(await readEntries(context.folder), request)
  using older = openEntryCache(context.folder, context.kernels)
  using newer = openEntryCache(context.folder, context.kernels)
  using before = await older(() => [from])
  using after = await newer(() => [to])
  const [old, now] = [await listSymbols(before[0]!.open), await listSymbols(after[0]!.open)]
  for (const [symbols, { library, version }] of [
    [old, from],
    [now, to],
  ] as const) {
    if (symbols.length === 0) throw noApiError(library, version)
  }
  const typed = request.text.toLowerCase()
  const changes = compareSymbols(old, now).filter(({ name, to: other, before, after }) =>
    [name, other, before, after].some((text) => text?.toLowerCase().includes(typed)),
  )
  return { from: libraryVersion(from), to: libraryVersion(to), changes }
}
