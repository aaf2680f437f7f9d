/**
 * Returns the path of an API reference page: the source file and the line of the declaration. No
 * other page has such a path. `nth` counts the pages on the same line.
 */
export function apiPagePath(path: string, line: number, nth = 0): string {
  return `${path}#L${line}${nth === 0 ? '' : `C${nth}`}`
}

/** True if a page belongs to the API reference, by its path inside the source. */
export function isApiPagePath(path: string): boolean {
  // A query compares several thousand paths, and looking for a character is fast.
  return path.includes('#') && /#L\d+(C\d+)?$/.test(path)
}

/**
 * With at least this many guides, they rank as if there were no API reference. Chosen with
 * questions about seven packages, and checked on vite and fastapi (docs/internals/search.md).
 */
const enoughGuides = 80

/**
 * Returns how much guides set the scale for the API reference: 1 if a library has enough of them,
 * near 0 if it has only a README.
 */
export function guideShare(nGuides: number): number {
  return Math.min(1, nGuides / enoughGuides)
}

/**
 * Returns 1 for each page that is a guide and 0 for pages of the API reference; null if all pages
 * are of one kind, or if too few are guides. Pages with equal URLs should be adjacent.
 */
export function markGuides(urls: readonly string[]): Uint8Array | null {
  let nPages = 0
  let nGuides = 0
  let last: string | null = null
  let isGuide = false
  const marks = Uint8Array.from(urls, (url) => {
    if (url !== last) {
      isGuide = !isApiPagePath(url)
      nPages += Number(isGuide)
    }
    last = url
    nGuides += Number(isGuide)
    return Number(isGuide)
  })
  return guideShare(nPages) < 0.5 || nGuides === urls.length ? null : marks
}
