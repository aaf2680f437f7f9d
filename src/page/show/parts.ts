/** A part begins at the first heading behind so many characters, or block behind twice as many. */
const partChars = 6_000

/**
 * Markup that `safeHtml` wrote, in parts: what is behind the first one stands in `div`s of class
 * `part`, each of which a browser can leave aside until it comes near the window.
 */
export function inParts(safe: string): string {
  if (safe.length < 2 * partChars) return safe
  const starts = partStarts(safe)
  const parts = [0, ...starts].map((start, i) => safe.slice(start, starts[i] ?? safe.length))
  const [first = '', ...rest] = parts
  return first + rest.map((part) => `<div class="part">${part}</div>`).join('')
}

/** `safeHtml` closes what it opens, and in what it writes `<` begins nothing but a tag. */
function partStarts(safe: string): number[] {
  const starts: number[] = []
  let [depth, from] = [0, 0]
  for (const { index, 1: slash, 2: name } of safe.matchAll(/<(\/?)([a-z][a-z\d]*)/g)) {
    if (slash === '/') {
      depth--
      continue
    }
    const least = /^h[1-6]$/.test(name!) ? partChars : blocks.has(name!) ? 2 * partChars : Infinity
    if (depth === 0 && index - from >= least) {
      starts.push(index)
      from = index
    }
    if (name !== 'br' && name !== 'hr') depth++
  }
  return starts
}

const blocks = new Set(['p', 'pre', 'ul', 'ol', 'dl', 'table', 'blockquote', 'details', 'div'])
