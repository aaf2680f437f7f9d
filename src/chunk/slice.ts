import type { Range } from './range.ts'
import { isSpace, trimRange } from './range.ts'

/** Sizes of slices in characters, without the whitespace at their ends. */
type SliceSizes = {
  /** The target size. */
  size: number
  /** The maximum size, used only to keep a line or a sentence whole. */
  most: number
}

/**
 * Cuts a range without inner blocks into slices: after lines, otherwise sentences, otherwise words,
 * otherwise code points. Takes linear time, because a page may be one line of megabytes.
 */
export function slices(text: string, range: Range, sizes: SliceSizes): Range[] {
  const content = trimRange(text, range)
  const pieces: Range[] = []
  let start = range.start
  let at = content.start
  while (content.end - at > sizes.size) {
    const end = afterSpace(text, border(text, { start: at, end: content.end }, sizes))
    if (end >= content.end) break
    pieces.push({ start, end })
    start = end
    at = trimRange(text, { start: end, end: content.end }).start
  }
  pieces.push({ start, end: range.end })
  return pieces
}

/**
 * Returns the best offset to cut a range that is longer than `size`; its end, if that is within
 * `most`.
 */
function border(text: string, { start, end }: Range, { size, most }: SliceSizes): number {
  const reach = Math.min(end, start + most)
  const line = nearest(text, { start, end: reach }, { size, ending: /\n/g })
  if (line !== undefined) return line
  if (reach === end) return end
  const sentence = nearest(text, { start, end: reach }, { size, ending: /[。！？]|[.!?]\s/g })
  const word = () => nearest(text, { start, end: start + size }, { size, ending: /\s/g })
  return sentence ?? word() ?? codePointBorder(text, start, size)
}

/**
 * Returns the offset after the last `ending` within `size` of the start; otherwise after the first
 * one beyond it.
 */
function nearest(
  text: string,
  range: Range,
  { size, ending }: { size: number; ending: RegExp },
): number | undefined {
  let end: number | undefined
  for (const match of text.slice(range.start, range.end).matchAll(ending)) {
    const next = range.start + match.index + match[0].length
    if (end !== undefined && next > range.start + size) return end
    end = next
    if (next > range.start + size) return end
  }
  return end
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

/** Moves a border after the whitespace around it, but keeps the indentation of the next line. */
function afterSpace(text: string, border: number): number {
  let end = border
  while (end < text.length && isSpace(text.charCodeAt(end))) end++
  for (let at = end; at > 0 && isSpace(text.charCodeAt(at - 1)); at--) {
    if (text.charCodeAt(at - 1) === 10) return at
  }
  return end
}
