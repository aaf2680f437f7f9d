/** Returns the parent folder; '' for a file in the top folder. */
export function parentFolder(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

/** Resolves a path in a folder. Returns null if it is empty or leaves the top folder. */
export function resolveInFolder(folder: string, path: string): string | null {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return parts.length === 0 ? null : parts.join('/')
}

/** Like `resolveInFolder`, but returns '' for the top folder. */
export function resolveSubfolder(folder: string, path: string): string | null {
  return resolveInFolder(folder, `${path}/_`)?.replace(/\/?_$/, '') ?? null
}

/** Removes numbers that sort files: `01-app/02-guides/a.md` → `app/guides/a.md`. */
export function withoutOrderNumbers(path: string): string {
  return path.replace(/(^|\/)\d{1,3}[-_.](?=[^\d/])/g, '$1')
}

/** True if a path is in a folder. Every path is in ''. */
export function isInFolder(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`)
}

/** Returns the site's root if a path is one of these configuration files, or null. */
export function rootForFileName(path: string, names: readonly string[]): string | null {
  return names.includes(path.slice(path.lastIndexOf('/') + 1)) ? parentFolder(path) : null
}

/** Returns a glob that matches only this path. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, '\\$&')
}

/** Makes folder-relative globs relative to the top folder. */
export function resolveGlobs(folder: string, globs: readonly string[]): string[] {
  const start = folder === '' ? '' : `${escapeGlob(folder)}/`
  return globs.map(
    (glob) =>
      start +
      glob
        .trim()
        .replace(/^!+|^\.?\/+/g, '')
        .replace(/\/+$/, ''),
  )
}

/** Returns the number of common leading path segments. */
export function sharedFolders(a: string, b: string): number {
  const [one, other] = [a.split('/'), b.split('/')]
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
