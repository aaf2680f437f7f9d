import type { PageHeading } from '../../library/page-section.ts'
import { escapeInline } from './quote.ts'

/** The headings of a page with their line numbers, which fit `start_line` and `end_line`. */
export function renderOutline(headings: readonly PageHeading[]): string {
  if (headings.length === 0) return ''
  const lines = headings.map(
    ({ line, level, title }) =>
      `${String(line).padStart(5)}  ${'  '.repeat(level - 1)}${escapeInline(title)}\n`,
  )
  return `Lines of its headings:\n${lines.join('')}`
}
