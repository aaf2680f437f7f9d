import type { Block } from './block.ts'
import { splitIntoBlocks } from './block.ts'
import { fitsTokenLimit, type ChunkBudget, type HeadingContext } from './budget.ts'
import { fitsChunk, headingContextOf } from './budget.ts'
import type { Lines } from './line.ts'
import { firstLineFrom } from './line.ts'
import { fillChunks } from './fill.ts'
import { isSpace, type Range } from './range.ts'
import { trimRange } from './range.ts'
import type { Section } from './section.ts'
import { ownBodyEnd } from './section.ts'

export type SectionPiece = Range & { path: string[] }

type Cutter = {
  budget: ChunkBudget
  lines: Lines
  overlapChars: number
  /** True if two sections must never share a piece. */
  isDivided?: boolean
}

/**
 * Cuts a section into pieces. A section that fits is one piece. Otherwise its own body is packed,
 * and each child is cut in the same way. The pieces cover the section exactly, apart from the
 * requested overlap.
 */
export function cutSection(cutter: Cutter, section: Section): SectionPiece[] {
  const { start, end } = section
  const isDivided = cutter.isDivided && section.children.length > 0
  const path = isDivided
    ? undefined
    : wholePaths(cutter, section).find((path) =>
        fitsChunk(cutter.budget, headingContextOf(cutter.budget, path), {
          start,
          end,
          chars: cutter.budget.chunkChars,
        }),
      )
  return path === undefined ? divideSection(cutter, section) : [{ start, end, path }]
}

/**
 * Returns the heading paths that a section may have as one piece, preferred one first. These are
 * its own path, and the path of its only child if the page has no text outside that child.
 */
function wholePaths(cutter: Cutter, section: Section): string[][] {
  const { level, path, children } = section
  if (level > 0 || children.length !== 1) return [path]
  return isBare(ownBlocks(cutter, section)) ? [children[0]!.path, path] : [path]
}

function divideSection(cutter: Cutter, section: Section): SectionPiece[] {
  const own = ownBlocks(cutter, section)
  const below: SectionPiece[] = []
  for (const child of section.children) {
    for (const piece of cutSection(cutter, child)) below.push(piece)
  }
  const above =
    isBare(own) && joinsFirstPiece(cutter, section, below[0]) ? [] : body(cutter, section, own)
  const first = below[0]
  if (above.length === 0 && first !== undefined) below[0] = { ...first, start: section.start }
  return above.concat(below)
}

function isBare(own: Block[]): boolean {
  return own.every((block) => block.kind === 'heading' || block.kind === 'silent')
}

/** Returns the blocks above the first child: the heading with its labels, and its text. */
function ownBlocks({ lines }: Cutter, section: Section): Block[] {
  const from = firstLineFrom(lines, section.start)
  const bodyFrom = firstLineFrom(lines, section.bodyStart)
  const to = firstLineFrom(lines, ownBodyEnd(section))
  const blocks = splitIntoBlocks(lines, { from: bodyFrom, to })
  if (bodyFrom === from) return blocks
  const headingTo = blocks[0]?.from ?? to
  return [{ kind: 'heading', from, to: headingTo }, ...blocks]
}

/** True if a heading without text of its own joins the first piece below it. */
function joinsFirstPiece(
  { budget }: Cutter,
  section: Section,
  first: SectionPiece | undefined,
): boolean {
  if (first === undefined) return false
  const own = trimRange(budget.text, { start: section.start, end: ownBodyEnd(section) })
  if (own.start === own.end) return true
  const range = { start: section.start, end: first.end }
  return fitsChunk(budget, headingContextOf(budget, first.path), {
    ...range,
    chars: budget.wholeChars,
  })
}

function body(cutter: Cutter, section: Section, own: Block[]): SectionPiece[] {
  const { budget, lines, overlapChars } = cutter
  const context = { budget, lines, place: headingContextOf(budget, section.path) }
  const ranges = fillChunks(context, own, Math.min(0.5, overlapChars / budget.chunkChars))
  return addOverlap(context, ranges, overlapChars).map(({ start, end }) => ({
    start,
    end,
    path: section.path,
  }))
}

/**
 * Moves the start of each range except the first back into the previous range, to the start of a
 * line or, if there is none, a word. The distance is at most `overlapChars`, or less because of the
 * token limit.
 */
export function addOverlap(
  { budget, place }: { budget: ChunkBudget; place: HeadingContext },
  ranges: Range[],
  overlapChars: number,
): Range[] {
  if (overlapChars <= 0) return ranges
  return ranges.map((range, index) => {
    const before = ranges[index - 1]
    if (before === undefined) return range
    for (let chars = overlapChars; chars >= 1; chars = Math.floor(chars / 2)) {
      const from = Math.max(before.start, range.start - chars)
      const start = border(budget.text, { start: from, end: range.start })
      const wider = { start, end: range.end }
      if (start < range.start && fitsTokenLimit(budget, place, wider)) return wider
    }
    return range
  })
}

/** Returns the start of the first non-blank line in the range, or of a word, or its end. */
function border(text: string, range: Range): number {
  let word = range.end
  let line = range.end
  for (let at = range.end - 1; at >= range.start; at--) {
    const before = at === 0 ? 10 : text.charCodeAt(at - 1)
    if (isSpace(before) && !isSpace(text.charCodeAt(at))) word = at
    if (before === 10 && word < range.end) line = at
  }
  return line < range.end ? line : word
}
