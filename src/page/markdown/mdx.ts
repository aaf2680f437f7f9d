import { columnsBefore, withoutColumns } from '../block-lines.ts'
import { closesFence, fenced, openedFence, type Fence } from './fence.ts'
import { jsxTag, type JsxTag } from './jsx-tag.ts'
import { withoutModules } from './mdx-module.ts'
import { seeker } from '../seek.ts'

/**
 * Converts MDX to Markdown. Imports, exports and comments are removed; a component becomes the text
 * of its attributes (title, code) and its content, unindented. Code in fences and code spans stays
 * as it is, and so do expressions.
 */
export function mdxText(text: string): string {
  const source = withoutModules(text)
  const scan: Scan = {
    source, open: [], nOpen: new Map(), fence: null, out: [], nBroken: 0, nRead: 0,
    commentEnd: seeker(source, '*/'), braceEnd: seeker(source, '}'),
  }
  for (let at = 0; at <= scan.source.length;) at = scanLine(scan, at)
  return scan.out.join('\n')
}

/** An open component. `column` is the indentation of its content; null before its first line. */
type Component = { name: string; column: number | null }

type Scan = {
  source: string
  open: Component[]
  /** The number of open components by name. */
  nOpen: Map<string, number>
  fence: Fence | null
  out: string[]
  /** The number of `<` that began no tag. After many, less of the text is searched for the next. */
  nBroken: number
  /** Characters of tags that are no components and are therefore read a second time, as text. */
  nRead: number
  /** Find the next mark, from an offset on, that ends a comment or an expression. */
  commentEnd: (from: number) => number
  braceEnd: (from: number) => number
}

