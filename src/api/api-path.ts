/**
 * The path of an API reference page: the source file and the line of the declaration. No other page
 * has such a path. `nth` counts the pages on the same line.
 */
export function apiPagePath(path: string, line: number, nth = 0): string {
  return `${path}#L${line}${nth === 0 ? '' : `C${nth}`}`
}

/** Whether a page belongs to the API reference, by its path inside the source. */
export function isApiPagePath(path: string): boolean {
  // Several thousand paths are compared for a query, and looking for a character is fast.
  return path.includes('#') && /#L\d+(C\d+)?$/.test(path)
}

/**
 * Returns 1 for each page that is a guide and 0 for pages of the API reference; null if all pages
 * are of one kind. Pages with equal URLs should be side by side.
 */
export function markGuides(urls: readonly string[]): Uint8Array | null {
  let nGuides = 0
  let last: string | null = null
  let isGuide = false
  const marks = Uint8Array.from(urls, (url) => {
    if (url !== last) isGuide = !isApiPagePath(url)
    last = url
    nGuides += Number(isGuide)
    return Number(isGuide)
  })
  return nGuides === 0 || nGuides === urls.length ? null : marks
}
