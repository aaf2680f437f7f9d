/** A part begins at the first heading behind so many characters, or block behind twice as many. */
const partChars = 6_000

/**
 * Puts markup that `safeHtml` wrote, and that is given piece by piece, into parts: what is behind
 * the first one stands in `div`s of class `part`, each of which a browser can leave aside until it
 * comes near the window. `end` closes the last one.
 */
export function openParts(): { add(safe: string): string; end(): string } {
  const place: Place = { depth: 0, chars: 0, isPart: false }
  return {
    add(safe) {
      const starts = partStarts(safe, place)
      const pieces = [0, ...starts].map((start, i) => safe.slice(start, starts[i] ?? safe.length))
      return pieces.reduce((text, piece) => {
        const begun = `${text}${place.isPart ? '</div>' : ''}<div class="part">${piece}`
        place.isPart = true
        return begun
      })
    },
    end: () => (place.isPart ? '</div>' : ''),
  }
}

/** How deep the markup so far ends, and how long the part is that is open; the first has no div. */
type Place = { depth: number; chars: number; isPart: boolean }

/** `safeHtml` closes what it opens, and in what it writes `<` begins nothing but a tag. */
function partStarts(safe: string, place: Place): number[] {
  const starts: number[] = []
  let from = -place.chars
  for (const { index, 1: slash, 2: name } of safe.matchAll(/<(\/?)([a-z][a-z\d]*)/g)) {
    if (slash === '/') {
      place.depth--
      continue
    }
    const least = /^h[1-6]$/.test(name!) ? partChars : blocks.has(name!) ? 2 * partChars : Infinity
    if (place.depth === 0 && index - from >= least) {
      starts.push(index)
      from = index
    }
    if (name !== 'br' && name !== 'hr') place.depth++
  }
  place.chars = safe.length - from
  return starts
}

const blocks = new Set(['p', 'pre', 'ul', 'ol', 'dl', 'table', 'blockquote', 'details', 'div'])
