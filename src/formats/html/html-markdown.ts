import { ancestorsOf, type HtmlElement } from './article.ts'
import { gridOf, type SpannedCell } from './markdown-table.ts'
import { codeTable, listingToFence, preToFence } from './html-code.ts'
import { codeSpan } from '../../document/fence.ts'
import { toQuote } from '../../document/block-lines.ts'
import { imageMath, isMath, isMathImage, isPower, mathToMarkdown } from './html-math.ts'

/**
 * Converts an element to Markdown in one walk: ATX headings, fences with language, pipe tables, and
 * admonitions as quotes with their title. Keeps relative links. Does not escape inline text,
 * because a search would not find `snake\_case`.
 */
export function htmlToMarkdown(element: HtmlElement): string {
  const headed = ancestorsOf(element.querySelectorAll('h1, h2, h3, h4, h5, h6'))
  return `${flow(element, { depth: 0, nesting: 0, headed })}\n`
}

/** A converted node. Adjacent inline pieces form a paragraph; an empty block ends it. */
type Piece = { kind: 'inline' | 'block' | 'list'; text: string }
type Context = {
  depth: number
  nesting: number
  headed: ReadonlySet<HtmlElement>
  isTight?: boolean
}

/** Maximum nesting of converted elements. Only the text of deeper elements is kept. */
const depthLimit = 250

/** Maximum nesting of quotes, lists, titles and marks, because each level copies its text. */
const nestingLimit = 24

/** Converts an element's children to Markdown blocks with blank lines between them. */
function flow(element: HtmlElement, { depth, nesting, headed, isTight }: Context): string {
  const pieces: Piece[] = []
  walk(element, { depth, nesting: nesting + 1, headed, pieces })
  let text = ''
  for (let index = 0; index < pieces.length; ) {
    const { kind, text: block, next } = blockAt(pieces, index)
    const gap = kind === 'list' && isTight ? '\n' : '\n\n'
    if (block !== '') text += text === '' ? block : gap + block
    index = next
  }
  return text
}

function blockAt(pieces: Piece[], start: number): Piece & { next: number } {
  const first = pieces[start]
  if (first && first.kind !== 'inline') return { ...first, next: start + 1 }
  let next = start
  while (pieces[next]?.kind === 'inline') next++
  const line = oneLine(
    pieces
      .slice(start, next)
      .map((piece) => piece.text)
      .join(''),
  )
  return { kind: 'block', text: line.replace(blockOpening, '$1\\'), next }
}

/** Collapses spaces. Keeps line breaks, which come from `<br>`. */
function oneLine(text: string): string {
  return text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()
}

