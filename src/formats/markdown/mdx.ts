import { wordSet } from '../../document/word-set.ts'
import {
  indentColumns,
  quoteAt,
  quoteLimit,
  removeIndent,
  toQuote,
} from '../../document/block-lines.ts'
import { endBox, removeBoxMarks } from '../../document/box.ts'
import {
  renderAttributes,
  boxTitle,
  codeTab,
  computedTag,
  displayCondition,
  inlineValues,
  isTab,
  readLiteral,
  renderLiteral,
  tabLabels,
} from './component-text.ts'
import { closesFence, parseFence, withoutFences, type Fence } from '../../document/fence.ts'
import { codeLanguage, jsxTag, type JsxTag } from './jsx-tag.ts'
import { findExportedTexts, removeImportsAndExports } from './mdx-module.ts'
import {
  closeBox,
  closeItems,
  openBox,
  pushOutputLine,
  pushBlock,
  pushText,
  type MdxOut,
} from './mdx-out.ts'
import { cachedIndexOf, lineEnd } from '../../document/seek.ts'

/**
 * Converts MDX to Markdown. Removes imports, exports and comments. A component becomes the text of
 * its attributes (title, code) and its unindented content. Notes, tabs and other components with a
 * title become boxes (`box.ts`). Leaves code and expressions unchanged.
 */
export function mdxToMarkdown(text: string): string {
  const source = removeImportsAndExports(removeBoxMarks(text))
  return bodyToMarkdown(source, { texts: findExportedTexts(text), depth: 0 })
}

function bodyToMarkdown(source: string, context: Pick<Scan, 'texts' | 'depth'>): string {
  const scan: Scan = {
    source,
    ...context,
    open: [],
    nOpen: new Map(),
    fence: null,
    isTab: false,
    out: { lines: [], filled: -1, items: [] },
    nBroken: 0,
    nTables: 0,
    nRead: 0,
    commentEnd: cachedIndexOf(source, '*/'),
    braceEnd: cachedIndexOf(source, '}'),
  }
  for (let at = 0; at <= scan.source.length; ) at = scanLine(scan, at)
  return scan.out.lines.join('\n')
}

/**
 * True if a .md file is MDX. It starts with a component's import, as in Docusaurus, or has
 * components on separate lines, as in the documentation of Hugging Face and Next.js.
 */
