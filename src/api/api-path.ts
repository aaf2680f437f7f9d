/**
 * Returns the path of an API reference page. It consists of the source file and the line of the
 * declaration, and no guide has such a path. `nth` distinguishes pages for the same line.
 */
export function apiPagePath(path: string, line: number, nth = 0): string {
  return `${path}#L${line}${nth === 0 ? '' : `C${nth}`}`
}

/** True for the path of an API reference page. `path` is relative to the source. */
export function isApiPagePath(path: string): boolean {
  // A query checks several thousand paths, and `includes` is faster than a regular expression.
  return path.includes('#') && /#L\d+(C\d+)?$/.test(path)
}

/**
 * A library with at least this many guides ranks them as if it had no API reference. Tuned with
 * questions about seven packages, and checked on vite and fastapi (docs/internals/search.md).
 */
const enoughGuides = 80

/**
 * Returns the weight of guides compared to the API reference: 1 for a library with enough guides,
 * near 0 for one with only a README.
 */
export function guideShare(nGuides: number): number {
  return Math.min(1, nGuides / enoughGuides)
}

/**
 * Returns 1 for each guide and 0 for each page of the API reference. Returns null if all pages are
 * of one kind, or if there are too few guides. Pages with equal URLs should be adjacent.
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
