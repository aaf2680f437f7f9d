/**
 * The path of an API reference page: the source file and the line of the declaration. No other page
 * has such a path. `nth` counts the pages on the same line.
 */
export function apiPagePath(path: string, line: number, nth = 0): string {
  return `${path}#L${line}${nth === 0 ? '' : `C${nth}`}`
}

/** Whether a page belongs to the API reference, by its path inside the source. */
export function isApiPagePath(path: string): boolean {
  return /#L\d+(C\d+)?$/.test(path)
}