export function hasComponents(text: string): boolean {
  if (/^\s*import\s[^\n]*\sfrom\s+["'][^"'\n]+["'];?[ \t]*\n/.test(text)) return true
  if (!componentLine.test(text) && !mdxMarks.some((mark) => text.includes(mark))) return false
  // Components in code are examples.
  const prose = withoutFences(text)
  const closed = new Set(Array.from(prose.matchAll(closingLine), ([, name]) => name))
  const isComponent = ([, name, alone]: RegExpExecArray) => alone !== undefined || closed.has(name)
  if (prose.matchAll(openingLine).some(isComponent)) return true
  const words = prose.replace(/`[^`\n]*`/g, '')
  return conditional.test(words) || ofJsx.test(words) || laterImport.test(prose)
}

const componentLine = /^[^\S\n\r\u2028\u2029]*<[A-Zh]/m
/** A fast test for MDX without a component on a separate line. */
const mdxMarks = ['{/*', 'Only>', 'className=', 'style={', '\nimport ']
/** An MDX comment, or an element with JSX attributes. */
const ofJsx = /^\{\/\*|<[a-z]\w{0,20}(?: [^\n<>]{0,500})? (?:className=|style=\{\{)/m

/** An import of a site's component between paragraphs. */
const laterImport = /\n\s*\nimport\s+\w+\s+from\s+["'](?:@[\w-]*\/|\.{0,2}\/)[^"'\n]+["'];?[ \t]*\n/

/** Upper-case names, such as `<TABLE>`, are old HTML. */
const componentName = '([A-Z][A-Z\\d_]*[a-z]\\w*|hfoptions)'
/** The attributes of a component without content, on one or more lines. */
const attributesAlone = '(?:[ \\t]*\\n(?:[^\\n<>]*\\n){1,20}? *|[^\\n]*)(/>)[ \\t]*$'
const openingLine = new RegExp(`^ {0,3}<${componentName}(?=[\\s>/])(?:${attributesAlone})?`, 'gm')
/** A condition in a sentence: `<AppOnly>next/script</AppOnly>`. */
const conditional = /<([A-Z]\w{1,40}Only)>[^\n]{0,2000}<\/\1>/
const closingLine = new RegExp(`^ {0,3}</${componentName}>`, 'gm')

type Component = {
  name: string
  /** Number of columns removed from the content; null until its first line. */
  column: number | null
  /** Indentation of the output, from its list item, in columns. */
  margin: number
  /** Names of its tabs, and the number of tabs so far. */
  labels: ReadonlyMap<string, string>
  nTabs: number
  /** The condition for its content, or null. */
  condition: string | null
  /** The language of its code, or ''; null if it contains text. */
  language: string | null
  /** The line of its box title, or null. */
  box: number | null
}

type Scan = {
  source: string
  /** Exported values by name. */
  texts: ReadonlyMap<string, string>
  /** The number of enclosing quotes. */
  depth: number
  open: Component[]
  nOpen: Map<string, number>
  fence: Fence | null
  /** True if the open fence is a tab. */
  isTab: boolean
  out: MdxOut
  /** Number of `<` without a tag. Above a limit, searches for tags are shorter. */
  nBroken: number
  nTables: number
  /** Number of characters in tags that are not components. They are read again as text. */
  nRead: number
  /** Returns the offset of the next possible end of a comment or an expression. */
  commentEnd: (from: number) => number
  braceEnd: (from: number) => number
}

/** Converts the line at an offset. Returns the offset of the next line. */
function scanLine(scan: Scan, at: number): number {
  const end = lineEnd(scan.source, at)
  const sourceText = scan.source.slice(at, end)
  const columns = indentColumns(sourceText)
  const removedColumns = Math.min(columnOf(scan, sourceText), columns)
  const line = removeIndent(sourceText, removedColumns)
  if (scan.fence) {
    const isEnd = endsMdxFence(scan.fence, line)
    pushOutputLine(scan.out, isEnd ? ' '.repeat(scan.fence.indent) + line.trim() : line)
    if (isEnd) closeFence(scan)
    return end + 1
  }
  const quote = scan.depth < quoteLimit ? quoteAt(scan.source, at, /<[A-Za-z]|\{/) : null
  if (quote) {
    const output = bodyToMarkdown(quote.inner, { texts: scan.texts, depth: scan.depth + 1 })
    pushBlock(scan.out, toQuote(removeBoxMarks(output)), 0)
    return quote.end + 1
  }
  scan.fence = parseFence(line)
  if (scan.fence) openFence(scan, line)
  else if (!/[<{]/.test(line)) pushLine(scan, line)
  else
    return (
      convertLine(scan, { at, removedColumns: removedColumns, columns: columns - removedColumns }) +
      1
    )
  return end + 1
}

/** In MDX, indented text is never code, so a closing fence can have any indentation. */
function endsMdxFence(fence: Fence, line: string): boolean {
  return closesFence({ ...fence, indent: Infinity }, line)
}

/** Writes a line. After a heading, repeats the condition of the enclosing component. */
function pushLine({ out, open }: Scan, line: string): void {
  pushText(out, line)
  if (open.length === 0 || !/^#{1,6}\s/.test(line)) return
  const { condition = null } = open.at(-1)!
  if (condition !== null) pushBlock(out, `**${condition}**`, 0)
}

/** Writes the opening line of a fence, which can be a tab. */
function openFence(scan: Scan, line: string): void {
  const tab = codeTab(line, scan.open.at(-1)?.name === 'CodeGroup')
  scan.isTab = tab !== null
  if (tab !== null) openBox(scan.out, tab.title, indentColumns(line))
  pushText(scan.out, tab?.opening ?? line)
}

function closeFence(scan: Scan): void {
  scan.fence = null
  if (scan.isTab) endBox(scan.out.lines)
  scan.isTab = false
}

/** Returns the number of indentation columns to remove from a line in the innermost component. */
function columnOf(scan: Scan, sourceText: string): number {
  const inner = scan.open.at(-1)
  if (inner === undefined) return 0
  const columns = indentColumns(sourceText)
  const isClosing = !scan.fence && sourceText.trimStart().startsWith(`</${inner.name}`)
  if (inner.column === null && columns !== Infinity && !isClosing) {
    inner.column = Math.max(0, columns - inner.margin)
  }
  return inner.column ?? 0
}

/** The output of a line after the last start or end of a box in it. */
type OutputLine = { text: string; margin: number; isBlank: boolean; isBlock: boolean }

type Place = { at: number; removedColumns: number; columns: number }

/**
 * Converts the line at an offset without its components and comments. If a tag or comment continues
 * on further lines, so does the line. Returns the end of the last line.
 */
function convertLine(scan: Scan, { at: start, removedColumns, columns }: Place): number {
  const { source, out } = scan
  closeItems(out, columns)
  const line: OutputLine = {
    text: '',
    margin: out.items.at(-1) ?? 0,
    isBlank: true,
    isBlock: false,
  }
  let end = lineEnd(source, start)
  for (let at = start; at < end; ) {
    const syntax =
      codeSpan(source, { at, end }) ??
      expression(scan, { at, line }) ??
      component(scan, { at, line })
    const piece = syntax?.output ?? source[at]!
    line.text += piece
    // Testing the whole growing text at each tag would be quadratic.
    line.isBlank &&= piece.trim() === ''
    at += syntax?.length ?? 1
    if (at > end) end = lineEnd(source, at)
  }
  const output = removeIndent(line.text, removedColumns).trimEnd()
  if (line.isBlock) flush(scan, line)
  // A line with only tags becomes nothing or separate blocks.
  else if (output.trim() === '' || /^[ \t]*\n/.test(output)) {
    pushBlock(out, output.trim(), line.margin)
  } else {
    for (const one of removeBoxMarks(output).split('\n')) pushText(out, one)
  }
  return end
}

/** Writes the text before the start or end of a box. */
function flush({ out }: Scan, line: OutputLine): void {
  const output = line.text.trim()
  if (output !== '') pushBlock(out, output, line.margin)
  line.text = ''
  line.isBlank = true
  line.isBlock = true
}

type Replacement = { length: number; output: string }
type Range = { at: number; end: number }

/** Maximum length of a code span in characters. A longer one is text. */
const spanLimit = 2000

function codeSpan(source: string, { at, end }: Range): Replacement | null {
  if (source[at] !== '`') return null
  const line = source.slice(at, Math.min(end, at + spanLimit))
  const span = /^(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/.exec(line)?.[0] ?? /^`+/.exec(line)![0]
  return { length: span.length, output: span }
}

/** Reads a comment or string literal in braces. Leaves other expressions unchanged. */
function expression(
  scan: Scan,
  { at, line }: { at: number; line: OutputLine },
): Replacement | null {
  const { source } = scan
  if (source[at] !== '{') return null
  const start = /^\{\s*(\/\*|["']|[\w.]*`)/.exec(source.slice(at, at + 100))
  if (start === null || scan.nBroken > 100) return null
  if (start[1] === '/*') {
    const end = scan.commentEnd(at)
    const close = end < 0 ? -1 : scan.braceEnd(end)
    return close < 0 ? null : { length: close + 1 - at, output: '' }
  }
  const literal = readLiteral(source, at)
  if (literal === null) scan.nBroken++
  const language = scan.open.at(-1)?.language ?? null
  return (
    literal && {
      length: literal.length,
      output: renderLiteral(literal.value, { language, before: line.text }),
    }
  )
}

