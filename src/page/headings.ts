import { markdownHeadings } from './markdown/markdown.ts'
import type { Heading, Markup } from './page.ts'

/**
 * The headings of the text, found in a single pass that takes linear time. Never throws. Ignores
 * headings inside fences, comments, literal blocks and indented blocks.
 */
export function headings(text: string, markup: Markup): Heading[] {
  return markup === 'markdown' ? markdownHeadings(text) : []
}
