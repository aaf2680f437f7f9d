/** Returns a line's indentation in columns, with four per tab; Infinity for a blank line. */
export function indentColumns(line: string): number {
  const text = line.trimStart()
  if (text === '') return Infinity
  const before = line.slice(0, line.length - text.length)
  return before.includes('\t') ? before.replaceAll('\t', '    ').length : before.length
}

/** Removes up to `columns` columns of indentation from a line. */
export function removeIndent(line: string, columns: number): string {
  if (columns === 0) return line
  const expanded = line.startsWith('\t') ? line.replace(/^[ \t]+/, tabsAsSpaces) : line
  let at = 0
  while (at < columns && expanded[at] === ' ') at++
  return expanded.slice(at)
}

function tabsAsSpaces(before: string): string {
  return before.replaceAll('\t', '    ')
}

/** Maximum nesting of converted quotes. */
export const quoteLimit = 3

/**
 * Returns the content of the quote at an offset, without `>`, and its end. Returns null if there is
 * no quote below a blank line, or if its content does not match.
 */
export function quoteAt(
  source: string,
  start: number,
  content: RegExp,
): { inner: string; end: number } | null {
  const isFirst = start === 0 || /\n[ \t]*\n$/.test(source.slice(Math.max(0, start - 40), start))
  const lines = /(?: {0,3}>.*(?:\n|$))+/y
  lines.lastIndex = start
  if (!isFirst || !/^ {0,3}>[ \t]?\S/.test(source.slice(start, start + 6))) return null
  const quote = lines.exec(source)?.[0].replace(/\n$/, '') ?? ''
  if (!content.test(quote)) return null
  const inner = quote.replace(/^ {0,3}> ?/gm, '')
  return { inner, end: start + quote.length }
}

/** Formats text as a Markdown quote; returns '' for blank text. */
export function toQuote(text: string): string {
  return text.trim() && text.trim().replace(/^/gm, '> ').replace(/^> $/gm, '>')
}

/** Converts `code-block` to `Code block`. */
export function toTitle(name: string): string {
  const words = name.replaceAll(/[-_]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Appends lines one by one, because `push(...lines)` fails with a million arguments. */
export function appendLines(out: string[], lines: Iterable<string>): void {
  for (const line of lines) out.push(line)
}

/** Returns the number of white space characters before the text. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Removes the common indentation. */
export function dedent(lines: readonly string[]): string[] {
  const widths = lines.filter((line) => line.trim() !== '').map(indentOf)
  const shared = widths.reduce((least, width) => Math.min(least, width), Infinity)
  return lines.map((line) => line.slice(Number.isFinite(shared) ? shared : 0))
}
