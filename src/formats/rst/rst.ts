import { plainRst } from '../../document/inline.ts'
import type { Heading } from '../../document/headings.ts'

/** A section title: its words, the kind of its adornment, and the line after it. */
export type SectionTitle = { words: string; style: string; end: number }

/**
 * Finds section titles as docutils does. A title is a line at the start of a block with an
 * adornment line below it, or with one above and one below. Its level is the order in which its
 * kind of adornment (character, with or without overline) first appears.
 */
export function rstHeadings(text: string): Heading[] {
  const headings: Heading[] = []
  const lines = text.split('\n')
  const levels: AdornmentLevels = new Map()
  let [offset, before] = [0, '']
  for (let at = 0; at < lines.length; ) {
    const title = startsBlock(before) ? titleAt(lines, at) : null
    const end = title?.end ?? at + 1
    const length = lines.slice(at, end).reduce((sum, line) => sum + line.length + 1, 0)
    const name = title === null ? '' : plainRst(title.words)
    if (title !== null && name !== '') {
      const level = levelOf(levels, title.style)
      headings.push({ offset, end: Math.min(text.length, offset + length), level, title: name })
    }
    before = title === null ? lines[at]! : ''
    offset += length
    at = end
  }
  return headings
}

/** True if text of unknown markup looks like rst: it has directives or adorned titles. */
export function isLikeRst(text: string): boolean {
  const directives = text.match(/^\.\. [\w:+-]{1,60}::(?:\s|$)/gm)?.length ?? 0
  return directives >= 2 || directives + rstHeadings(text).length >= 2
}

/** True if a block can start below this line. */
function startsBlock(before: string): boolean {
  return /^(?:\s|$|\.\. |__ )/.test(before) || adornment(before) !== null
}

// Bullets, field lists, line blocks, tables and explicit markup are not titles, even above a line
// that looks like an underline.
const otherBlock = /^(?:\s|[-*+|] |\.\.(?: |$)|__ |\+[-=]|:[^:\s`][^:`]{0,60}:(?: |$)|>>> )/

/** Returns the title at a line, which must be the first line of a block, or null. */
export function titleAt(lines: readonly string[], at: number): SectionTitle | null {
  const [first = '', second = '', third = ''] = lines.slice(at, at + 3).map((it) => it.trimEnd())
  const isOverlined = adornment(first) !== null && third === first
  const [title, under] = isOverlined ? [second, third] : [first, second]
  const words = title.trim()
  // The title of a glossary section can be a single letter.
  const isLetter = /^\p{L}$/u.test(words) && /^[=~^-]$/.test(under)
  const mark = isLetter ? under : adornment(under)
  if (mark === null || words === '' || adornment(title) !== null) return null
  // In docutils, an underline of fewer than four characters is text if its title is longer.
  if (under.length < Math.min(4, words.length)) return null
  if (!isOverlined && otherBlock.test(title)) return null
  return { words, style: isOverlined ? mark + mark : mark, end: at + (isOverlined ? 3 : 2) }
}

/** Returns the character of an adornment line, or null for other lines. */
export function adornment(line: string): string | null {
  const source = line.trimEnd()
  const mark = source[0]
  if (mark === undefined || source.length < 2 || !/[!-/:-@[-`{-~]/.test(mark)) return null
  if (source[1] !== mark || source === '::' || source === '..' || source === '...') return null
  return source.replaceAll(mark, '') === '' ? mark : null
}

/** Levels of the kinds of adornment used so far on the page. */
export type AdornmentLevels = Map<string, number>

export function levelOf(levels: AdornmentLevels, style: string): number {
  return levels.getOrInsert(style, levels.size + 1)
}
