import { boxEndMark, markBoxTitle } from './box.ts'
import { codeSpan, fenceCode } from './fence.ts'
import { escapeMarkdown } from './inline.ts'
import { inlineCode, markdown } from './nodes.ts'
import type { DocumentBlock, DocumentBlocks, Inline, Inlines } from './tree.ts'

/** Writes blocks as Markdown. Omits blocks and items without text. */
export function writeMarkdown(blocks: DocumentBlocks): string {
  return blocksText(blocks, { depth: 0, isQuoted: false })
}

/** Writes inline nodes on one line. */
export function writeInline(nodes: Inlines): string {
  return inlineText(nodes)
    .replace(/[\s\0]+/g, ' ')
    .trim()
}

type Place = {
  /** The number of enclosing lists and quotes. */
  depth: number
  /** True inside a quote, whose lines start with `>`. A box cannot end there. */
  isQuoted: boolean
}

/** Deeper blocks are not indented further, because each level lengthens all their lines. */
const deepest = 16

/** Rows are padded to the longest row, so short text could produce many cells. */
const mostCells = 20_000

function blocksText(blocks: DocumentBlocks, place: Place): string {
  return blocks
    .map((block) => blockText(block, place))
    .filter((text) => text !== '')
    .join('\n\n')
}

function blockText(block: DocumentBlock, place: Place): string {
  switch (block.type) {
    case 'heading': {
      const words = writeInline(block.children)
      return words === '' ? '' : `${'#'.repeat(Math.min(6, Math.max(1, block.depth)))} ${words}`
    }
    case 'paragraph':
      return paragraphText(block.children)
    case 'code':
      return fenceCode(block.value, block.lang)
    case 'blockquote':
      return indented(blocksText(block.children, inner(place, true)), { ...place, mark: '>' })
    case 'list':
      return listText(block, place)
    case 'table':
      return tableText(block)
    case 'box':
      return boxText(block, place)
    case 'markdown':
      return block.value
  }
}

function inner({ depth, isQuoted }: Place, isQuote: boolean): Place {
  return { depth: depth + 1, isQuoted: isQuoted || isQuote }
}

/** Puts a mark before the first line, and indents or marks the other lines. */
function indented(text: string, { depth, mark }: { depth: number; mark: string }): string {
  if (text === '') return ''
  if (depth >= deepest) return mark === '>' ? text : `${mark} ${text}`
  const before = mark === '>' ? '> ' : ' '.repeat(mark.length + 1)
  const blank = mark === '>' ? '>' : ''
  const lines = text.split('\n')
  const rest = lines.slice(1).map((line) => (line.trim() === '' ? blank || line : before + line))
  return [`${mark} ${lines[0]}`, ...rest].join('\n')
}

/** Writes a list. Items with a single block are not separated by blank lines. */
function listText({ start, items }: DocumentBlock & { type: 'list' }, place: Place): string {
  const texts = items
    .map((item) => blocksText(item, inner(place, false)))
    .filter((text) => text !== '')
    .map((text, at) => {
      const mark = start === null ? '-' : `${start + at}.`
      return indented(text, { depth: place.depth, mark })
    })
  return texts.join(texts.some((text) => text.includes('\n\n')) ? '\n\n' : '\n')
}

function boxText({ title, children }: DocumentBlock & { type: 'box' }, place: Place): string {
  const words = writeInline(title)
  const text = blocksText(children, place)
  if (place.isQuoted) return [words, text].filter(Boolean).join('\n\n')
  return `${markBoxTitle(words)}\n\n${text}${text === '' ? '' : '\n'}${boxEndMark}`
}

function tableText({ rows, hasHeader }: DocumentBlock & { type: 'table' }): string {
  const cells = rows
    .map((row) => row.map(cellText))
    .filter((row, at) => (hasHeader && at === 0) || row.some((text) => text !== ''))
  return cells.every((row) => row.every((text) => text === '')) ? '' : writeTable(cells, hasHeader)
}

/** Writes one-line cells as a table. Without a header, its head is empty. */
export function writeTable(cells: readonly (readonly string[])[], hasHeader = true): string {
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0)
  if (width === 0) return ''
  if (width * cells.length > mostCells) return cells.map((row) => row.join(' ')).join('\n')
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`
  const [head, body] = hasHeader ? [cells[0]!, cells.slice(1)] : [[], cells]
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n')
}

/** Converts text to a one-line table cell. */
export function toCell(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<!\\)\|/g, '\\|')
}

function cellText(nodes: Inlines): string {
  return toCell(inlineText(nodes).replaceAll('\0', '<br>'))
}

/** Returns the lines of a paragraph. No line looks like the start of a block or indented code. */
function paragraphText(nodes: Inlines): string {
  return inlineText(nodes)
    .trim()
    .replace(/[^\S\n]*\n[^\S\n]*/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .replace(/\n(?=[-+>#] |\d+[.)] |=)/g, ' ')
    .replace(/^(?=[-+>#]+ )/, '\\')
    .replace(/\s*\0\s*/g, '  \n')
    .trimEnd()
}

const marks = { emphasis: '*', strong: '**', delete: '~~' }

/** Converts nodes to Markdown. A NUL is a line break. */
function inlineText(nodes: Inlines): string {
  let result = ''
  let text = ''
  for (const node of nodes) {
    // Adjacent strings are joined before escaping, because a mark can span two of them.
    if (typeof node === 'string') text += node
    else {
      result += textOf(text) + nodeText(node)
      text = ''
    }
  }
  return (result + textOf(text)).replace(/(?<=\S) {2,}(?=\S)/g, ' ')
}

function textOf(text: string): string {
  return escapeMarkdown(text.replaceAll('\0', ''))
}

function nodeText(node: Exclude<Inline, string>): string {
  switch (node.type) {
    case 'inlineCode':
      return codeSpan(node.value)
    case 'break':
      return '\0'
    case 'markdown':
      return node.value
    case 'link':
      return linkText(node.url, inlineText(node.children).trim())
    default:
      return marked(inlineText(node.children), marks[node.type])
  }
}

/** Puts marks around text, inside its outer spaces, unless it already has these marks. */
function marked(text: string, mark: string): string {
  const words = text.trim()
  if (words === '' || (words.startsWith(mark) && words.endsWith(mark))) return text
  const at = text.indexOf(words)
  return text.slice(0, at) + mark + words + mark + text.slice(at + words.length)
}

function linkText(url: string, words: string): string {
  const target = url.trim().replace(/[\s<>()]/g, encodeURIComponent)
  if (words !== '') return target === '' ? words : `[${words}](${target})`
  return /^[a-z][\w+.-]*:/i.test(target) ? `<${target}>` : target
}

/** Returns the content of a table cell on one line, with line breaks between blocks. */
export function cellOf(blocks: DocumentBlocks): Inlines {
  return joinLines(blocks.map(inlinesOf))
}

function inlinesOf(block: DocumentBlock): Inlines {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return block.children
    case 'code':
      return joinLines(
        block.value
          .trim()
          .split('\n')
          .map((line) => [inlineCode(line)]),
      )
    case 'list':
      return joinLines(block.items.map((item) => ['• ', ...cellOf(item)]))
    case 'blockquote':
      return cellOf(block.children)
    case 'box':
      return joinLines([block.title, cellOf(block.children)])
    default:
      return [markdown(writeMarkdown([block]))]
  }
}

/** Joins lines with line breaks. */
export function joinLines(lines: readonly Inlines[]): Inlines {
  return lines.flatMap((line, at): Inline[] =>
    at === 0 ? [...line] : [{ type: 'break' }, ...line],
  )
}
