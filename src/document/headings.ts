import { closesFence, parseFence, type Fence } from './fence.ts'
import { plainMarkdown } from './inline.ts'

/** The markup of a page's text, which determines the syntax of headings, fences and tables. */
export type Markup = 'markdown' | 'text'

/** A section title on a page. Headings never overlap and are in text order. */
export type Heading = {
  /** The offset of the first line. For a setext heading, this is the text above the underline. */
  offset: number
  /** The offset after the last line and its line break. */
  end: number
  /** 1-based: the number of #, or the order of first use of an rst adornment. */
  level: number
  /** Plain text of 1 to 300 characters. */
  title: string
  /** An explicit id, as in `{#id}` or `<h2 id="…">`. */
  anchor?: string
}

/**
 * Finds all headings in one pass, in linear time. Never throws. Ignores fences, comments, literal
 * blocks and indented blocks.
 */
export function headings(text: string, markup: Markup): Heading[] {
  return markup === 'markdown' ? markdownHeadings(text) : []
}

/**
 * Finds Markdown headings as defined by CommonMark: ATX, setext and `<h1>`…`<h6>`. Ignores fences,
 * HTML and MDX comments, `<pre>`, `<script>`, `<style>`, and code indented by four columns.
 */
export function markdownHeadings(text: string): Heading[] {
  const headings: Heading[] = []
  const scan: Scan = { text, fence: null, paragraph: null, unclosed: new Set() }
  for (let start = 0; start < text.length; ) {
    const next = scanPlainLine(scan, start)
    if (next !== null) {
      start = next
      continue
    }
    const line = lineAt(text, start)
    const heading = scanLine(scan, line)
    if (heading?.title) headings.push(heading)
    start = Math.max(line.next, heading?.end ?? 0, scan.opaqueEnd ?? 0)
    scan.opaqueEnd = undefined
  }
  return headings
}

type Line = { start: number; next: number; source: string }
type Scan = {
  text: string
  fence: Fence | null
  /** The open paragraph. A setext underline turns it into a heading if `plain` is true. */
  paragraph: { start: number; nLines: number; plain: boolean } | null
  /** The end of a comment or another block without Markdown. */
  opaqueEnd?: number | undefined
  /** Closing marks that do not occur in the rest of the text. */
  unclosed: Set<string>
}

/** Maximum number of lines in a setext heading. Below longer text, `---` is a rule. */
const setextLines = 3

function lineAt(text: string, start: number): Line {
  const newline = text.indexOf('\n', start)
  if (newline < 0) return { start, next: text.length, source: text.slice(start) }
  return { start, next: newline + 1, source: text.slice(start, newline) }
}

/**
 * Scans a line without regular expressions: a blank line, text that starts with a letter, or a line
 * in a fence that cannot close it. Returns the start of the next line, or null if the line needs
 * `scanLine`.
 */
function scanPlainLine(scan: Scan, start: number): number | null {
  const { text, fence } = scan
  let at = start
  while (text.charCodeAt(at) === 32) at++
  const first = text.charCodeAt(at)
  const isBlank = first === 10
  const isLetter = (first >= 97 && first <= 122) || (first >= 65 && first <= 90)
  if (fence !== null) {
    const isInside = isBlank || (first > 32 && first < 127 && text[at] !== fence.mark)
    if (!isInside) return null
  } else if (isBlank) scan.paragraph = null
  else if (!isLetter) return null
  else if (scan.paragraph !== null) scan.paragraph.nLines++
  else if (at - start < 4) scan.paragraph = { start, nLines: 1, plain: true }
  const newline = isBlank ? at : text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

function scanLine(scan: Scan, line: Line): Heading | null {
  if (scan.fence) {
    if (closesFence(scan.fence, line.source)) scan.fence = null
    return null
  }
  scan.fence = parseFence(line.source)
  if (!scan.fence) scan.opaqueEnd = opaqueEnd(scan, line)
  const heading =
    scan.fence || scan.opaqueEnd
      ? null
      : (atx(line) ?? htmlHeading(scan.text, line) ?? setext(scan, line))
  if (heading || scan.fence || scan.opaqueEnd) scan.paragraph = null
  else growParagraph(scan, line)
  return heading
}

const opaqueOpening = /^ {0,3}(?:(<!--)|(\{\/\*)|<(pre|script|style)(?=[\s>]|$))/i

function opaqueEnd(scan: Scan, line: Line): number | undefined {
  const opening = opaqueOpening.exec(line.source)
  if (!opening) return undefined
  const closer = opening[1] ? '-->' : opening[2] ? '\\*/}' : `</${opening[3]?.toLowerCase()}>`
  if (scan.unclosed.has(closer)) return undefined
  const closing = new RegExp(closer, 'gi')
  closing.lastIndex = line.start
  const at = closing.exec(scan.text)?.index
  if (at === undefined) scan.unclosed.add(closer)
  return at === undefined ? undefined : lineAt(scan.text, at).next
}

/** Matches the `#` at the end of a heading. */
const closing = /(?:^|(?<=[ \t]))#+$/

function atx({ source, start, next }: Line): Heading | null {
  const [whole, marks] = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(source) ?? []
  if (whole === undefined || marks === undefined) return null
  const title = parseTitle(source.slice(whole.length).trim().replace(closing, ''))
  return { offset: start, end: next, level: marks.length, ...title }
}

const imageAlt = /<img\s[^<>]*?\balt="([^"<>]*)"[^<>]*>/gi