/** Reads the line at an offset. Returns the offset of the next line to read. */
function scanLine(scan: Scan, at: number): number {
  const end = lineEnd(scan.source, at)
  const written = scan.source.slice(at, end)
  const columns = columnsBefore(written)
  const taken = Math.min(columnOf(scan, written), columns)
  const line = withoutColumns(written, taken)
  if (scan.fence) {
    if (closesFence(scan.fence, line)) scan.fence = null
    scan.out.push(line)
    return end + 1
  }
  scan.fence = openedFence(line)
  if (scan.fence || !/[<{]/.test(line)) {
    scan.out.push(line)
    return end + 1
  }
  const reduced = reducedLine(scan, at)
  const shown = withoutColumns(reduced.text, taken).trimEnd()
  // Tags alone on a line leave nothing, or blocks of their own.
  if (shown.trim() !== '' && !shown.startsWith('\n')) scan.out.push(shown)
  else pushBlock(scan.out, shown.trim())
  return reduced.end + 1
}

function pushBlock(out: string[], block: string): void {
  if (out.at(-1)?.trim() !== '') out.push('')
  if (block !== '') out.push(block, '')
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end < 0 ? source.length : end
}

/** The number of columns by which a line in the innermost component is moved to the left. */
function columnOf(scan: Scan, written: string): number {
  const inner = scan.open.at(-1)
  if (inner === undefined) return 0
  const columns = columnsBefore(written)
  const isClosing = !scan.fence && written.trimStart().startsWith(`</${inner.name}`)
  if (inner.column === null && columns !== Infinity && !isClosing) inner.column = columns
  return inner.column ?? 0
}

/** A line without components and comments. `end` is the line end after the last of them. */
function reducedLine(scan: Scan, start: number): { text: string; end: number } {
  const { source } = scan
  let end = lineEnd(source, start)
  let text = ''
  for (let at = start; at < end;) {
    const gone = codeSpan(source, { at, end }) ?? comment(scan, { at, end }) ?? component(scan, at)
    text += gone?.shown ?? source[at]
    at += gone?.length ?? 1
    if (at > end) end = lineEnd(source, at)
  }
  return { text, end }
}

type ShownSpan = { length: number; shown: string }
type Range = { at: number; end: number }

/** Longest code span, in characters; a longer one is read as text. */
const spanLimit = 2000

function codeSpan(source: string, { at, end }: Range): ShownSpan | null {
  if (source[at] !== '`') return null
  const line = source.slice(at, Math.min(end, at + spanLimit))
  const span = /^(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/.exec(line)?.[0] ?? /^`+/.exec(line)![0]
  return { length: span.length, shown: span }
}

function comment(scan: Scan, { at, end: lineEnds }: Range): ShownSpan | null {
  const { source } = scan
  if (source[at] !== '{') return null
  if (/^\{\s*\/\*/.test(source.slice(at, at + 20))) {
    const end = scan.commentEnd(at)
    const close = end < 0 ? -1 : scan.braceEnd(end)
    return close < 0 ? null : { length: close + 1 - at, shown: '' }
  }
  const line = source.slice(at, Math.min(lineEnds, at + spanLimit))
  const [whole, , words] = /^\{\s*(["'`])([^"'`{}\n]*)\1\s*\}/.exec(line) ?? []
  return whole === undefined ? null : { length: whole.length, shown: words ?? '' }
}

function component(scan: Scan, at: number): ShownSpan | null {
  const { source } = scan
  if (!/^<\/?[A-Za-z>]/.test(source.slice(at, at + 3))) return null
  // `Array<T>` is no component, and `\\<T>` is none either.
  if (source[at + 1] !== '/' && /[\w\\]/.test(source[at - 1] ?? '')) return null
  if (scan.nBroken > 2000) return null
  const isSpent = scan.nBroken > 100 || scan.nRead > 4 * source.length
  const tag = jsxTag(source.slice(at, at + (isSpent ? 500 : tagLimit)))
  if (tag === null) scan.nBroken++
  else if (!isComponent(tag.name)) scan.nRead += tag.source.length
  if (tag === null || !isComponent(tag.name)) return null
  follow(scan, tag)
  const shown = tag.kind === 'close' ? '' : attributesText(tag)
  return { length: tag.source.length, shown: shown === '' ? '' : `\n\n${shown}\n\n` }
}

/** Longest tag, in characters; a longer one is read as text. */
const tagLimit = 50_000

function isComponent(name: string): boolean {
  return name === '' || /^[A-Z]|\./.test(name) || boxes.has(name)
}

const boxes = new Set(['div', 'section', 'article', 'figure', 'picture', 'center', 'main'])

function follow(scan: Scan, { kind, name }: JsxTag): void {
  const { open, nOpen } = scan
  const count = (of: string, more: number) => nOpen.set(of, (nOpen.get(of) ?? 0) + more)
  if (kind === 'open') {
    open.push({ name, column: null })
    count(name, 1)
  }
  if (kind !== 'close' || !nOpen.get(name)) return
  let closed: string | undefined
  do {
    closed = open.pop()?.name
    if (closed !== undefined) count(closed, -1)
  } while (closed !== name)
}

const titles = ['title', 'label', 'heading', 'question', 'summary', 'header', 'caption']
const texts = ['subtitle', 'description', 'text', 'content', 'alt']
const codes = ['code', 'source', 'snippet', 'template']

/** The text shown for the attributes of a component: its title, its fields, its code. */
function attributesText({ name, attributes }: JsxTag): string {
  const shown: string[] = []
  const isTab = /^Tab(?:Item|Panel)?$/.test(name)
  const title = titles.map((key) => attributes.get(key)).find((value) => value)
    ?? (isTab ? attributes.get('value') : undefined)
  if (title) shown.push(isTab ? `${title}:` : `**${title}**`)
  const field = /Field|Param|Prop/.test(name) ? fieldText(attributes) : ''
  if (field !== '') shown.push(field)
  for (const key of texts) if (attributes.get(key)) shown.push(attributes.get(key)!)
  const language = attributes.get('language') ?? attributes.get('lang') ?? ''
  for (const key of codes) {
    const code = attributes.get(key)
    if (code && /\s/.test(code)) shown.push(fenced(code, language))
  }
  return shown.join('\n\n')
}

/** `<ParamField path="id" type="string">` → `` `id` string ``. */
function fieldText(attributes: ReadonlyMap<string, string>): string {
  const name = ['name', 'path', 'query', 'body', 'param'].map((key) => attributes.get(key))
    .find((value) => value)
  if (name === undefined) return ''
  return [`\`${name}\``, attributes.get('type'), attributes.get('default')]
    .filter(Boolean).join(' ')
}
