import { stringWidth } from 'bun'
import { escapeControls } from '../platform/error.ts'

/** The role of text. Only this file maps roles to colours. */
export type Style =
  | 'title'
  | 'heading'
  | 'aside'
  | 'code'
  | 'strong'
  | 'emphasis'
  | 'link'
  | 'command'
  | 'found'

/** Part of a line in one style. `isFound` marks a query term. */
export type Span = { text: string; style?: Style; isFound?: boolean }

/**
 * A line on the screen. Control characters are escaped when it is drawn, so that text from pages
 * cannot control the terminal.
 */
export type Line = readonly Span[]

const codes: Readonly<Record<Style, string>> = {
  title: '1',
  heading: '1;35',
  aside: '2',
  code: '36',
  strong: '1',
  emphasis: '3',
  link: '4',
  command: '32',
  found: '1;33',
}

export function styledLine(text: string, style?: Style): Line {
  return text === '' ? [] : [{ text, ...(style && { style }) }]
}

export function renderLines(
  lines: readonly Line[],
  { isColoured }: { isColoured: boolean },
): string {
  return lines.map((spans) => `${renderLine(spans, isColoured)}\n`).join('')
}

function renderLine(spans: Line, isColoured: boolean): string {
  return spans
    .map(({ text, style, isFound }) => {
      const printable = printableLine(text)
      const code = isFound ? codes.found : style && codes[style]
      return isColoured && code ? `\x1b[${code}m${printable}\x1b[0m` : printable
    })
    .join('')
}

/**
 * Prepares a line for drawing and measuring: escapes control characters, replaces tabs with spaces
 * and removes a final carriage return.
 */
export function printableLine(text: string): string {
  const safe = escapeControls(text.replace(/\r+$/, ''))
  return safe.replace(/\t/g, '    ').replace(/\r?\n/g, ' ')
}

export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + stringWidth(printableLine(text)), 0)
}

export function countScreenRows(lines: readonly Line[], columns: number): number {
  return lines.reduce((sum, one) => sum + Math.max(1, Math.ceil(lineWidth(one) / columns)), 0)
}

export function plainText(spans: Line): string {
  return spans.map(({ text }) => text).join('')
}

export function joinSpans(spans: readonly Span[]): Span[] {
  const result: Span[] = []
  for (const span of spans) {
    const last = result.at(-1)
    if (last && last.style === span.style && last.isFound === span.isFound) last.text += span.text
    else result.push({ ...span })
  }
  return result
}
