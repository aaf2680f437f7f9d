import { heading, markdown, code, strong, paragraph } from '../../document/nodes.ts'
import { withoutFalseBranches } from './asciidoc-conditions.ts'
import { toTitle } from '../../document/block-lines.ts'
import { removeBoxMarks } from '../../document/box.ts'
import { type GrowthLimit, growthLimitFor } from '../../document/growth.ts'
import { plainMarkdown } from '../../document/inline.ts'
import type { DocumentBlock } from '../../document/tree.ts'
import { trimCharacters } from '../../platform/text/trim.ts'
import { toCell, writeMarkdown } from '../../document/write-markdown.ts'
import { asciidocInlineToMarkdown, withAttributes } from './asciidoc-inline.ts'
import {
  asciidocTable,
  cellBlock,
  columnCount,
  separator as bar,
  tableFormat,
} from './asciidoc-table.ts'
import { parseCsvTable } from '../rst/rst-table.ts'
import type { ParsedFile, ParsedText } from '../parsed-text.ts'
import type { ReferenceTitles } from '../../document/reference-key.ts'

export function parseAsciidoc(text: string, file: ParsedFile): ParsedText {
  const attributes = new Map(file.variables)
  const sourceText = asciidocToMarkdown(text, { ...file, attributes })
  const description = attributes.get('description')
  const plain = description && asciidocInlineToMarkdown(description, { attributes })
  return { text: sourceText, description: plain ? plainMarkdown(plain) : null }
}

/**
 * Converts AsciiDoc to Markdown: headings, listings with their language, admonitions, lists,
 * tables, links and attributes. `attributes` contains the site's attributes; those in the text are
 * added. Leaves unknown syntax and unresolved includes unchanged.
 */
export function asciidocToMarkdown(
  text: string,
  { growth = growthLimitFor(text.length), attributes = new Map(), titles }: AsciidocOptions = {},
): string {
  const lines = withoutFalseBranches(removeBoxMarks(text).split('\n'), attributes)
  const place = { lines, from: 0, to: lines.length }
  const context = { attributes, growth, titles, depth: 0 }
  return `${writeMarkdown(blocksOf(place, context))}\n`
}

type AsciidocOptions = {
  growth?: GrowthLimit
  attributes?: Map<string, string>
  titles?: ReferenceTitles | undefined
}

/** Maximum nesting of delimited blocks. Deeper blocks are not converted. */
const depthLimit = 20

/** A range of lines; `to` is exclusive. Nested blocks share `lines` to avoid copies. */
type LineRange = { lines: readonly string[]; from: number; to: number }

function blocksOf(
  place: LineRange,
  context: Pick<Scan, 'attributes' | 'growth' | 'titles' | 'depth'>,
): DocumentBlock[] {
  const start = { out: [], text: [], style: [], literalEnd: -1, title: '' }
  const list = { items: [], isAttached: false }
  const scan: Scan = { ...place, ...context, ...start, list }
  for (let at = place.from; at < place.to; ) at = scanLine(scan, at)
  endText(scan)
  return scan.out
}

type Scan = LineRange & {
  out: DocumentBlock[]
  /** The lines of the open paragraph or list, as Markdown. */
  text: string[]
  attributes: Map<string, string>
  growth: GrowthLimit
  titles: ReferenceTitles | undefined
  depth: number
  /** The attributes of the next block, from `[source,java]` or `[NOTE]`. */
  style: string[]
  /** The line after a block of indented text, which is literal; -1 outside of one. */
  literalEnd: number
  /** The title of the next block, from a line `.Title`. */
  title: string
  list: OpenList
}

/**
 * The marks of the open list items, outermost first, with the number of items so far. A list ends
 * at the next block, unless a `+` line attaches the block to it.
 */
type OpenList = { items: { mark: string; count: number }[]; isAttached: boolean }

function scanLine(scan: Scan, at: number): number {
  return (
    hiddenLine(scan, at) ?? delimitedBlock(scan, at) ?? headingLine(scan, at) ?? textLine(scan, at)
  )
}

/**
 * Reads an invisible line: a comment, attribute or anchor, or the style or title of the next block.
 * Returns the next line, or null if the line is visible.
 */
