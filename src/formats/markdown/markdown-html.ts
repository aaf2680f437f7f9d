import { lineEnd } from '../../document/seek.ts'
import { boxEndMark, markBoxTitle } from '../../document/box.ts'
import { quoteAt, quoteLimit, toQuote } from '../../document/block-lines.ts'
import { decodeEntities } from '../../document/inline.ts'
import { isCodeLine, type CodeScan } from './comment.ts'
import { fenceCode } from '../../document/fence.ts'
import {
  blockMark,
  htmlTableText,
  joinBlocks,
  lineMark,
  type HtmlCell,
} from '../html/markdown-table.ts'
import {
  attributeOf,
  htmlBlockStart,
  htmlSigns,
  HtmlTags,
  inlineElement,
} from '../html/markdown-tag.ts'
import { textOfHtml, type HtmlTag } from '../html/markdown-tag.ts'
import { codeSpanEnds } from '../../document/code-span.ts'

/**
 * Converts HTML in Markdown to Markdown, and entities to characters: tables, lists, headings,
 * emphasis, links, pictures and `<details>`. Removes style sheets, drawings, and tags that only
 * style text. Leaves code and names that are unknown in HTML, such as `<T>`, unchanged.
 */
export function withoutHtml(text: string, depth = 0): string {
  if (!htmlSigns.test(text)) return text
  const source = text.replaceAll(blockMark, '').replaceAll(lineMark, '')
  const scan: Scan = {
    source,
    tags: new HtmlTags(source),
    code: { fence: null, isInItem: false },
    frames: [frameOf('', '')],
    lists: [],
    details: [],
    margin: null,
    hasPipes: false,
    depth,
  }
  for (let at = 0; at < source.length; ) at = scanLine(scan, at)
  while (scan.frames.length > 1) abandonFrame(scan)
  const output = joinBlocks(scan.frames[0]!.text)
  return source.endsWith('\n') ? output : output.replace(/\n$/, '')
}

/** An open element that is converted as a whole. */
type Frame = {
  name: string
  text: string
  /** A link's target, a heading's id, or a table's margin. */
  value: string
  rows: HtmlCell[][]
  /** A cell without its text; null for other elements. */
  cell: HtmlCell | null
}

function frameOf(name: string, value: string, cell: HtmlCell | null = null): Frame {
  return { name, text: '', value, rows: [], cell }
}

type Scan = {
  source: string
  tags: HtmlTags
  code: CodeScan
  /** Open frames. The first one is the page. */
  frames: Frame[]
  /** The next item number of each open list; 0 for bullet lists. */
  lists: number[]
  /** For each open `<details>`, true if its title started a box. */
  details: boolean[]
  /** The indentation of the surrounding HTML block; null outside one. */
  margin: string | null
  /** True if the previous line is a row of a pipe table. */
  hasPipes: boolean
  /** The number of enclosing quotes. */
  depth: number
}

type Line = {
  /** The end of the line. If a tag continues on the next line, so does the line. */
  end: number
  /** True for a Markdown table row, heading or quote, in which no block can start. */
  isRow: boolean
  /** Indentation of text that continues the line. */
  margin: string
}

function put({ frames }: Scan, text: string): void {
  frames.at(-1)!.text += text
}

/** An HTML block in a quote, whose marks would break the block. */
const blockInQuote = /^[ >]*<(?:table|pre|[uod]l|details|h[1-6])\b/im

