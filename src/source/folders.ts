/** The folders that contain the files, each with a trailing `/`. */
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