function hiddenLine(scan: Scan, at: number): number | null {
  const line = scan.lines[at] ?? ''
  if (/^\/{4,}\s*$/.test(line)) return closingLine(scan, at) + 1
  if (/^\/\/(?!\/)/.test(line)) return at + 1
  const [, name, value = ''] = /^:(!?[\w-]+!?):(?:[ \t]+(.*))?$/s.exec(line) ?? []
  if (name !== undefined) {
    let end = at + 1
    let source = value
    // A backslash continues the value on the next line.
    while (/ \\$/.test(source) && end < scan.to && end < at + 20)
      source = `${source.slice(0, -1)}${(scan.lines[end++] ?? '').trim()}`
    const words = source.replace(/ \\$/, '').trim()
    scan.attributes.set(name.toLowerCase(), withAttributes(words, scan.attributes, scan.growth))
    return end
  }
  if (/^(?:<{3,}|'{3,})\s*$/.test(line)) return at + 1
  const style = /^\[(?!\[)([^\]]*)\]\s*$/.exec(line)?.[1]
  if (style !== undefined) scan.style = mergeStyles(scan.style, style)
  const title = /^\.(?![. ])(\S.*)$/s.exec(line)?.[1]
  if (title !== undefined) scan.title = title
  const isAnchor = /^\[\[[^\]]*\]\]\s*$/.test(line)
  return style === undefined && title === undefined && !isAnchor ? null : at + 1
}

/** Merges the attribute lines of a block. Positional attributes come first. */
function mergeStyles(above: readonly string[], line: string): string[] {
  const [kind = '', ...rest] = line.split(',').map((part) => part.trim())
  const parts = [kind.replace(/^([A-Za-z]+)[.#%][^=]*$/, '$1'), ...rest]
  const isNamed = (part: string) => /=|^[.#%]/.test(part)
  return parts.every(isNamed) ? [...above, ...parts] : [...parts, ...above.filter(isNamed)]
}

const delimiter = /^(?:(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|--|[|,:!]={3,})|(`{3,})(.*))$/s

/** Reads a block between delimiter lines. Returns the next line, or null if there is none. */
function delimitedBlock(scan: Scan, at: number): number | null {
  const [, mark, ticks, language = ''] = delimiter.exec((scan.lines[at] ?? '').trimEnd()) ?? []
  if (mark === undefined && ticks === undefined) return null
  const end = closingLine(scan, at)
  if (scan.style[0] === 'comment') return dropped(scan, end + 1)
  const body = scan.lines.slice(at + 1, end)
  const kind = ticks === undefined ? mark![0]! : '`'
  if ('|,:!'.includes(kind)) push(scan, ...tableBlocks(scan, body, kind))
  else if ('-.`'.includes(kind) && mark !== '--') push(scan, listing(scan, body, language))
  else if (kind === '+') push(scan, ...(isProgram(body[0] ?? '') ? [] : [linesBlock(body)]))
  else if (scan.depth >= depthLimit) push(scan, linesBlock(body))
  else push(scan, ...nestedBlock(scan, { from: at + 1, to: end, isQuote: kind === '_' }))
  return end + 1
}

/** True if an HTML passthrough starts with a script or style sheet, which is invisible. */
function isProgram(line: string): boolean {
  return /^\s*<(?:script|style|link)\b/i.test(line)
}

/** Returns the line that closes a delimited block, or the end of the enclosing block. */
function closingLine({ lines, to }: Scan, at: number): number {
  const mark = /^`{3,}/.exec(lines[at] ?? '')?.[0] ?? (lines[at] ?? '').trimEnd()
  let end = at + 1
  while (end < to && lines[end]?.trimEnd() !== mark) end++
  return end
}

function push(scan: Scan, ...blocks: DocumentBlock[]): void {
  endText(scan)
  endList(scan)
  if (scan.title !== '') scan.out.push(paragraph(strong(markdown(inline(scan, scan.title)))))
  for (const block of blocks) scan.out.push(block)
  scan.title = ''
  scan.style = []
}

function endList({ list }: Scan): void {
  if (!list.isAttached) list.items = []
  list.isAttached = false
}

function endText(scan: Scan): void {
  if (scan.text.length > 0) scan.out.push(linesBlock(scan.text))
  scan.text = []
}

function linesBlock(lines: readonly string[]): DocumentBlock {
  return markdown(trimCharacters(lines.join('\n'), '\n'))
}

function listing(scan: Scan, parts: string[], fenceLanguage: string): DocumentBlock {
  const { style, attributes, growth } = scan
  const isFilled = /\bsubs\s*=\s*"?[^"]*\battributes\b/.test(style.join(','))
  const body = isFilled ? parts.map((line) => withAttributes(line, attributes, growth)) : parts
  const isSource =
    style[0] === 'source' ||
    /^configprops\b/.test(style[0] ?? '') ||
    (style[0] ?? '').startsWith(',') ||
    style[0] === ''
  const styleLanguage = isSource ? (style[1] ?? attributes.get('source-language') ?? '') : ''
  const language = fenceLanguage.trim() || (/^[\w+#.-]+$/.test(styleLanguage) ? styleLanguage : '')
  // Keeps callout numbers, because the list below the listing refers to them.
  return code(body.join('\n'), language)
}

/** Converts a table with the default separator, the separator of its format, or an explicit one. */
function tableBlocks(scan: Scan, body: string[], sign: string): DocumentBlock[] {
  const { separator, isOfValues } = tableFormat(scan.style, sign)
  const cell = (words: string) => [markdown(toCell(inline(scan, words)))]
  const parsed = isOfValues ? parseCsvTable(body.join('\n'), undefined, separator) : null
  if (parsed !== null)
    return [{ type: 'table', rows: parsed.rows.map((row) => row.map(cell)), hasHeader: true }]
  const toBars = (line: string) => line.replaceAll('|', '\\|').replaceAll(separator, '|')
  const bars = separator === '|' ? body : body.map(toBars)
  return blockRows(scan, bars) ?? [table(scan, bars)]
}

function table(scan: Scan, body: string[]): DocumentBlock {
  const lines = body.filter((line) => !isBlockLine(line)).map((line) => inline(scan, line))
  return asciidocTable(lines, scan.style) ?? linesBlock(body)
}

/**
 * Converts a table with blocks in its cells. Each row becomes a box with the first cell as its
 * title. Returns null for other tables.
 */
function blockRows(scan: Scan, body: string[]): DocumentBlock[] | null {
  if (scan.depth >= depthLimit || !body.some((line) => cellBlock.test(line))) return null
  const first = body.find((line) => line.trim() !== '') ?? ''
  const nColumns = columnCount(scan.style) ?? first.split(bar).length - 1
  if (nColumns < 1) return null
  const cells: string[][] = []
  let mark: string | null = null
  for (const line of body) {
    const isMark = /^(?:-{4,}|\.{4,})\s*$/.test(line) && (mark ?? line.trim()) === line.trim()
    if (isMark) mark = mark === null ? line.trim() : null
    const [before = '', ...rest] = mark === null ? line.split(bar) : [line]
    if (rest.length === 0 || before.trim() !== '') cells.at(-1)?.push(before)
    for (const cell of rest) cells.push([cell.trimStart()])
  }
  const { attributes, growth, titles, depth } = scan
  const context = { attributes, growth, titles, depth: depth + 1 }
  const textOf = (lines: readonly string[] = []) => inline(scan, lines.join(' ').trim())
  const boxes: DocumentBlock[] = []
  // A table with one column has no header row.
  for (let row = nColumns > 1 ? nColumns : 0; row < cells.length; row += nColumns) {
    // A title has only one line.
    const isTitled =
      nColumns > 1 && (cells[row] ?? []).filter((line) => line.trim() !== '').length < 2
    const first = isTitled ? 1 : 0
    const inRow = cells.slice(row + first, row + nColumns)
    const children = inRow.flatMap((lines, at): DocumentBlock[] => {
      const blocks = blocksOf({ lines, from: 0, to: lines.length }, context)
      if (nColumns === 1 || blocks.length === 0) return blocks
      return [paragraph(strong(markdown(textOf(cells[at + first])))), ...blocks]
    })
    if (!isTitled) boxes.push(...children)
    else boxes.push({ type: 'box', title: [strong(markdown(textOf(cells[row])))], children })
  }
  return boxes
}

/** True if a line in a cell is the style, anchor or delimiter of a block. */
function isBlockLine(line: string): boolean {
  return /^(?:\[[[.#%][^\]]*\]{1,2}|--|={4,}|-{4,})\s*$/.test(line)
}

const admonition = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/

/** Converts a delimited block. Its style can make it a quote or an admonition. */
function nestedBlock(
  scan: Scan,
  { from, to, isQuote }: { from: number; to: number; isQuote: boolean },
): DocumentBlock[] {
  const kind = scan.style[0] ?? ''
  const { lines, attributes, growth, titles, depth } = scan
  const children = blocksOf({ lines, from, to }, { attributes, growth, titles, depth: depth + 1 })
  if (isQuote || kind === 'quote') {
    const source = scan.style.slice(1).filter((part) => part !== '' && !/=|^[.#%]/.test(part))
    if (source.length > 0)
      children.push(paragraph(markdown(inline(scan, `— ${source.join(', ')}`))))
    return growth.take(2 * (to - from)) ? [{ type: 'blockquote', children }] : children
  }
  if (!admonition.test(kind)) return children
  return [{ type: 'box', title: [strong(toTitle(kind.toLowerCase()))], children }]
}

function headingLine(scan: Scan, at: number): number | null {
  const [, marks = '', title] = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/s.exec(scan.lines[at] ?? '') ?? []
  if (title === undefined) return null
  push(
    scan,
    heading(marks.length, [markdown(inline(scan, title.replace(/(?<=\s)=+$/, '').trimEnd()))]),
  )
  return at + 1
}

function textLine(scan: Scan, at: number): number {
  const line = scan.lines[at] ?? ''
  if (line.trim() === '') {
    endText(scan)
    return at + 1
  }
  // Indented text is literal, except in list items.
  const isContinued = (scan.lines[at - 1]?.trim() ?? '') !== '' && scan.literalEnd !== at
  const isLiteral =
    !isContinued && /^[ \t]+\S/.test(line) && !/^\s+(?:[*.-]+ |\d+\. |\S.*::(?: |$))/.test(line)
  if (isLiteral) scan.literalEnd = at + 1
  if (scan.style[0] === 'comment') return dropped(scan, paragraphEnd(scan, at))
  if (scan.title !== '') push(scan)
  const kind = scan.style[0] ?? ''
  const note = admonition.test(kind) ? `**${toTitle(kind.toLowerCase())}:** ` : ''
  if (scan.style[0] === 'source') return paragraphListing(scan, at)
  if (scan.style[0] === 'quote' && scan.depth < depthLimit) {
    const to = paragraphEnd(scan, at)
    push(scan, ...nestedBlock(scan, { from: at, to, isQuote: true }))
    return to
  }
  scan.style = []
  const end = isLiteral ? at + 1 : macroEnd(scan, at)
  const [first = '', ...more] = scan.lines.slice(at, end)
  const source = [first, ...more.map((it) => it.trimStart())].join(' ')
  const words = isLiteral ? line : inline(scan, source)
  scan.text.push(isLiteral ? line : note + (listItem(words, scan) ?? proseLine(words, scan)))
  return end
}

const openMacro = /(?:xref:|link:|image:|footnote:|https?:\/)[^\s[\]]{0,2000}\[[^[\]]*$/

/** Returns the line after the macros in a line. Their text can span several lines. */
function macroEnd({ lines, to }: Scan, at: number): number {
  let open = openMacro.exec(lines[at] ?? '')?.[0]
  for (let end = at + 1; open !== undefined && end < Math.min(to, at + 8); end++) {
    const next = lines[end]!
    if (next.trim() === '') break
    if (!next.includes(']')) continue
    open = openMacro.exec(next)?.[0]
    if (open === undefined) return end + 1
  }
  return at + 1
}

/** Converts the paragraph after a `[source]` line to a listing. Returns the line after it. */
function paragraphListing(scan: Scan, at: number): number {
  const end = paragraphEnd(scan, at)
  push(scan, listing(scan, scan.lines.slice(at, end), ''))
  return end
}

function paragraphEnd({ lines, to }: Scan, at: number): number {
  let end = at
  while (end < to && lines[end]?.trim() !== '') end++
  return end
}

function dropped(scan: Scan, next: number): number {
  scan.title = ''
  scan.style = []
  return next
}

function inline(scan: Scan, line: string): string {
  return asciidocInlineToMarkdown(line, scan)
}

/** Converts a list item, whose mark determines its level. Returns null if the line is no item. */
function listItem(line: string, { list }: Scan): string | null {
  const [, mark, text] = /^\s*(\*{1,5}|-|\.{1,5})[ \t]+(.*)$/s.exec(line) ?? []
  if (mark === undefined || text === undefined) return null
  const level = list.items.findIndex((item) => item.mark === mark)
  if (level < 0) list.items.push({ mark, count: 0 })
  else list.items.length = level + 1
  const signs = list.items.map((item, i) => {
    if (i === list.items.length - 1) item.count++
    return item.mark.startsWith('.') ? `${item.count}. ` : '- '
  })
  const sign = signs.pop()!
  return `${' '.repeat(signs.join('').length)}${sign}${text}`
}

function proseLine(line: string, scan: Scan): string {
  if (line.trimEnd() === '+') {
    scan.list.isAttached = true
    return ''
  }
  if (scan.list.isAttached && scan.text.at(-1) === '') scan.list.isAttached = false
  else if (scan.text.length === 0) endList(scan)
  const note = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION): +(.*)$/s.exec(line)
  if (note) return `**${toTitle(note[1]!.toLowerCase())}:** ${note[2]}`
  const [, number, words] = /^<(\d+|\.)>[ \t]+(.*)$/s.exec(line) ?? []
  if (words !== undefined) return `${number === '.' ? 1 : number}. ${words}`
  const [, term, meaning = ''] = /^(\S.*?)(?:::|;;)(?:[ \t]+(.*))?$/s.exec(line) ?? []
  const isTerm = term !== undefined && !/^(?:include|image|video|toc|link|xref)$/.test(term)
  if (!isTerm || /^\w+::\S/.test(line)) return line
  scan.list.items = []
  return meaning === '' ? `**${term}**` : `**${term}**: ${meaning}`
}