const emptyAnchor = /^\s*<a\s[^<>]*(?:>\s*<\/a>|\/>)\s*$/i
const fenceStart = /^\s*(?:`{3}|~{3})/

/** Converts a line. Returns the start of the next one. */
function scanLine(scan: Scan, start: number): number {
  const { source, frames } = scan
  const end = lineEnd(source, start)
  const sourceText = source.slice(start, end)
  const isBlank = sourceText.trim() === ''
  const isOutside = scan.margin === null && scan.code.fence === null && frames.length === 1
  const quote = isOutside && scan.depth < quoteLimit ? quoteAt(source, start, blockInQuote) : null
  if (quote !== null) {
    put(scan, `${toQuote(withoutHtml(quote.inner, scan.depth + 1))}\n`)
    return quote.end + 1
  }
  // In an HTML block, indented lines are not code, but fences are.
  const mayBeCode = scan.margin === null || scan.code.fence !== null || fenceStart.test(sourceText)
  if (isBlank || (mayBeCode && isCodeLine(sourceText, scan.code))) {
    scan.margin = null
    scan.hasPipes &&= !isBlank
    while (inlineElement.test(frames.at(-1)!.name)) abandonFrame(scan)
    const { cell } = frames.at(-1)!
    if (cell !== null) cell.hasBlocks ||= !isBlank
    put(scan, `${sourceText}\n`)
    return end + 1
  }
  const isInTable = isPipeRow(scan, sourceText, end)
  if (emptyAnchor.test(sourceText)) return end + 1
  const indent = /^\s*/.exec(sourceText)![0]
  if (htmlBlockStart.test(sourceText)) scan.margin ??= indent
  if (scan.margin !== null && indent.length < scan.margin.length) scan.margin = indent
  if (scan.margin === null && !/[<&]/.test(sourceText)) {
    put(scan, `${sourceText}\n`)
    return end + 1
  }
  const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/.exec(sourceText)?.[0] ?? indent
  put(scan, scan.margin ?? indent)
  return scanInline(scan, start + indent.length, {
    end,
    isRow: /^\s*(?:[|>]|#{1,6}\s)/.test(sourceText) || isInTable,
    margin: scan.margin ?? ' '.repeat(item.length),
  })
}

/** Matches the line below the head of a pipe table. */
const delimiterRow = /\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?::?-+:?[ \t]*)?(?:\n|$)/y

/** True for a row of a pipe table without leading `|`. The line ends at `end`. */
function isPipeRow(scan: Scan, line: string, end: number): boolean {
  if (!line.includes('|')) return (scan.hasPipes = false)
  delimiterRow.lastIndex = end
  if (scan.margin === null && delimiterRow.test(scan.source)) scan.hasPipes = true
  return scan.hasPipes
}

/** Converts the text from an offset to the end of the line. */
function scanInline(scan: Scan, start: number, line: Line): number {
  const { source } = scan
  let [at, codeStart] = [start, start]
  let codeEnds: ReadonlyMap<number, number> | null = null
  const marks = /`+|<|&|\\[^\n]/g
  marks.lastIndex = start
  for (let match = marks.exec(source); match !== null; match = marks.exec(source)) {
    const { 0: mark, index } = match
    if (index >= line.end) break
    if (mark[0] === '`') {
      codeEnds ??= codeSpanEnds(source.slice(codeStart, line.end))
      const codeEnd = codeEnds.get(index - codeStart)
      if (codeEnd !== undefined) marks.lastIndex = codeStart + codeEnd
      continue
    }
    if (mark[0] === '\\') continue
    const piece = scan.tags.tagAt(index) ?? entityAt(source, index, line.isRow)
    if (piece === null) continue
    put(scan, source.slice(at, index))
    at = 'output' in piece ? piece.end : convertTag(scan, piece, line)
    if ('output' in piece) put(scan, piece.output)
    marks.lastIndex = at
    if (at <= line.end) continue
    ;[line.end, codeStart, codeEnds] = [lineEnd(source, at), at, null]
  }
  put(scan, `${source.slice(at, line.end)}\n`)
  return line.end + 1
}