/** Reads a tag. A component is a box only at the start of its line. */
function component(scan: Scan, { at, line }: { at: number; line: OutputLine }): Replacement | null {
  const tag = tagAt(scan, at)
  if (tag === null) return null
  const { source } = scan
  const { length } = tag.source
  if (tag.kind === 'close') {
    closeTag(scan, tag.name, line)
    return { length, output: '' }
  }
  const around = scan.open.at(-1)
  const value = tag.attributes.get('value') ?? ''
  const title = boxTitle(tag, around?.labels.get(value) ?? around?.labels.get(`${around.nTabs}`))
  if (around && isTab(tag)) around.nTabs++
  const isBox = title !== null && tag.kind === 'open' && line.isBlank
  if (isBox) flush(scan, line)
  const box = isBox ? openBox(scan.out, title, line.margin) : null
  if (tag.kind === 'open') openTag(scan, { tag, line, box })
  const isAlone =
    line.isBlank && source.slice(at + length, lineEnd(source, at + length)).trim() === ''
  const output = renderAttributes(tag, isBox) || (isAlone ? computedTag(tag) : '')
  const condition = isBox || tag.kind !== 'open' ? null : displayCondition(tag)
  if (condition !== null) return { length, output: `(${condition}) ` }
  // A component without text stays unchanged and counts as a leftover.
  if (output === '') return { length, output: isAlone ? '' : inlineValues(tag) || computedTag(tag) }
  return { length, output: `\n\n${output}\n\n` }
}

