/** Reads files that are only in memory, and folders, which have paths that end with `/`. */
export function fileReader(
  files: Readonly<Record<string, string>>,
): (path: string) => Promise<string | null> {
  return async (path) => {
    const isFolder = path.endsWith('/') && Object.keys(files).some((it) => it.startsWith(path))
    return isFolder ? '' : (files[path] ?? null)
  }
}
