import { indentColumns } from '../../document/block-lines.ts'
import { cachedIndexOf, lineEnd } from '../../document/seek.ts'
import { codeSpanEnds } from '../../document/code-span.ts'
import { closesFence, parseFence, type Fence } from '../../document/fence.ts'

/** Matches Markdown and MDX comments. An unclosed comment extends to the end. */
export const anyComment = /<!--[^]*?(?:-->|(?![^]))|\{\/\*[^]*?(?:\*\/\}|(?![^]))/g

/**
 * Removes Markdown comments, `<!-- … -->` and `{# … #}`. Keeps comments in code and unclosed
 * comments. Removes a line with only a comment, or leaves it blank if it separates two lines.
 */
export function withoutComments(text: string): string {
  if (!/<!--|\{#-?\s/.test(text)) return text
  const closing = { '-->': cachedIndexOf(text, '-->'), '#}': cachedIndexOf(text, '#}') }
  const scan: Scan = { text, code: { fence: null, isInItem: false }, closing }
  const out: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    if (isCodeLine(line, scan.code) || !/<!--|\{#-?\s/.test(line)) {
      out.push(line)
      at = end + 1
      continue
    }
    const [output, next] = shownLine(scan, at)
    const isNextBlank = /^[ \t]*$/.test(text.slice(next, lineEnd(text, next)))
    if (output.trim() !== '') out.push(output.trimEnd())
    else if (!isNextBlank && (out.at(-1) ?? '').trim() !== '') out.push('')
    at = next
  }
  if (text.endsWith('\n')) out.push('')
  return out.join('\n')
}

/** The state of a scan that finds code lines. */
export type CodeScan = {
  fence: Fence | null
  /** True if the last unindented line starts a list item or a container. */
  isInItem: boolean
}

type Scan = {
  text: string
  code: CodeScan
  /** Returns the next closing mark of each kind after an offset. */
  closing: Record<'-->' | '#}', (from: number) => number>
}

const beginsItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)|^(?:!!!|\?\?\?|===|:::|\/\/\/|\{%|<)/

/** True if the next line is in a fence or is indented code. */
export function isCodeLine(line: string, scan: CodeScan): boolean {
  // MkDocs tabs and admonitions indent their fences by any number of levels.
  const bare = line.replace(/^(?: {4})+/, '')
  if (scan.fence !== null) {
    if (closesFence(scan.fence, bare)) scan.fence = null
    return true
  }
  const columns = indentColumns(line)
  if (beginsItem.test(line)) scan.isInItem = true
  else if (columns === 0) scan.isInItem = false
  scan.fence = parseFence(bare)
  return scan.fence !== null || (columns >= 4 && columns !== Infinity && !scan.isInItem)
}

/** Returns the line at an offset without comments, and the start of the next line. */
function shownLine({ text, closing }: Scan, start: number): [string, number] {
  let [output, at, line, end] = ['', start, start, lineEnd(text, start)]
  let codeEnds: ReadonlyMap<number, number> | null = null
  let hasText = false
  const marks = /(`+)|<!--|\{#-?\s/g
  marks.lastIndex = start
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const { 0: mark, 1: ticks, index } = match
    if (index >= end) break
    if (ticks !== undefined) {
      codeEnds ??= codeSpanEnds(text.slice(line, end))
      const codeEnd = codeEnds.get(index - line)
      if (codeEnd !== undefined) marks.lastIndex = line + codeEnd
      continue
    }
    const closer = mark === '<!--' ? '-->' : '#}'
    const close = closing[closer](index + 2)
    if (close < 0) continue
    hasText ||= text.slice(at, index).trim() !== ''
    // A comment in a paragraph cannot extend past the paragraph.
    if (close > end && hasText && /\n[ \t]*\n/.test(text.slice(index, close))) continue
    output += text.slice(at, index)
    at = close + closer.length
    marks.lastIndex = at
    if (at <= end) continue
    ;[line, end, codeEnds] = [at, lineEnd(text, at), null]
  }
  return [output + text.slice(at, end), end + 1]
}
