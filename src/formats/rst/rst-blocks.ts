import { dedent } from '../../document/block-lines.ts'
import { code, heading, markdown, paragraph, strong } from '../../document/nodes.ts'
import type { DocumentBlock, DocumentBlocks, Inline } from '../../document/tree.ts'
import { forgeId, plainMarkdown } from '../../document/inline.ts'
import { cellOf } from '../../document/write-markdown.ts'
import type { ObjectScope } from './rst-object.ts'
import { inlineToMarkdown, type InlineContext } from './rst-inline.ts'
import { bodyEnd } from './rst-part.ts'
import { adornment, levelOf, titleAt, type AdornmentLevels } from './rst.ts'
import { parseDrawnTable, type RstTable } from './rst-table.ts'

/** The state of a block. All blocks of a page share `levels` and `code`. */
export type RstContext = InlineContext & {
  depth: number
  scope: ObjectScope
  levels: AdornmentLevels
  /** The default language of code. */
  code: { language: string }
  /** Converts a block of explicit markup, which starts with `..`. */
  readMarkup(source: readonly string[], context: RstContext): DocumentBlocks
}

/** Maximum nesting of blocks. Deeper text is not converted. */
const depthLimit = 20

type Scan = { lines: readonly string[]; out: DocumentBlock[]; context: RstContext }

/** Reads the block at a line. Returns the line after it, or null for another kind of block. */
type BlockReader = (scan: Scan, at: number) => number | null

/** Converts unindented lines of rst. */
export function blocksOf(lines: readonly string[], above: RstContext): DocumentBlock[] {
  const context = { ...above, depth: above.depth + 1 }
  if (context.depth > depthLimit) return [paragraph(lines.join('\n'))]
  const scan: Scan = { lines, out: [], context }
  for (let at = 0; at < lines.length; ) {
    let next = lines[at]!.trim() === '' ? at + 1 : null
    for (let i = 0; next === null; i++) next = readers[i]!(scan, at)
    at = next
  }
  return scan.out
}

export function inlineOf(text: string, context: InlineContext): Inline {
  return markdown(inlineToMarkdown(text, context))
}

function push({ out }: Scan, blocks: DocumentBlocks): void {
  for (const block of blocks) out.push(block)
}

/** Inserts a lead at the start of the first paragraph. */
export function withLead(lead: readonly Inline[], blocks: DocumentBlocks): DocumentBlock[] {
  const [first, ...rest] = blocks
  return first?.type === 'paragraph'
    ? [paragraph(...lead, ...first.children), ...rest]
    : [paragraph(...lead), ...blocks]
}

/** Reads a quotation, or text that is indented by mistake. */
const indentedBlock: BlockReader = (scan, at) => {
  const end = bodyEnd(scan.lines, at - 1, 0)
  if (end === at) return null
  push(scan, blocksOf(dedent(scan.lines.slice(at, end)), scan.context))
  return end
}

const markupBlock: BlockReader = (scan, at) => {
  const { lines, context } = scan
  const line = lines[at]!
  if (/^__ /.test(line)) return at + 1
  if (!/^\.\.(?: |$)/.test(line)) return null
  // An empty comment ends before a blank line.
  if (line.trim() === '..' && (lines[at + 1] ?? '').trim() === '') return at + 1
  const end = bodyEnd(lines, at)
  push(scan, context.readMarkup(lines.slice(at, end), context))
  return end
}

const titleBlock: BlockReader = ({ lines, out, context }, at) => {
  const title = titleAt(lines, at)
  if (title === null) return isTransition(lines[at]!) ? at + 1 : null
  const level = levelOf(context.levels, title.style)
  const words = inlineToMarkdown(title.words, context)
  out.push(heading(level, [markdown(words + idMark(plainMarkdown(words)))]))
  return title.end
}

/** Returns docutils' id for a title as a mark, if Markdown's id would differ. */
function idMark(title: string): string {
  const ascii = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\0-\x7e]/g, '')
  const id = ascii.replace(/[^a-z0-9]+/g, '-').replace(/^[-0-9]+|-+$/g, '')
  return id === '' || id === forgeId(title) ? '' : ` {#${id}}`
}

function isTransition(line: string): boolean {
  return line.trimEnd().length >= 4 && adornment(line) !== null
}

const rule = /^(?:\+[-=+]{3,}\+|={2,}(?: +={2,})+)\s*$/
/** Maximum number of lines in a simple table. */
const mostRows = 1_000

/** Reads a drawn table. A table with spanning cells stays a drawing. */
const drawnTable: BlockReader = (scan, at) => {
  const { lines, context } = scan
  if (!rule.test(lines[at]!)) return null
  const isGrid = lines[at]!.startsWith('+')
  const most = isGrid ? lines.length : Math.min(lines.length, at + mostRows)
  let last = 0
  // A grid ends with the last rule before a blank line, a simple table with the first.
  for (let i = at + 1; i < most && !(isGrid ? lines[i]!.trim() === '' : last > 0); i++) {
    if (rule.test(lines[i]!) && (isGrid || (lines[i + 1] ?? '').trim() === '')) last = i
  }
  if (last === 0) return null
  const drawing = lines.slice(at, last + 1)
  const table = parseDrawnTable(drawing)
  push(scan, [table === null ? code(drawing.join('\n')) : tableOf(table, context)])
  return last + 1
}

export function tableOf({ rows, headers }: RstTable, context: RstContext): DocumentBlock {
  const cells = rows.map((row) =>
    row.map((cell) => cellOf(blocksOf(dedent(cell.split('\n')), context))),
  )
  return { type: 'table', rows: cells, hasHeader: headers > 0 }
}

