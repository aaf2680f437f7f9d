import { decodeEntities } from '../../document/inline.ts'
import { closesFence, parseFence, type Fence } from '../../document/fence.ts'
import { styledLine, plainText, type Line, type Style, type Span } from '../span.ts'
import { tableLines, wrapLine } from './layout.ts'
import { htmlToText } from '../../search/excerpt/plain-html.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import type { FullPage } from '../../library/library.ts'

export type ScreenRow = { spans: Line; isCode?: boolean }

/** Renders a page for a terminal. Formats Markdown and shows other markup verbatim. */
export function pageRows(page: Pick<FullPage, 'text' | 'markup'>, width: number): ScreenRow[] {
  const { text, markup } = page
  return markup === 'markdown' ? markdownRows(text, width) : textRows(text)
}

/**
 * Renders Markdown for a terminal: colours headings and code, wraps paragraphs and lists at
 * `width`, aligns tables and removes marks. Does not change other text or the lines of code. One
 * blank row separates blocks.
 */
export function markdownRows(text: string, width: number): ScreenRow[] {
  const scan: Scan = { lines: text.split('\n'), at: 0, width: Math.max(20, width), rows: [] }
  while (scan.at < scan.lines.length) block(scan)
  while (scan.rows.length > 0 && isBlank(scan.rows.at(-1))) scan.rows.pop()
  return scan.rows
}

type Scan = { lines: string[]; at: number; width: number; rows: ScreenRow[] }

/** Longer lines are shown as plain text, because they are probably generated. */
const longest = 4000

