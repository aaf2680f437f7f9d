import { lineAt } from '../../chunk/line.ts'
import { trimRange } from '../../chunk/range.ts'
import { withoutOverlaps, type Excerpt, type Frame } from './excerpt-range.ts'
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

/** Returns all excerpts as one, or null if its text is longer than `most` characters. */
export function joinExcerpts(
  outline: Outline,
  excerpts: readonly Excerpt[],
  most: number,
): Excerpt | null {
  const both = withoutOverlaps(outline, {
    ranges: excerpts.flatMap(({ ranges }) => ranges.map((range) => ({ ...range }))),
    frame: excerpts.flatMap(({ frame }) => frame),
  })
  return excerptText(outline, both).length > most ? null : both
}

/** Maximum number of names of the same symbol that are shown. */
const mostTwins = 3

/** Adds the names that the same symbol has in other modules. */
export function withTwins(text: string, twins: readonly string[]): string {
  const names = twins.slice(0, mostTwins).map((name) => `\`${name}\``)
  return names.length === 0 ? text : `${text}\n\nAlso ${names.join(', ')}.`
}