const doctestBlock: BlockReader = ({ lines, out }, at) => {
  if (!doctest.test(lines[at]!)) return null
  let end = at + 1
  while (end < lines.length && (lines[end]!.trim() !== '' || doctest.test(lines[end + 1] ?? '')))
    end++
  out.push(code(lines.slice(at, end).join('\n'), 'pycon'))
  return end
}

const doctest = /^>>>(?: |$)/

/** A list item's mark: a bullet, or the form of a number. */
type ItemMark = { sign: string; width: number; start: number | null }

function itemMarkAt(lines: readonly string[], at: number): ItemMark | null {
  const line = lines[at] ?? ''
  const [bullet, sign] = /^([-*+•‣⁃])(?:\s+|$)/.exec(line) ?? []
  if (bullet !== undefined) return { sign: sign!, width: bullet.length, start: null }
  const [whole, open = '', value, close] =
    /^(\(?)(\d{1,9}|#|[A-Za-z]|[ivxlc]{2,5})([.)])\s+(?=\S)/.exec(line) ?? []
  if (whole === undefined) return null
  const number = Number(value)
  const form = value === '#' ? '#' : number >= 0 ? '1' : 'a'
  return { sign: open + form + close, width: whole.length, start: number >= 0 ? number : 1 }
}

const listBlock: BlockReader = ({ lines, out, context }, at) => {
  const first = itemMarkAt(lines, at)
  if (first === null || (first.start !== null && isText(lines, at + 1))) return null
  const items: DocumentBlocks[] = []
  let next = at
  for (let mark: ItemMark | null = first; mark?.sign === first.sign; ) {
    const { width } = mark
    const end = bodyEnd(lines, next)
    const rest = lines.slice(next + 1, end)
    const body = rest.map((line) => line.slice(Math.min(width, line.search(/\S|$/))))
    items.push(blocksOf([lines[next]!.slice(width), ...body], context))
    for (next = end; lines[next]?.trim() === ''; next++);
    mark = itemMarkAt(lines, next)
  }
  out.push({ type: 'list', start: first.start, items })
  return next
}

/** True if a line continues a paragraph. The line above it is then not a numbered item. */
function isText(lines: readonly string[], at: number): boolean {
  return /^\S/.test(lines[at] ?? '') && itemMarkAt(lines, at) === null
}

const field = /^:([^\s:`][^:`]{0,200}):(?:[ \t]+(.*))?$/s
const pageOption = /^(?:orphan|nosearch|nocomments|tocdepth)$/

/** Reads a list of fields, such as `:param x: text`. */
const fieldBlock: BlockReader = ({ lines, out, context }, at) => {
  const items: DocumentBlocks[] = []
  let next = at
  for (;;) {
    const [, name, text = ''] = field.exec(lines[next] ?? '') ?? []
    if (name === undefined) break
    const end = bodyEnd(lines, next)
    const body = blocksOf([text, ...dedent(lines.slice(next + 1, end))], context)
    const lead = strong(inlineOf(name, context), ':')
    if (!pageOption.test(name)) items.push(withLead([lead, ' '], body))
    next = end
  }
  if (items.length > 0) out.push({ type: 'list', start: null, items })
  return next === at ? null : next
}

/** Reads lines that each start with `|`. */
const lineBlock: BlockReader = ({ lines, out, context }, at) => {
  let end = at
  while (/^\|(?: |$)/.test(lines[end] ?? '')) end = bodyEnd(lines, end)
  if (end === at) return null
  const text = lines.slice(at, end).map((line) => line.replace(/^[|\s]\s*/, ''))
  const children = text.flatMap((line): Inline[] => [inlineOf(line, context), { type: 'break' }])
  out.push(paragraph(...children))
  return end
}

/** Matches the start of a line that cannot be a term. */
const notTerm = /^(?:--?\w|\/\w|>|[=~^"'-]{3,}$)|::\s*$/

const definition: BlockReader = (scan, at) => {
  const { lines, context } = scan
  if (!/^\s+\S/.test(lines[at + 1] ?? '') || notTerm.test(lines[at]!)) return null
  const end = bodyEnd(lines, at)
  const words = inlineToMarkdown(lines[at]!.trim(), context)
  const term = /[*_]/.test(words) ? markdown(words) : strong(markdown(words))
  const body = blocksOf(dedent(lines.slice(at + 1, end)), context)
  const isText = body[0]?.type === 'paragraph'
  push(scan, withLead(isText ? [term, { type: 'break' }] : [term], body))
  return end
}

const paragraphBlock: BlockReader = ({ lines, out, context }, at) => {
  let end = at + 1
  while (end < lines.length && !endsParagraph(lines, end)) end++
  const source = lines.slice(at, end).map((line) => line.trim())
  const text = source.join('\n')
  const after = text.endsWith('::') ? bodyEnd(lines, end - 1, 0) : end
  const words = after === end ? text : text.slice(0, /(?:^|\s)::$/.test(text) ? -2 : -1)
  if (words.trim() !== '') out.push(paragraph(inlineOf(words, context)))
  const literal = dedent(lines.slice(end, after)).join('\n')
  if (after > end) out.push(code(literal, context.code.language))
  return after
}

function endsParagraph(lines: readonly string[], at: number): boolean {
  const line = lines[at]!
  if (line.trim() === '' || /^(?:\.\. [\w:+.-]+::|>>> )/.test(line)) return true
  return /^\s/.test(line) && lines[at - 1]!.trimEnd().endsWith('::')
}

/** The last reader accepts any line. */
const readers: readonly BlockReader[] = [
  indentedBlock,
  markupBlock,
  drawnTable,
  titleBlock,
  doctestBlock,
  listBlock,
  fieldBlock,
  lineBlock,
  definition,
  paragraphBlock,
]
