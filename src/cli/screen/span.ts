import { stringWidth } from 'bun'
import { escapeControls } from '../../platform/error.ts'

/** What a piece of text is; how that looks is said here alone. */
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

/** Text of one line in one style; `isFound`: it is a word that was asked for. */
export type Span = { text: string; style?: Style; isFound?: boolean }

/** One line of a screen. What pages hold stands in it as text and never as a command. */
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

/** A line of one style. */
export function line(text: string, style?: Style): Line {
  return text === '' ? [] : [{ text, ...(style && { style }) }]
}

/** Lines as bytes: the only place where text gets its colours. */
export function drawn(lines: readonly Line[], { isColoured }: { isColoured: boolean }): string {
  return lines.map((spans) => `${drawnLine(spans, isColoured)}\n`).join('')
}

function drawnLine(spans: Line, isColoured: boolean): string {
  return spans
    .map(({ text, style, isFound }) => {
      const shown = flat(text)
      const code = isFound ? codes.found : style && codes[style]
      return isColoured && code ? `\x1b[${code}m${shown}\x1b[0m` : shown
    })
    .join('')
}

/**
 * Text of one line as it is drawn and its width counted: control characters escaped, tabs as
 * blanks, without the carriage return of a line that ended in CRLF.
 */
export function flat(text: string): string {
  const shown = escapeControls(text.replace(/\r+$/, ''))
  return shown.replace(/\t/g, '    ').replace(/\r?\n/g, ' ')
}

/** Columns that a line takes. */
export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + stringWidth(flat(text)), 0)
}

/** Rows that lines take on a screen of so many columns, which goes on where it is full. */
export function rowsOf(lines: readonly Line[], columns: number): number {
  return lines.reduce((sum, one) => sum + Math.max(1, Math.ceil(lineWidth(one) / columns)), 0)
}

export function plainText(spans: Line): string {
  return spans.map(({ text }) => text).join('')
}

/** Neighbours of one style as one span. */
export function joined(spans: readonly Span[]): Span[] {
  const kept: Span[] = []
  for (const span of spans) {
    const last = kept.at(-1)
    if (last && last.style === span.style && last.isFound === span.isFound) last.text += span.text
    else kept.push({ ...span })
  }
  return kept
}