function htmlHeading(text: string, { source, start }: Line): Heading | null {
  const opening = /^ {0,3}<h([1-6])(\s[^<>]{0,200})?>/i.exec(source)
  if (!opening) return null
  const rest = text.slice(start + opening[0].length, start + 2000)
  const closing = new RegExp(`</h${opening[1]}>`, 'i').exec(rest)
  if (!closing || rest.slice(0, closing.index).includes('\n\n')) return null
  const inner = rest.slice(0, closing.index).replace(imageAlt, '$1')
  const anchor = /\sid=["']([^"']+)["']/i.exec(opening[2] ?? '')?.[1]
  const end = lineAt(text, start + opening[0].length + closing.index).next
  const title = plainMarkdown(inner.replace(/\s+/g, ' '))
  return { offset: start, end, level: Number(opening[1]), title, ...(anchor ? { anchor } : {}) }
}

function setext(scan: Scan, { source, next }: Line): Heading | null {
  const { paragraph, text } = scan
  if (!paragraph?.plain || paragraph.nLines > setextLines) return null
  const line = /^ {0,3}[=-]/.test(source) ? source.trim() : ''
  const mark = line[0]
  if (mark === undefined || line.replaceAll(mark, '') !== '') return null
  const { start } = paragraph
  const lines = text.slice(start, next).split('\n').slice(0, paragraph.nLines)
  // Invalid front matter stays in the text, but is not a heading.
  if (start <= 5 && text.startsWith('---') && /^[\w-]+:/.test(lines[0] ?? '')) return null
  // A title can also have a line above it, as in reStructuredText.
  const isOverlined = lines.length > 1 && isLineOf(lines[0]!.trim(), mark)
  const title = parseTitle(lines.slice(isOverlined ? 1 : 0).join(' '))
  return { offset: start, end: next, level: mark === '=' ? 1 : 2, ...title }
}

function isLineOf(line: string, mark: string): boolean {
  return line.length > 2 && line.replaceAll(mark, '') === ''
}

const notPlain = /^ {0,3}(?:[>|#<]|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|:::|\/\/\/|!!!|\{[%*{])/

function growParagraph(scan: Scan, { source, start }: Line): void {
  if (source.trim() === '') scan.paragraph = null
  else if (scan.paragraph) {
    scan.paragraph.nLines++
    scan.paragraph.plain &&= !notPlain.test(source)
  } else if (!isRule(source) && !/^ {0,3}\t| {4}/.test(source.slice(0, 4))) {
    scan.paragraph = { start, nLines: 1, plain: !notPlain.test(source) }
  }
}

function isRule(source: string): boolean {
  if (!/^ {0,3}[-*_]/.test(source)) return false
  const marks = source.replace(/[ \t]/g, '')
  return marks.length >= 3 && marks.replaceAll(marks[0] ?? '', '') === ''
}

/** Splits a title such as `Title { #anchor .class }` into text and anchor. */
function parseTitle(source: string): { title: string; anchor?: string } {
  const title = source.trim()
  const open = title.endsWith('}') ? title.lastIndexOf('{') : -1
  const list = open < 0 ? '' : title.slice(open + 1, -1).trim()
  if (!/^:?\s*(?:[#.][\w-]|[\w-]+=)/.test(list)) return { title: plainMarkdown(title) }
  const anchor = /#([^\s#.}]+)/.exec(list)?.[1]
  const before = title.slice(0, open).replace(/\\$/, '').trimEnd()
  return { title: plainMarkdown(before), ...(anchor ? { anchor } : {}) }
}