/** Returns an entity's character, escaped if it would be Markdown. */
function entityAt(
  source: string,
  at: number,
  isRow: boolean,
): { output: string; end: number } | null {
  const entity = /^&(?:#\w{1,8}|[a-z]{2,8}\d{0,2});/i.exec(source.slice(at, at + 13))?.[0]
  if (entity === undefined) return null
  const character = decodeEntities(entity)
  if (character === entity) return null
  const end = at + entity.length
  const isMarkup =
    character === '<'
      ? /[A-Za-z/!?]/.test(source[end] ?? '')
      : /^[*_`[\]]$/.test(character) || (isRow && character === '|')
  return { output: isMarkup ? `\\${character}` : character, end }
}

/** True if an element is removed with its content. */
function isHidden({ tags }: Scan, tag: HtmlTag): boolean {
  if (/^(?:svg|style|script|head)$/.test(tag.name)) return true
  if (tag.isClosing || !/display:\s*none/.test(tag.attributes)) return false
  const inner = tags.innerOf(tag)
  return inner !== null && !inner.includes(`<${tag.name}`)
}

const codes = new Set(['code', 'kbd', 'samp', 'tt'])

/** Converts a tag. Returns the end of the replaced source. */
function convertTag(scan: Scan, tag: HtmlTag, line: Line): number {
  const { name, isClosing, isAlone, end } = tag
  if (isHidden(scan, tag)) {
    put(scan, line.isRow ? '' : blockMark)
    return isClosing || isAlone ? end : (scan.tags.contentOf(tag)?.end ?? end)
  }
  if (codes.has(name) && !isClosing) return codeSpan(scan, tag, line)
  if (name === 'pre' && !isClosing && !line.isRow) return listing(scan, tag)
  if (name === 'br') {
    put(scan, line.isRow || scan.frames.some(({ cell }) => cell) ? '<br>' : lineMark + line.margin)
  } else if (name === 'img') put(scan, picture(tag))
  else if (media.test(name) && !isClosing) put(scan, mediaLink(tag))
  else if (line.isRow && !inlineElement.test(name))
    put(scan, name === 'li' && !isClosing ? '<br>- ' : '')
  else if (name === 'hr') put(scan, `${blockMark}---${blockMark}`)
  else if (isClosing) closeElement(scan, name, line)
  else if (!isAlone) openElement(scan, tag, line)
  return end
}

function codeSpan(scan: Scan, tag: HtmlTag, line: Line): number {
  const content = scan.tags.contentOf(tag)
  if (content === null || content.inner.length > 2000 || /\n\s*\n/.test(content.inner))
    return tag.end
  const inner = scan.margin === null ? withoutMarks(content.inner) : content.inner
  const code = textOfHtml(inner.replaceAll('`', '')).replace(/\s+/g, ' ').trim()
  const output = line.isRow ? code.replace(/(?<!\\)\|/g, '\\|') : code
  put(scan, output === '' ? '' : `\`${output}\``)
  return content.end
}

/** Removes emphasis, link targets and escapes in an inline element. */
function withoutMarks(inner: string): string {
  return inner
    .replace(/\*\*(?=\S)([^*\n]{1,200})\*\*/g, '$1')
    .replace(/\[([^[\]\n]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replace(/\\([<>])/g, (_, sign: string) => (sign === '<' ? '&lt;' : '&gt;'))
}

function listing(scan: Scan, tag: HtmlTag): number {
  const content = scan.tags.contentOf(tag)
  if (content === null) return tag.end
  const classes = tag.attributes + content.inner.slice(0, 200)
  const language = /class(?:Name)?=["'](?:[^"']*\s)?lang(?:uage)?-([\w+#-]+)/i.exec(classes)?.[1]
  const code = textOfHtml(content.inner.replace(/<br\s*\/?>/gi, '\n'))
  put(scan, `${blockMark}${fenceCode(code, language ?? '')}${blockMark}`)
  for (const { cell } of scan.frames) if (cell !== null) cell.hasBlocks = true
  return content.end
}

const media = /^(?:iframe|video|audio|source)$/

function mediaLink(tag: HtmlTag): string {
  const target = attributeOf(tag, 'src').replaceAll(' ', '%20')
  const words =
    attributeOf(tag, 'title') || target.replace(/[?#].*$|\/$/s, '').replace(/^.*\//s, '')
  return target === '' ? '' : `[${words.replace(/[[\]]/g, '')}](${target})`
}

function picture(tag: HtmlTag): string {
  const target = attributeOf(tag, 'src').replaceAll(' ', '%20')
  const words = attributeOf(tag, 'alt').replace(/\s+/g, ' ')
  return target === '' || target.startsWith('data:') ? words : `![${words}](${target})`
}

/** Maximum number of open frames, because each one copies its text. */
const frameLimit = 40

/** Deeper lists are not indented further, so that their lines stay short. */
const deepestList = 10

/** The maximum of HTML for columns. */
const mostSpan = 1000

const framed = /^(?:a|b|del|dt|em|h[1-6]|i|s|strong|summary|sup|table|t[dh])$/
const breaking = new RegExp(
  '^(?:address|article|aside|blockquote|caption|center|dd|details|div|dl|figure|figcaption|footer' +
    '|header|main|nav|[ou]l|p|section)$',
)

function openElement(scan: Scan, tag: HtmlTag, line: Line): void {
  const { frames, lists } = scan
  const { name } = tag
  if (/^t[rdh]$/.test(name)) closeFrame(scan, 'td')
  if (name === 'tr') frames.findLast((frame) => frame.name === 'table')?.rows.push([])
  else if (name === 'details') scan.details.push(false)
  const isInner = lists.length > 0
  if (name === 'ul' || name === 'ol') lists.push(name === 'ol' ? 1 : 0)
  if (name === 'li') {
    const number = lists.pop() ?? 0
    const indent = '  '.repeat(Math.min(lists.length, deepestList))
    lists.push(number === 0 ? 0 : number + 1)
    put(scan, `${lineMark}${line.margin}${indent}${number === 0 ? '-' : `${number}.`} `)
  } else if (breaking.test(name)) {
    const isTight = name === 'dd' || (isInner && lists.length > 0)
    put(scan, `${isTight ? lineMark : blockMark}${line.margin}`)
  }
  if (!framed.test(name) || frames.length > frameLimit) return
  const isCell = name === 'td' || name === 'th'
  if (isCell && !frames.some((frame) => frame.name === 'table')) return
  const number = (key: string) => {
    const count = Number.parseInt(attributeOf(tag, key) || '1', 10)
    // A cell with `rowspan="0"` covers the rows below it.
    return count === 0 && key === 'rowspan' ? mostSpan : Math.min(mostSpan, Math.max(1, count || 1))
  }
  const cell = { text: '', isHeader: name === 'th', hasBlocks: false }
  const isBlock = name === 'table' || name === 'summary'
  const value = isBlock ? line.margin : attributeOf(tag, name === 'a' ? 'href' : 'id')
  const span = isCell ? { ...cell, columns: number('colspan'), rows: number('rowspan') } : null
  frames.push(frameOf(isCell ? 'td' : name, value, span))
}

function closeElement(scan: Scan, name: string, line: Line): void {
  if (framed.test(name) || name === 'tr')
    return closeFrame(scan, /^t[drh]$/.test(name) ? 'td' : name)
  if (name === 'ul' || name === 'ol') scan.lists.pop()
  if (name === 'details' && scan.details.pop()) put(scan, `${lineMark}${boxEndMark}${lineMark}`)
  else if (breaking.test(name)) put(scan, `${blockMark}${line.margin}`)
}

/** Closes the innermost frame with a name, and the frames in it. A cell closes in its table. */
function closeFrame(scan: Scan, name: string): void {
  const { frames } = scan
  if (name === 'table') closeFrame(scan, 'td')
  const index = frames.findLastIndex(
    (frame) => frame.name === name || frame.name === 'table' || frame.cell !== null,
  )
  if (frames[index]?.name !== name) return
  while (frames.length > index + 1) abandonFrame(scan)
  const frame = frames.pop()!
  if (frame.cell === null) return put(scan, shownFrame(scan, frame))
  const { rows } = frames.findLast((outer) => outer.name === 'table')!
  if (rows.length === 0) rows.push([])
  rows.at(-1)!.push({ ...frame.cell, text: frame.text })
}

/** Ends the innermost frame without converting it. */
function abandonFrame(scan: Scan): void {
  const { text, rows } = scan.frames.pop()!
  put(scan, [...rows.flat().map((cell) => cell.text), text].join(blockMark))
}

function shownFrame(scan: Scan, { name, text, value, rows }: Frame): string {
  if (name === 'table') {
    for (const { cell } of scan.frames) if (cell !== null) cell.hasBlocks = true
    return `${text.trim()}${htmlTableText(rows, value)}`
  }
  const bare = text.trim()
  if (bare === '') return text === '' ? '' : ' '
  const words = bare.replace(/[\s\u0001\u0002]+/g, ' ').trim()
  const heading = /^h([1-6])$/.exec(name)?.[1]
  if (heading !== undefined) {
    for (const { cell } of scan.frames) if (cell !== null) cell.hasBlocks = true
    const id = /^[\w.-]+$/.test(value) ? ` {#${value}}` : ''
    return `${blockMark}${'#'.repeat(Number(heading))} ${words}${id}${blockMark}`
  }
  if (name === 'summary') {
    const title = words.replace(/^#+ /, '')
    const isBox = scan.details.length > 0 && !scan.frames.some(({ cell }) => cell)
    if (isBox) scan.details[scan.details.length - 1] = true
    const output = /\*\*/.test(title) ? title : `**${title}**`
    return `${blockMark}${value}${isBox ? markBoxTitle(output) : output}${blockMark}`
  }
  if (name === 'dt') return `${blockMark}${wrap(words, '**')}${lineMark}`
  // In a card, which contains blocks, the heading becomes the link.
  if (/[\u0001\u0002]/.test(bare))
    return name === 'a' ? text.replace(cardTitle, `$1[$2](${value})`) : text
  const before = text.slice(0, text.length - text.trimStart().length)
  return `${before}${inlineText(name, bare, value)}${text.slice(text.trimEnd().length)}`
}

const cardTitle = /^([\s\u0001\u0002]*#{1,6} )([^[\]\u0001\u0002\n]+)/

function inlineText(name: string, text: string, target: string): string {
  if (name === 'a') {
    const isLink = target !== '' && !/^(?:javascript|data):|[\s()<>]/i.test(target)
    return isLink ? `[${text}](${target})` : text
  }
  if (name === 'sup') return /^[-−–+]?[\dn](?:[\d\s+−–-]*)$/.test(text) ? `^${text}` : text
  if (name === 'del' || name === 's') return wrap(text, '~~')
  return wrap(text, name === 'b' || name === 'strong' ? '**' : '*')
}

function wrap(text: string, mark: string): string {
  return text.includes(mark) ? text : `${mark}${text}${mark}`
}
