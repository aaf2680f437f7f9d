import type { Range } from './range.ts'
import { isSpace } from './range.ts'

/** A page's lines by offset. Line numbers start at 0. */
export type Lines = {
  text: string
  count: number
  /** Offset of each line's first character. The additional last entry is the text's length. */
  starts: number[]
  /** Indentation of each line in columns, with tab stops of 4; -1 for a blank line. */
  indents: number[]
}

export function indexLines(text: string): Lines {
  const starts: number[] = []
  const indents: number[] = []
  let at = 0
  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline + 1
    starts.push(at)
    indents.push(indent(text, { start: at, end }))
    at = end
  }
  starts.push(text.length)
  return { text, count: indents.length, starts, indents }
}

export function lineAt(lines: Lines, offset: number): number {
  let low = 0
  let high = lines.count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (lines.starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the first line that starts at or after an offset. */
export function firstLineFrom(lines: Lines, offset: number): number {
  if (offset >= lines.text.length) return lines.count
  const line = lineAt(lines, offset)
  return lines.starts[line] === offset ? line : line + 1
}

/**
 * Returns the start of a line without its indentation, which determines the kind of a block.
 * Truncates it because a page may be a single line of several megabytes.
 */
export function trimmedLineStart(lines: Lines, line: number): string {
  const start = lines.starts[line]!
  const end = Math.min(lines.starts[line + 1]!, start + 400)
  return lines.text.slice(start, end).trim()
}

function indent(text: string, line: Range): number {
  let columns = 0
  for (let at = line.start; at < line.end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 32) columns++
    else if (unit === 9) columns += 4 - (columns % 4)
    else if (!isSpace(unit)) return columns
  }
  return -1
}
