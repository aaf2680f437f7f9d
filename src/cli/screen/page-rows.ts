import type { FullPage } from '../../library/page.ts'
import { markdownRows, textRows, type Row } from './markdown-rows.ts'

/** Renders a page for a terminal: Markdown formatted, other markup verbatim. */
export function pageRows(page: Pick<FullPage, 'text' | 'markup'>, width: number): Row[] {
  const { text, markup } = page
  return markup === 'markdown' ? markdownRows(text, width) : textRows(text)
}
