import { listingOf } from '../../../src/source/folders.ts'

/** Reads files that are only in memory, folders, and listings such as `src/*.jl`. */
export function fileReader(
  files: Readonly<Record<string, string>>,
): (path: string) => Promise<string | null> {
  return async (path) => {
    const isFolder = path.endsWith('/') && Object.keys(files).some((it) => it.startsWith(path))
    const listing = listingOf(path, Object.keys(files))
    if (listing !== undefined) return listing
    return isFolder ? '' : (files[path] ?? null)
  }
}
