/** The folder of a path; '' for a file at the top. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

/**
 * The path that `written` means in a folder, without `.` and `..`; null if it leaves the top or is
 * empty.
 */
export function pathIn(folder: string, written: string): string | null {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of written.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return parts.length === 0 ? null : parts.join('/')
}

/** Like `pathIn`, but '' for the top itself: for folders that a configuration names. */
export function folderIn(folder: string, written: string): string | null {
  return pathIn(folder, `${written}/_`)?.replace(/\/?_$/, '') ?? null
}

/** Whether a path lies in a folder; '' holds all paths. */
export function isIn(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`)
}

/** The root of a site whose configuration has one of these file names; null for other paths. */
export function rootByName(path: string, names: readonly string[]): string | null {
  return names.includes(path.slice(path.lastIndexOf('/') + 1)) ? folderOf(path) : null
}

/** A path as a glob that matches this path alone. */
export function literalGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, '\\$&')
}

/** Globs of a configuration, which are relative to a folder, from the top of the source. */
export function globsIn(folder: string, globs: readonly string[]): string[] {
  const start = folder === '' ? '' : `${literalGlob(folder)}/`
  return globs.map(
    (glob) =>
      start +
      glob
        .trim()
        .replace(/^!+|^\.?\/+/g, '')
        .replace(/\/+$/, ''),
  )
}
