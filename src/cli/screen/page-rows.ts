import type { FullPage } from '../../library/page.ts'
import { markdownRows, textRows, type Row } from './markdown-rows.ts'

/** A page as a person reads it: Markdown drawn, other markup as it is written. */
export function pageRows(page: Pick<FullPage, 'text' | 'markup'>, width: number): Row[] {
  const { text, markup } = page
  return markup === 'markdown' ? markdownRows(text, width) : textRows(text)
}
