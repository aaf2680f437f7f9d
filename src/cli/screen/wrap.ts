import { printableLine, joinSpans, lineWidth, type Line, type Span } from './span.ts'

/**
 * Wraps a line at spaces to at most `width` columns. A longer word gets its own line. All lines
 * except the first start with `indent`.
 */
export function wrapLine(spans: Line, width: number, indent: Line = []): Line[] {
  const lines: Span[][] = [[]]
  let used = 0
  const inner = Math.max(1, width - lineWidth(indent))
  for (const word of wordsOf(spans)) {
    const size = lineWidth(word.spans)
    const last = lines.at(-1)!
    const room = lines.length === 1 ? width : inner
    if (used > 0 && used + word.blanks + size > room) {
      lines.push([...word.spans])
      used = size
    } else {
      if (word.blanks > 0 && word.lead) last.push({ ...word.lead, text: ' '.repeat(word.blanks) })
      last.push(...word.spans)
      used += word.blanks + size
    }
  }
  return lines.map((one, i) => (i === 0 ? joinSpans(one) : [...indent, ...joinSpans(one)]))
}

export function wrapText(text: string, width: number, indent = ''): string {
  return wrapLine([{ text }], width, [{ text: indent }])
    .map((spans) => spans.map((span) => span.text).join(''))
    .join('\n')
}

/**
 * A word may have several styles, such as `**bold**ly`. `lead` is the span that contains the spaces
 * before it.
 */
type Word = { blanks: number; lead: Span | null; spans: Span[] }

function wordsOf(spans: Line): Word[] {
  const words: Word[] = []
  let open: Word | null = null
  let blanks = 0
  let lead: Span | null = null
  for (const span of spans) {
    for (const text of printableLine(span.text).match(/ +|[^ ]+/g) ?? []) {
      if (text.startsWith(' ')) {
        open = null
        blanks += text.length
        lead = span
      } else if (open !== null) open.spans.push({ ...span, text })
      else {
        words.push((open = { blanks, lead, spans: [{ ...span, text }] }))
        blanks = 0
      }
    }
  }
  return words
}