function tagAt(scan: Scan, at: number): JsxTag | null {
  const { source } = scan
  if (!/^<\/?[A-Za-z>]/.test(source.slice(at, at + 3))) return null
  // In `Array<T>` and `\\<T>`, `<T>` is not a component.
  if (source[at + 1] !== '/' && /[\w\\]/.test(source[at - 1] ?? '')) return null
  if (scan.nBroken > 2000) return null
  const isSpent = scan.nBroken > 100 || scan.nRead > 4 * source.length
  const tag = withoutContent(jsxTag(source.slice(at, at + (isSpent ? 500 : tagLimit))), source, at)
  if (tag === null) scan.nBroken++
  else if (!isComponent(tag)) scan.nRead += tag.source.length
  if (tag?.name === 'table') scan.nTables += tag.kind === 'open' ? 1 : -1
  // The cells of an HTML table can contain elements, but no blocks.
  const isInTable = scan.nTables > 0 && tag !== null && /^[a-z]/.test(tag.name)
  return tag !== null && isComponent(tag) && !isInTable ? withTexts(tag, scan) : null
}

/** Replaces exported names in attributes, such as `code={example}`, with their values. */
function withTexts(tag: JsxTag, { texts }: Scan): JsxTag {
  if (texts.size === 0 || tag.expressions.size === 0) return tag
  const isText = (source: string) => texts.has(source)
  const known = [...tag.expressions].filter(([, source]) => isText(source))
  const values = known.map(([key, source]): [string, string] => [key, texts.get(source)!])
  const expressions = new Map([...tag.expressions].filter(([, source]) => !isText(source)))
  return { ...tag, attributes: new Map([...tag.attributes, ...values]), expressions }
}

/** Reads an empty component, `<A></A>`, like a self-closing one. */
function withoutContent(tag: JsxTag | null, source: string, at: number): JsxTag | null {
  if (tag?.kind !== 'open' || !/^[A-Z]/.test(tag.name)) return tag
  const closing = `</${tag.name}>`
  if (!source.startsWith(closing, at + tag.source.length)) return tag
  return { ...tag, kind: 'alone', source: tag.source + closing }
}

/** Maximum length of a tag in characters. A longer one is text. */
const tagLimit = 200_000

function isComponent({ name, attributes }: JsxTag): boolean {
  if (name === '' || /^[A-Z]|\./.test(name) || blocks.has(name)) return true
  // A JSX element that only styles its text.
  return looks.has(name) && (attributes.has('className') || attributes.get('style') === '')
}

const looks = wordSet('span ins del small big font mark i')

const blocks = wordSet('div section article figure picture center main hfoptions hfoption')

type OpenedTag = { tag: JsxTag; line: OutputLine; box: number | null }

function openTag({ open, nOpen }: Scan, { tag, line: { margin }, box }: OpenedTag): void {
  const { name, attributes } = tag
  const shows = codeLanguage(attributes) ?? (/code|highlight/i.test(name) ? '' : null)
  const condition = displayCondition(tag) ?? open.at(-1)?.condition ?? null
  const labels = tabLabels(tag)
  open.push({ name, column: null, margin, labels, nTabs: 0, condition, language: shows, box })
  nOpen.set(name, (nOpen.get(name) ?? 0) + 1)
}

/** Closes the innermost component with this name, and all open components in it. */
function closeTag(scan: Scan, name: string, line: OutputLine): void {
  const { open, nOpen, out } = scan
  if (!nOpen.get(name)) return
  for (let isClosed = false; !isClosed; ) {
    const last = open.pop()!
    nOpen.set(last.name, nOpen.get(last.name)! - 1)
    isClosed = last.name === name
    if (last.box === null) continue
    flush(scan, line)
    closeBox(out, last.box)
  }
}
