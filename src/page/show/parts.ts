/** A part starts at a heading after this many characters, or at a block after twice as many. */
const partChars = 6_000

/**
 * Divides the output of `safeHtml`, which arrives in pieces, into parts. Each part after the first
 * is a `div` with class `part`. Browsers can delay its layout until it is near the viewport. `end`
 * closes the last `div`.
 */
export function openHtmlParts(): { add(safe: string): string; end(): string } {
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

/** The depth of open elements, the length of the current part, and whether it has a `div`. */
type Place = { depth: number; chars: number; isPart: boolean }

/** Returns the offsets of parts. In the output of `safeHtml`, every `<` starts a tag. */
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
