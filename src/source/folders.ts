/**
 * The listing that a path such as `src/*.jl` means: all files with that extension in the folder and
 * below it, one per line; null if there are none. Undefined if the path does not mean a listing.
 */
export function listingOf(path: string, files: Iterable<string>): string | null | undefined {
  const [, folder, extension] = /^(.*\/|)\*(\.\w+)$/.exec(path) ?? []
  if (folder === undefined || extension === undefined) return undefined
  const listed: string[] = []
  for (const file of files) {
    if (file.startsWith(folder) && file.endsWith(extension)) listed.push(file)
  }
  return listed.length === 0 ? null : listed.sort().join('\n')
}

export function foldersOf(files: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const file of files) {
    let end = file.lastIndexOf('/')
    while (end > 0 && !folders.has(file.slice(0, end + 1))) {
      folders.add(file.slice(0, end + 1))
      end = file.lastIndexOf('/', end - 1)
    }
  }
  return folders
}
