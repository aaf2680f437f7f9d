import { lineAt } from '../../chunk/line.ts'
import { trimRange } from '../../chunk/range.ts'
import type { Excerpt, Frame } from './excerpt-range.ts'
import type { Outline } from './outline.ts'

/** Returns the text of an excerpt; gaps between its parts are marked `[…]`. */
export function excerptText({ text }: Outline, { ranges, frame }: Excerpt): string {
  const parts: Frame[] = [...ranges, ...frame].sort((a, b) => a.start - b.start || a.end - b.end)
  let shown = ''
  parts.forEach((part, i) => {
    const before = parts[i - 1]
    const piece = text.slice(part.start, part.end)
    const between = text.slice(before?.end ?? part.start, part.start)
    const isNext = between.trim() === ''
    if (part.instead !== undefined) shown = `${shown.trimEnd()}\n\n${part.instead}`
    else if (before === undefined) shown = piece
    else if (isNext && before.instead === undefined) shown += between + piece
    else {
      const blank = before.isTight || part.isTight ? '\n' : '\n\n'
      const gap = isNext ? blank : `${blank}[…]${blank}`
      shown = `${shown.trimEnd()}${gap}${piece.replace(/^\s*\n/, '')}`
    }
  })
  return shown.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
}

/** Returns the texts of the matched ranges, without the frame. */
export function excerptTexts({ text }: Outline, { ranges }: Excerpt): string[] {
  return ranges.map(({ start, end }) => text.slice(start, end).trim())
}

/** Returns the first and last line of the matched ranges, 1-based, without the frame. */
export function excerptLines({ lines }: Outline, { ranges }: Excerpt): [number, number] {
  const first = trimRange(lines.text, ranges[0]!)
  const last = trimRange(lines.text, ranges.at(-1)!)
  return [lineAt(lines, first.start) + 1, lineAt(lines, Math.max(last.start, last.end - 1)) + 1]
}