function block(scan: Scan): void {
  const text = scan.lines[scan.at]!
  if (text.trim() === '') {
    blank(scan)
    scan.at++
    return
  }
  const fence = parseFence(text)
  const below = scan.lines[scan.at + 1] ?? ''
  if (text.length > longest || below.length > longest) {
    paragraph(scan)
    return
  }
  if (fence !== null) fencedCode(scan, fence)
  else if (/^ {0,3}#{1,6}(\s|$)/.test(text)) heading(scan, 1)
  else if (/^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(text)) rule(scan)
  else if (isTableRule(below) && text.includes('|')) table(scan)
  else if (/^(?: {4}|\t)/.test(text) && isBlank(scan.rows.at(-1))) indentedCode(scan)
  else if (/^ {0,3}(?:=+|-{3,})\s*$/.test(below) && !isItem(text)) heading(scan, 2)
  else paragraph(scan)
}

function blank({ rows }: Scan): void {
  if (rows.length > 0 && !isBlank(rows.at(-1))) rows.push({ spans: [] })
}

function isBlank(row: ScreenRow | undefined): boolean {
  return row === undefined || (row.spans.length === 0 && !row.isCode)
}

/** `lines` is 2 for a setext heading, which has an underline. */
function heading(scan: Scan, lines: 1 | 2): void {
  const text = scan.lines[scan.at]!.trim()
  const [, marks = lines === 2 ? levelOf(scan.lines[scan.at + 1]!) : '#', words = text] =
    /^(#{1,6})\s*(.*?)(?:\s+#+)?$/.exec(text) ?? []
  const spans: Line = [
    { text: `${marks} `, style: 'heading' },
    ...inlineSpans(words.replace(/\s*\{#[^{}]*\}$/, ''), 'heading'),
  ]
  blank(scan)
  for (const one of wrapLine(spans, scan.width, styledLine('  '))) push(scan, one)
  scan.at += lines
  if ((scan.lines[scan.at] ?? '').trim() !== '') scan.rows.push({ spans: [] })
}

function levelOf(under: string): string {
  return under.trim().startsWith('=') ? '#' : '##'
}

function rule(scan: Scan): void {
  push(scan, styledLine('─'.repeat(Math.min(scan.width, 40)), 'aside'))
  scan.at++
}

function fencedCode(scan: Scan, fence: Fence): void {
  const before = /^[\s]*(?:[-*+]|\d{1,9}[.)])?\s*/.exec(scan.lines[scan.at]!)![0]
  const item = before.trim()
  if (item !== '') push(scan, styledLine(before.trimEnd()))
  scan.at++
  for (; scan.at < scan.lines.length; scan.at++) {
    const text = scan.lines[scan.at]!
    if (closesFence(fence, text)) {
      scan.at++
      return
    }
    const lead = Math.min(fence.indent, text.length - text.trimStart().length)
    push(
      scan,
      styledLine(`${' '.repeat(fence.indent)}  ${text.slice(lead)}`.trimEnd(), 'code'),
      true,
    )
  }
}

function indentedCode(scan: Scan): void {
  for (; scan.at < scan.lines.length; scan.at++) {
    const text = scan.lines[scan.at]!
    if (!/^(?: {4}|\t)/.test(text)) return
    push(scan, styledLine(`  ${text.replace(/^(?: {4}|\t)/, '')}`, 'code'), true)
  }
}

function isTableRule(text: string): boolean {
  return /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(text) && /[|]/.test(text)
}

function table(scan: Scan): void {
  const start = scan.at
  const rows = [cells(scan.lines[start]!).map((cell) => inlineSpans(cell, 'strong'))]
  for (scan.at = start + 2; scan.at < scan.lines.length; scan.at++) {
    const text = scan.lines[scan.at]!
    if (text.trim() === '' || !text.includes('|')) break
    rows.push(cells(text).map((cell) => inlineSpans(cell)))
  }
  tableLines(rows, scan.width).forEach((spans) => push(scan, spans))
}

/** Splits a line at `|`, but not at `\|` or in code. */
function cells(text: string): string[] {
  const inner = text
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return (inner.match(/(?:\\.|`[^`]*`|[^|])+|(?<=\|)(?=\|)/g) ?? []).map((cell) =>
    cell.trim().replaceAll('\\|', '|'),
  )
}

const quoteMarks = /^(?: {0,3}>)+ ?/
const item = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)/

function isItem(text: string): boolean {
  return item.test(text)
}

/** Renders lines up to a blank line or another block, after the marks of a quote or list item. */
function paragraph(scan: Scan): void {
  const first = scan.lines[scan.at]!
  const quote = quoteMarks.exec(first)?.[0] ?? ''
  const [lead = '', , sign = ''] = item.exec(first.slice(quote.length)) ?? []
  const space = lead === '' ? /^\s*/.exec(first.slice(quote.length))![0] : ''
  const marks = '│ '.repeat(Math.min(6, (quote.match(/>/g) ?? []).length))
  const words = [first.slice(quote.length + lead.length).trimStart()]
  scan.at++
  for (; scan.at < scan.lines.length; scan.at++) {
    const last = scan.lines[scan.at - 1]!
    const text = scan.lines[scan.at]!
    if (/(?: {2}|\\)$/.test(last) || endsParagraph(scan, quote)) break
    words.push(text.slice(quote === '' ? 0 : (quoteMarks.exec(text)?.[0].length ?? 0)).trim())
  }
  const text = inlineSpans(words.join(' '))
  // A block that contains only HTML has no text.
  if (marks === '' && lead === '' && plainText(text).trim() === '') return
  const wide = lead === '' ? space : lead.replace(sign, /\d/.test(sign) ? sign : '•')
  const bullet = wide.slice(-Math.floor(scan.width / 2))
  const blanks = ' '.repeat(bullet.length)
  const spans: Line = [...styledLine(marks, 'aside'), ...styledLine(bullet), ...text]
  const indent: Line = [...styledLine(marks, 'aside'), ...styledLine(blanks)]
  for (const one of wrapLine(spans, scan.width, indent)) push(scan, one)
}

function endsParagraph({ lines, at }: Scan, quote: string): boolean {
  const text = lines[at]!
  const below = lines[at + 1] ?? ''
  if (text.length > longest || below.length > longest) return true
  if (text.trim() === '' || isItem(text) || parseFence(text) !== null) return true
  if (/^ {0,3}(?:#{1,6}\s|(?:\*\s*){3,}$|(?:-\s*){3,}$)/.test(text)) return true
  if (/^\s{0,3}>/.test(text) !== (quote !== '')) return true
  return (isTableRule(below) && text.includes('|')) || /^ {0,3}=+\s*$/.test(below)
}

function push({ rows }: Scan, spans: Line, isCode = false): void {
  rows.push({ spans, ...(isCode && { isCode }) })
}

function textRows(text: string, style?: Style): ScreenRow[] {
  const lines = trimEndCharacters(text, '\n').split('\n')
  return lines.map((one) => ({ spans: styledLine(one, style) }))
}

/** Longer text is not parsed, because the expression would be slow. It was probably pasted. */

/**
 * Matches an escaped character, code, a link or image, a URL, strong text, emphasis and
 * strikethrough, in this order of precedence.
 */
const mark = new RegExp(
  [
    String.raw`\\([!-/:-@[-\x60{-~])`,
    String.raw`(?<!\x60)(\x60{1,3})(?!\x60)(.+?)(?<!\x60)\2(?!\x60)`,
    String.raw`(!?)\[([^[\]]{0,400})\]\(<?([^()\s<>]{0,600})>?(?:\s+"[^"]{0,200}")?\)` +
      String.raw`(?:\{[^{}]{0,80}\})?`,
    String.raw`<((?:https?|mailto):[^<>\s]{1,600})>`,
    String.raw`(\*{2,3}|(?<!\w)_{2,3})(?=[^\s*_])(.{0,1000}?[^\s])\8(?!\w)`,
    String.raw`(\*|(?<!\w)_)(?=[^\s*_])([^*_]{0,1000}?[^\s*_])\10(?!\w)`,
    String.raw`~~(?=\S)([^~]{1,600})~~`,
  ].join('|'),
  'g',
)

export function inlineSpans(text: string, style?: Style): Line {
  return spansOf(text.length > longest ? text : htmlToText(text), style, 0)
}

function spansOf(text: string, style: Style | undefined, depth: number): Line {
  if (text.length > longest || depth > 3) return [{ text, ...(style && { style }) }]
  const spans: Span[] = []
  let at = 0
  const plain = (piece: string, as = style) => {
    const text = as === 'code' ? piece : decodeEntities(piece)
    if (piece !== '') spans.push({ text, ...(as && { style: as }) })
  }
  for (const match of text.matchAll(mark)) {
    plain(text.slice(at, match.index))
    at = match.index + match[0].length
    const [, escaped, , code, bang, label, target, address, , strong, , emphasis, struck] = match
    if (escaped !== undefined) spans.push({ text: escaped, ...(style && { style }) })
    else if (code !== undefined) plain(code.replace(/^ (.*\S.*) $/, '$1'), 'code')
    else if (label !== undefined) spans.push(...linkSpans({ bang, label, target, style, depth }))
    else if (address !== undefined) plain(address, 'link')
    else if (strong !== undefined) spans.push(...spansOf(strong, 'strong', depth + 1))
    else if (emphasis !== undefined) spans.push(...spansOf(emphasis, 'emphasis', depth + 1))
    else if (struck !== undefined) plain(struck)
  }
  plain(text.slice(at))
  return spans
}

type Linked = {
  bang: string | undefined
  label: string
  target: string | undefined
  style: Style | undefined
  depth: number
}

function linkSpans({ bang, label, target = '', style, depth }: Linked): Line {
  if (bang) return [{ text: `[${label || 'picture'}]`, style: 'aside' }]
  const spans = spansOf(label, style ?? 'link', depth + 1)
  const isOther = /^https?:/.test(target) && !label.includes(target)
  return isOther ? [...spans, { text: ` (${target})`, style: 'aside' }] : spans
}
