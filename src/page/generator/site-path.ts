/** The folder of a path; '' for a file at the top. */
export function parentFolder(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

/**
 * The path that `written` means in a folder, without `.` and `..`; null if it leaves the top or is
 * empty.
 */
export function resolveInFolder(folder: string, written: string): string | null {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of written.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return parts.length === 0 ? null : parts.join('/')
}

/** Like `resolveInFolder`, but '' for the top itself: for folders that a configuration names. */
export function resolveSubfolder(folder: string, written: string): string | null {
  return resolveInFolder(folder, `${written}/_`)?.replace(/\/?_$/, '') ?? null
}

/** Whether a path lies in a folder; '' holds all paths. */
export function isInFolder(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`)
}

/** The root of a site whose configuration has one of these file names; null for other paths. */
export function rootForFileName(path: string, names: readonly string[]): string | null {
  return names.includes(path.slice(path.lastIndexOf('/') + 1)) ? parentFolder(path) : null
}

/** A path as a glob that matches this path alone. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, '\\$&')
}

/** Globs of a configuration, which are relative to a folder, from the top of the source. */
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
