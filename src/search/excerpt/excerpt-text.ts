import { isApiPagePath } from '../../api/api-path.ts'
import { lineAt } from '../../chunk/line.ts'
import { overlap, trimRange, without } from '../../chunk/range.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import { withoutOverlaps, type Excerpt, type Frame } from './excerpt-range.ts'
import type { Outline } from './outline.ts'

/** Returns an excerpt's text and marks gaps between its parts with `[…]`. */
export function excerptText({ text }: Outline, { ranges, frame }: Excerpt): string {
  const parts: Frame[] = [...ranges, ...frame].sort((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  parts.forEach((part, i) => {
    const before = parts[i - 1]
    const piece = text.slice(part.start, part.end)
    const between = text.slice(before?.end ?? part.start, part.start)
    const isNext = between.trim() === ''
    if (part.instead !== undefined) result = `${result.trimEnd()}\n\n${part.instead}`
    else if (before === undefined) result = piece
    else if (isNext && before.instead === undefined) result += between + piece
    else {
      const blank = before.isTight || part.isTight ? '\n' : '\n\n'
      const gap = isNext ? blank : `${blank}[…]${blank}`
      result = `${result.trimEnd()}${gap}${piece.replace(/^\s*\n/, '')}`
    }
  })
  return result.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
}

type ChunkPlace = Pick<ChunkRow, 'url' | 'start_offset' | 'end_offset'>

/**
 * Returns an excerpt's text. If it contains several symbols of the API reference, puts the symbol
 * of the best chunk first, unless that chunk begins inside a symbol.
 */
export function shownText(
  outline: Outline,
  { ranges, frame }: Excerpt,
  { url, start_offset: from, end_offset: to }: ChunkPlace,
): string {
  const own = { start: from, end: to }
  const inside = ranges
    .map((range) => ({
      ...range,
      start: Math.max(range.start, from),
      end: Math.min(range.end, to),
    }))
    .filter(({ start, end }) => start < end)
  const isSymbol = isApiPagePath(url) && /^\s*#/.test(outline.text.slice(from, to))
  if (!isSymbol || inside.length === 0) return excerptText(outline, { ranges, frame })
  const outside = ranges.flatMap((range) =>
    without(range, own).map((part) => ({ ...range, ...part })),
  )
  const isNear = (part: Frame) => overlap(part, own) > 0
  return [
    { ranges: inside, frame: frame.filter(isNear) },
    { ranges: outside, frame: frame.filter((part) => !isNear(part)) },
  ]
    .map((part) => excerptText(outline, part).trim())
    .filter((text) => text !== '')
    .join('\n\n')
}

export function excerptTexts({ text }: Outline, { ranges }: Excerpt): string[] {
  return ranges.map(({ start, end }) => text.slice(start, end).trim())
}

/** Returns the first and last line of the matched ranges, counted from 1. */
export function excerptLines({ lines }: Outline, { ranges }: Excerpt): [number, number] {
  const first = trimRange(lines.text, ranges[0]!)
  const last = trimRange(lines.text, ranges.at(-1)!)
  return [lineAt(lines, first.start) + 1, lineAt(lines, Math.max(last.start, last.end - 1)) + 1]
}

/** Joins all excerpts, or returns null if the text would exceed `most` characters. */
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

const mostTwins = 3

/** Adds the names that the same symbol has in other modules. */
export function withTwins(text: string, twins: readonly string[]): string {
  const names = twins.slice(0, mostTwins).map((name) => `\`${name}\``)
  return names.length === 0 ? text : `${text}\n\nAlso ${names.join(', ')}.`
}
