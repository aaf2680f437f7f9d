import type { Heading } from '../page.ts'
import { plainRst } from '../../document/inline.ts'

/**
 * Section titles as in docutils: a line at the start of a block with an adornment line below it, or
 * one above and one below it. The level of a title is the order in which its kind of adornment
 * (character, with or without overline) first appears.
 */
export function rstHeadings(text: string): Heading[] {
  const headings: Heading[] = []
  const styles = new Map<string, number>()
  let before = blank
  let title = blank
  for (let start = 0; start < text.length; ) {
    const line = lineAt(text, start)
    const heading = sectionTitle(before, title, line)
    if (heading) headings.push({ ...heading, level: levelOf(styles, heading.style) })
    before = heading ? blank : title
    title = heading ? blank : line
    start = line.next
  }
  return headings.map(({ offset, end, level, title }) => ({ offset, end, level, title }))
}

/** Whether a text of unknown markup looks like rst: it contains directives or adorned titles. */
export function isLikeRst(text: string): boolean {
  const directives = text.match(/^\.\. [\w:+-]{1,60}::(?:\s|$)/gm)?.length ?? 0
  return directives >= 2 || directives + rstHeadings(text).length >= 2
}

type Line = { start: number; next: number; source: string }
type SectionTitle = { offset: number; end: number; title: string; style: string }

const blank: Line = { start: 0, next: 0, source: '' }

function lineAt(text: string, start: number): Line {
  const newline = text.indexOf('\n', start)
  if (newline < 0) return { start, next: text.length, source: text.slice(start).trimEnd() }
  return { start, next: newline + 1, source: text.slice(start, newline).trimEnd() }
}

function sectionTitle(before: Line, title: Line, under: Line): SectionTitle | null {
  const mark = adornment(under.source)
  const words = title.source.trim()
  if (mark === null || words === '' || adornment(title.source) !== null) return null
  // docutils treats an underline shorter than its title as text if it has fewer than four
  // characters.
  if (under.source.length < Math.min(4, words.length)) return null
  const name = plainRst(words)
  const isOverlined = before.source === under.source
  if (name === '' || (!isOverlined && !isTitleLine(before, title))) return null
  const offset = isOverlined ? before.start : title.start
  return { offset, end: under.next, title: name, style: isOverlined ? `${mark}${mark}` : mark }
}

// Bullets, field lists, line blocks, tables and explicit markup are not titles, even if the next
// line looks like an underline.
const otherBlock = /^(?:\s|[-*+|] |\.\.(?: |$)|__ |\+[-=]|:[^:\s`][^:`]{0,60}:(?: |$)|>>> )/

/** Whether a line can be a title: docutils accepts only the first line of a block. */
function isTitleLine(before: Line, title: Line): boolean {
  if (otherBlock.test(title.source)) return false
  const isBlockStart = before.source === '' || /^(?:\s|\.\. |__ )/.test(before.source)
  return isBlockStart || adornment(before.source) !== null
}

/** The character of an adornment line; null for other lines. */
function adornment(source: string): string | null {
  const mark = source[0]
  if (mark === undefined || source.length < 2 || !/[!-/:-@[-`{-~]/.test(mark)) return null
  if (source[1] !== mark || source === '::' || source === '..' || source === '...') return null
  return source.replaceAll(mark, '') === '' ? mark : null
}

function levelOf(styles: Map<string, number>, style: string): number {
  const level = styles.get(style) ?? styles.size + 1
  styles.set(style, level)
  return level
}
