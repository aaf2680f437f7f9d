import { markdownHeadings } from './markdown/markdown.ts'
import type { Markup } from './page.ts'
import { rstHeadings } from './rst/rst.ts'

/** A section title of a page. The headings of the text never overlap and are in text order. */
export type Heading = {
  /** Start of the heading's first line: the overline in rst, the paragraph of a setext heading. */
  offset: number
  /** The offset just after the heading's last line, including its line break. */
  end: number
  /** From 1: in Markdown the number of #, in rst the order of adornments in the text. */
  level: number
  /** The text without markup, never empty, at most 300 characters. */
  title: string
  /** The id that the author assigned: `{#id}`, `<h2 id="…">`. */
  anchor?: string
}

/**
 * The headings of the text, found in a single pass that takes linear time. Never throws. Ignores
 * headings inside fences, comments, literal blocks and indented blocks.
 */
export function headings(text: string, markup: Markup): Heading[] {
  if (markup === 'markdown') return markdownHeadings(text)
  return markup === 'rst' ? rstHeadings(text) : []
}
