import type { Range } from './line.ts'
import { isSpace, trimmed } from './line.ts'

/**
 * Cuts a range with no inner blocks into pieces of at most `size` characters, whitespace at their
 * ends not counted: after a line, else a sentence, else a word, else a code point. Linear in the
 * length of the range, for a page may be one line of megabytes.
 */
export function slices(text: string, range: Range, size: number): Range[] {
  const content = trimmed(text, range)
  const pieces: Range[] = []
  let start = range.start
  let at = content.start
  while (content.end - at > size) {
    const end = afterSpace(text, border(text, at, size))
    if (end >= content.end) break
    pieces.push({ start, end })
    start = end
    at = trimmed(text, { start: end, end: content.end }).start
  }
  pieces.push({ start, end: range.end })
  return pieces
}

/** The best place to cut in (at, at + size]. */
function border(text: string, at: number, size: number): number {
  let word = -1
  let sentence = -1
  for (let end = at + size; end > at; end--) {
    const unit = text.charCodeAt(end - 1)
    if (unit === 10) return end
    if (sentence < 0 && end > at + size / 2 && endsSentence(text, end)) sentence = end
    if (word < 0 && isSpace(unit)) word = end
  }
  if (sentence > 0) return sentence
  return word > 0 ? word : codePointBorder(text, at, size)
}

function endsSentence(text: string, end: number): boolean {
  const unit = text[end - 1]!
  if ('。！？'.includes(unit)) return true
  return isSpace(unit.charCodeAt(0)) && end > 1 && '.!?'.includes(text[end - 2]!)
}

function codePointBorder(text: string, at: number, size: number): number {
  const end = at + size
  if (!splitsPair(text, end)) return end
  return end - 1 > at ? end - 1 : end + 1
}

function splitsPair(text: string, end: number): boolean {
  const high = text.charCodeAt(end - 1)
  const low = text.charCodeAt(end)
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000
}

/** Moves a border behind the whitespace around it, but leaves the next line its indentation. */
function afterSpace(text: string, border: number): number {
  let end = border
  while (end < text.length && isSpace(text.charCodeAt(end))) end++
  for (let at = end; at > 0 && isSpace(text.charCodeAt(at - 1)); at--) {
    if (text.charCodeAt(at - 1) === 10) return at
  }
  return end
}