const blockOpening = /^( *)(?=#{1,6}\s|`{3}|~{3}|<(?:!--|pre|script|style|h[1-6])|[-=]{2,} *$)/gim

type Walk = Omit<Context, 'isTight'> & { pieces: Piece[] }

function walk(element: HtmlElement, { depth, pieces, ...rest }: Walk): void {
  for (const child of element.childNodes) {
    if (child.nodeType === 3) pieces.push(inline((child.textContent ?? '').replace(/\s+/g, ' ')))
    else if (child.nodeType === 1) render(child, { ...rest, depth: depth + 1, pieces })
  }
}

function inline(text: string): Piece {
  return { kind: 'inline', text }
}

function block(text: string): Piece {
  return { kind: 'block', text }
}

function render(element: HtmlElement, at: Walk): void {
  const { depth, nesting, pieces } = at
  if (depth > depthLimit) pieces.push(inline((element.textContent ?? '').replace(/\s+/g, ' ')))
  else if (nesting > nestingLimit && element.nodeName !== 'PRE') container(element, at)
  else if (isMath(element, classOf(element))) pieces.push(inline(mathToMarkdown(element)))
  else if (isNote(element)) pieces.push(block(toQuote(flow(element, at))))
  else if (isListing(element)) pieces.push(block(listingToFence(element)))
  else if (isSignature(element)) pieces.push(block(codeSpan(element.textContent ?? '')))
  else if (isMember(element)) pieces.push(block(memberHeading(element)))
  else if (isTitle(element, at)) pieces.push(block(strong(flow(element, at))))
  else if (Object.hasOwn(renderers, element.nodeName)) renderers[element.nodeName]?.(element, at)
  else if (inlineNames.test(element.nodeName)) walk(element, at)
  else container(element, at)
}

function classOf(element: HtmlElement): string {
  return element.getAttribute('class') ?? ''
}

const noteClass =
  /(?:^|\s)(?:admonition|custom-block|theme-admonition|starlight-aside|callout)(?:\s|$)/
const titleClass = /(?:^|\s)(?:admonition-title|custom-block-title|starlight-aside__title)(?:\s|$)/

function isNote(element: HtmlElement): boolean {
  return element.nodeName !== 'DETAILS' && noteClass.test(classOf(element))
}

function isTitle(element: HtmlElement, { headed }: Context): boolean {
  const { nodeName } = element
  if (headed.has(element)) return false
  return nodeName === 'SUMMARY' || nodeName === 'DT' || titleClass.test(classOf(element))
}

/** True for a Doxygen listing. */
function isListing(element: HtmlElement): boolean {
  return element.nodeName === 'DIV' && classOf(element) === 'fragment'
}

/** True for a Sphinx signature, which consists of many elements. */
function isSignature(element: HtmlElement): boolean {
  return element.nodeName === 'DT' && /(?:^|\s)sig(?:\s|$)/.test(classOf(element))
}

/**
 * True for the signature of a function or class on a pydoc or pdoc page, where signatures are not
 * headings.
 */
function isMember(element: HtmlElement): boolean {
  const { nodeName, children, parentNode } = element
  if (nodeName === 'DIV') {
    return parentNode?.nodeName === 'SECTION' && /^attr (?:class|function)/.test(classOf(element))
  }
  if (nodeName !== 'DT') return false
  const [first] = children
  if (first?.nodeName === 'CODE') return /^name\b/.test(classOf(first))
  return (
    first?.nodeName === 'A' &&
    first.getAttribute('name') !== null &&
    [...first.children][0]?.nodeName === 'STRONG'
  )
}

function memberHeading(element: HtmlElement): string {
  const signature = codeSpan(element.textContent ?? '')
  const marks = /\bclass\b/.test(classOf(element)) ? '###' : '####'
  return signature === '' ? '' : `${marks} ${signature}`
}

const inlineNames =
  /^(?:SPAN|SUB|ABBR|CITE|Q|TIME|SMALL|BIG|U|INS|MARK|FONT|LABEL|VAR|BD[IO]|WBR|DFN)$/

/** Converts the content of an element such as a `div` to separate blocks. */
function container(element: HtmlElement, at: Walk): void {
  at.pieces.push(block(''))
  walk(element, at)
  at.pieces.push(block(''))
}

const renderers: Record<string, (element: HtmlElement, at: Walk) => void> = {
  H1: heading,
  H2: heading,
  H3: heading,
  H4: heading,
  H5: heading,
  H6: heading,
  PRE: (element, { pieces }) => pieces.push(block(preToFence(element))),
  TABLE: table,
  UL: list,
  OL: list,
  BLOCKQUOTE: (element, at) => at.pieces.push(block(toQuote(flow(element, at)))),
  HR: (_, { pieces }) => pieces.push(block('---')),
  BR: (_, { pieces }) => pieces.push(inline('\n')),
  CODE: code,
  KBD: code,
  SAMP: code,
  TT: code,
  STRONG: wrapIn('**'),
  B: wrapIn('**'),
  EM: wrapIn('*'),
  I: wrapIn('*'),
  SUP: superscript,
  DEL: wrapIn('~~'),
  S: wrapIn('~~'),
  A: link,
  IMG: (element, { pieces }) => pieces.push(inline(imageText(element))),
  INPUT: checkbox,
}

function heading(element: HtmlElement, at: Walk): void {
  const title = flow(element, at)
    .replace(/\[([^[\]]*)\]\(#[^()]*\)/g, '$1')
    .replace(/\s+/g, ' ')
  const marks = '#'.repeat(Number(element.nodeName[1]))
  at.pieces.push(block(title === '' ? '' : `${marks} ${title.replace(/^\\/, '')}`))
}

function code(element: HtmlElement, { pieces }: Walk): void {
  pieces.push(inline(codeSpan(element.textContent ?? '')))
}

function strong(title: string): string {
  return title === '' || /\*\*|\n/.test(title) ? title : `**${title}**`
}

/**
 * Returns a function that encloses an inline element in marks, unless it contains blocks, such as a
 * card.
 */
function wrapIn(mark: string) {
  return (element: HtmlElement, at: Walk): void => {
    around(element, at, (text) => (text.includes(mark) ? text : `${mark}${text}${mark}`))
  }
}

function around(element: HtmlElement, at: Walk, wrap: (text: string) => string): void {
  const pieces: Piece[] = []
  walk(element, { ...at, nesting: at.nesting + 1, pieces })
  const text = pieces.map((piece) => piece.text).join('')
  const isInline = pieces.every((piece) => piece.kind === 'inline') && text.trim() !== ''
  // White space must be outside the marks, because `** text **` is not bold.
  const before = text.slice(0, text.length - text.trimStart().length)
  const after = text.slice(text.trimEnd().length)
  if (!isInline) for (const piece of pieces) at.pieces.push(piece)
  else at.pieces.push(inline(before + wrap(text.trim()) + after))
}

/** Writes a power as `10^-6`; other superscripts, such as `1st` and footnotes, are plain text. */
function superscript(element: HtmlElement, at: Walk): void {
  const before = at.pieces.at(-1)?.text ?? ''
  around(element, at, (text) => (isPower(before, text) ? `^${text}` : text))
}

function link(element: HtmlElement, at: Walk): void {
  const target = (element.getAttribute('href') ?? '').trim().replaceAll(' ', '%20')
  const isPlain =
    target === '' ||
    /^(?:javascript|data):/i.test(target) ||
    (element.getAttribute('role') ?? '').startsWith('doc-')
  around(element, at, (text) => (isPlain ? text : `[${text}](${target})`))
}

function imageText(image: HtmlElement): string {
  const source = (image.getAttribute('src') ?? '').trim()
  const description = (image.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim()
  if (description !== '' && isMathImage(classOf(image)))
    return image.parentNode?.querySelector('math') ? '' : imageMath(description)
  // Sphinx repeats the path if there is no alternative text.
  const alt = fileName(description) === fileName(source) ? '' : description
  if (source === '' || source.startsWith('data:')) return alt
  return `![${alt}](${source.replaceAll(' ', '%20')})`
}

function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot >= 0 && /^\w+$/.test(name.slice(dot + 1)) ? name : path
}

function checkbox(element: HtmlElement, { pieces }: Walk): void {
  if (element.getAttribute('type') !== 'checkbox') return
  pieces.push(inline(element.getAttribute('checked') === null ? '[ ] ' : '[x] '))
}

/**
 * Converts a list. Items with a heading, such as methods on generated API pages, become separate
 * blocks, because a heading in a list item would not be recognized.
 */
function list(element: HtmlElement, at: Walk): void {
  const { depth, nesting, headed, pieces } = at
  const isOrdered = element.nodeName === 'OL'
  const start = element.getAttribute('start')?.trim() ?? ''
  let index = /^\d{1,9}$/.test(start) ? Number(start) : 1
  let items: string[] = []
  const endList = () => {
    pieces.push({ kind: 'list', text: items.join('\n') })
    items = []
  }
  for (const item of element.children) {
    const marker = isOrdered ? `${index++}. ` : '- '
    if (headed.has(item)) {
      endList()
      container(item, at)
      continue
    }
    const content = flow(item, { depth: depth + 1, nesting, headed, isTight: true })
    const indented = content.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)
    if (content !== '') items.push(marker + indented)
  }
  endList()
}

/** Converts a table. A layout table, which contains code, headings or tables, becomes blocks. */
function table(element: HtmlElement, at: Walk): void {
  if (element.querySelector('pre, table, h1, h2, h3')) return container(element, at)
  const trs = rowsOf(element)
  const code = codeTable(element, trs)
  if (code !== null) return void at.pieces.push(block(code))
  // A cell can only span rows of its own section.
  const below = new Map<HtmlElement | null, number>()
  const limits = trs.toReversed().map(({ parentNode }) => {
    const nRows = (below.get(parentNode) ?? 0) + 1
    below.set(parentNode, nRows)
    return nRows
  })
  const cells = trs.map((row, index) =>
    [...row.children].map((cell) => spannedCell(cell, at, limits.at(-1 - index)!)),
  )
  const grid = gridOf(cells).filter((row) => row.length > 0)
  const rows = grid.map((row) => `| ${row.join(' | ')} |`)
  if (grid[0]) rows.splice(1, 0, `| ${grid[0].map(() => '---').join(' | ')} |`)
  const caption = element.querySelector('caption')
  if (caption) at.pieces.push(block(flow(caption, at)))
  at.pieces.push(block(rows.join('\n')))
}

/** Returns a cell. Short text is repeated in the rows that the cell spans, up to `nRows`. */
function spannedCell(cell: HtmlElement, at: Walk, nRows: number): SpannedCell {
  const text = cellText(flow(cell, at))
  const span = (name: string) => {
    const count = Number(cell.getAttribute(name) ?? 1)
    return Number.isInteger(count) && count >= 0 && count <= 1000 ? count : 1
  }
  const below = text.length <= 200 ? text : ''
  const rows = Math.min(span('rowspan') || nRows, nRows)
  return { text, columns: span('colspan') || 1, rows, below }
}

/**
 * Returns the rows of a table without nested rows. Broken pages contain such rows, and reading them
 * would take quadratic time.
 */
function rowsOf(element: HtmlElement): HtmlElement[] {
  const rows: HtmlElement[] = []
  const open = [...element.children].toReversed()
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.nodeName === 'TR') rows.push(next)
    else for (const child of [...next.children].toReversed()) open.push(child)
  }
  return rows
}

function cellText(content: string): string {
  const lines = content.replace(/(?<!\\)\|/g, '\\|').split('\n')
  const last = lines.length - 1
  const ends = (line: string, at: number) => (at === 0 ? line : line.trimStart())
  return lines
    .map((line, at) => (at === last ? ends(line, at) : ends(line, at).trimEnd()))
    .filter((line, at) => line !== '' || at === 0 || at === last)
    .join('<br>')
}
