import { markdownHeadings } from './markdown/markdown.ts'
import type { Markup } from './page.ts'
import { rstHeadings } from './rst/rst.ts'

/** A section title of a page. Headings of one text never overlap and are in text order. */
export type Heading = {
  /** Start of the heading's first line: the overline in rst, the paragraph of a setext heading. */
  offset: number
  /** Just after the heading's last line, its line break included. */
  end: number
  /** From 1: in rst the order in which adornments first appear, in Markdown the number of #. */
  level: number
  /** The text without markup, never empty, at most 300 characters. */
  title: string
  /** The id that the author gave it: `{#id}`, `<h2 id="…">`. */
  anchor?: string
}

/**
 * The headings of a text, in one pass whose time is linear in its length. Never throws.
 * Headings inside fences, comments, literal and indented blocks are not headings.
 */
export function headings(text: string, markup: Markup): Heading[] {
  if (markup === 'markdown') return markdownHeadings(text)
  return markup === 'rst' ? rstHeadings(text) : []
}
