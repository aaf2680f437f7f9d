import { parseAttributes } from '../../document/attributes.ts'
import { indentColumns, removeIndent } from '../../document/block-lines.ts'
import { boxEndMark, endBox, markBoxTitle, removeBoxMarks } from '../../document/box.ts'
import { replaceOutsideCode } from '../../document/code-span.ts'
import { type Fence, closesFence, parseFence } from '../../document/fence.ts'
import { findOpeningBracket } from '../../document/seek.ts'
import {
  type Container,
  type MdcContainer,
  isSlotMark,
  parseContainer,
  parseMdc,
  yamlEnd,
  removeInlineMdc,
} from './container.ts'
import { documenterFence, isHiddenLine, withoutDocumenterLinks } from './documenter.ts'
import { parseLiquidEnd, resolveLiquidTags } from './liquid.ts'
import { withoutHtml } from './markdown-html.ts'
import { type ReferenceTitles, referenceKey } from '../../document/reference-key.ts'

/**
 * Converts any Markdown dialect to plain Markdown. Containers, admonitions and tabs (MkDocs,
 * VitePress, Docusaurus, MyST) become boxes with a title and unindented content (`box.ts`). MyST
 * roles become their text. References without text become one of the `titles`. Removes scripts,
 * styles, labels and tables of contents. Leaves fenced code unchanged. `hasBoxes` keeps existing
 * box marks.
 */
export function toPlainMarkdown(
  text: string,
  { hasBoxes = false, titles = new Map() }: MarkdownOptions = {},
): string {
  const scan: Scan = {
    titles,
    open: [],
    fence: null,
    isTab: false,
    isExample: false,
    out: [],
    unclosed: new Set(),
    closers: null,
  }
  const source = withoutHtml(hasBoxes ? text : removeBoxMarks(text))
  const lines = resolveLiquidTags(source).split('\n')
  for (let at = 0; at < lines.length; ) at = scanLine(lines, { at, scan })
  leaveIndented(scan, '.')
  if (scan.out.at(-1) === boxEndMark) scan.out.push('')
  return scan.out.join('\n')
}

type MarkdownOptions = { hasBoxes?: boolean; titles?: ReferenceTitles | undefined }

type Block = Container & {
  /** The column in the source at which the block's content starts. */
  column: number
  /** Number of columns removed from each line of the block. */
  removedColumns: number
}

type Scan = {
  titles: ReferenceTitles
  open: Block[]
  fence: Fence | null
  isTab: boolean
  /** True if the open fence is an example that Documenter.jl runs. */
  isExample: boolean
  out: string[]
  /** Names of tags without a closing tag in the remaining text. */
  unclosed: Set<string>
  /** For each number of colons, the last line that consists of them; null until it is needed. */
  closers: Map<string, number> | null
}

/** Converts the element that starts at a line. Returns the next line to read. */
function scanLine(lines: readonly string[], { at, scan }: { at: number; scan: Scan }): number {
  const sourceText = lines[at] ?? ''
  if (sourceText === boxEndMark) {
    scan.out.push(sourceText)
    return at + 1
  }
  leaveIndented(scan, sourceText)
  const line = removeIndent(sourceText, scan.open.at(-1)?.removedColumns ?? 0)
  if (scan.fence) {
    if (!scan.isExample || !isHiddenLine(line)) scan.out.push(line)
    if (!closesFence(scan.fence, line)) return at + 1
    if (scan.isTab) endBox(scan.out)
    scan.fence = null
    scan.isTab = false
    scan.isExample = false
    return at + 1
  }
  return (
    skipHidden(lines, { at, scan }) ??
    closeContainer(scan, line, at) ??
    openContainer(lines, { at, scan, line }) ??
    textLine(lines, { at, scan, line })
  )
}

/** Closes indented blocks if the line is not indented enough to belong to them. */
function leaveIndented(scan: Scan, sourceText: string): void {
  const columns = indentColumns(sourceText)
  for (let block = scan.open.at(-1); block?.closer === 'indent'; block = scan.open.at(-1)) {
    if (columns >= block.column) return
    closeFrom(scan, scan.open.length - 1)
    scan.fence = null // An unclosed fence in the block ends with it.
  }
}

/** Closes the open blocks from `index` on, innermost first. */
function closeFrom({ open, out }: Scan, index: number): void {
  while (open.length > index) {
    const { replacement, isLine } = open.pop()!
    if (replacement !== '' && !isLine) endBox(out)
  }
}

/** Skips invisible lines: `<script setup>`, `(label)=`, `[[toc]]` and empty anchors. */
function skipHidden(lines: readonly string[], { at, scan }: Omit<Opening, 'line'>): number | null {
  const line = lines[at] ?? ''
  const first = line[0]
  // The line between a card's header and body.
  if (first === '^' && scan.open.length > 0 && /^\^{3,}\s*$/.test(line)) return at + 1
  if (first === '{' && /^\{:? ?[.#][\w-]+(?: [.#][\w-]+)*\}\s*$/.test(line)) return at + 1
  if (first !== '[' && first !== '(' && first !== '<') return null
  if (/^<a (?:name|id)="[^"<>]*">\s*<\/a>\s*$/.test(line)) return at + 1
  // A comment written as an unused link definition: `[//]: # (text)`.
  if (/^\[[^\]]{1,100}\]: *(?:#|<>)(?:$| +["'(]| *$)/.test(line)) return at + 1
  if (/^\([\w.:/ -]+\)=\s*$/.test(line) || /^\[\[?toc\]\]?\s*$/i.test(line)) return at + 1
  const name = /^<(script|style)(?=[\s>])/i.exec(line)?.[1]?.toLowerCase()
  if (name === undefined || scan.unclosed.has(name)) return null
  const closing = new RegExp(`</${name}>\\s*$`, 'i')
  for (let to = at; to < lines.length; to++) if (closing.test(lines[to] ?? '')) return to + 1
  scan.unclosed.add(name)
  return null
}

/** Closes the innermost block with this closing mark, and all blocks in it. */
function closeContainer(scan: Scan, line: string, at: number): number | null {
  const mark = line.trim()
  const tag = mark.startsWith('{%') ? parseLiquidEnd(mark) : null
  if (tag !== null) return closeTag(scan, tag, at)
  if (!/^(?::{2,}|\/{3,}|`{3,}|~{3,})$/.test(mark)) return null
  const index = scan.open.findLastIndex(
    ({ closer }) =>
      closer[0] === mark[0] &&
      (mark[0] === '`' || mark[0] === '~' ? closer.length <= mark.length : closer === mark),
  )
  // In Docusaurus, a shorter mark can close a longer one.
  const closest = index < 0 ? scan.open.findLastIndex(({ closer }) => closer[0] === mark[0]) : index
  if (closest < 0) return null
  closeFrom(scan, closest)
  blank(scan.out)
  return at + 1
}

/** Closes the innermost block of a Liquid tag, and all open blocks in it. */
function closeTag(scan: Scan, tag: string, at: number): number | null {
  const index = scan.open.findLastIndex(({ closer }) => closer === tag)
  if (index < 0) return null
  closeFrom(scan, index)
  blank(scan.out)
  return at + 1
}

/** Maximum number of open containers, because a closing mark may search all of them. */
const openLimit = 200

type Opening = { at: number; scan: Scan; line: string }

function openContainer(lines: readonly string[], { at, scan, line }: Opening): number | null {
  const text = line.trimStart()
  if (scan.open.length >= openLimit) return null
  const mdc = text.startsWith('::') ? closedMdc(lines, { at, scan, line }) : null
  if (mdc) {
    openBlock({ scan, line, lines }, mdc)
    return mdc.next
  }
  const container = parseContainer(text)
  const isEmpty = container?.closer === 'indent' && !hasIndentedContent(lines, at)
  if (container === null || (isEmpty && !text.startsWith('='))) return null
  let next = container.options === undefined ? at + 1 : yamlEnd(lines, at + 1)
  while (container.options?.test(lines[next] ?? '')) next++
  const indent = container.closer === 'indent' ? 4 : 0
  // A tab without indented content is a line of text.
  const block = isEmpty ? { ...container, isLine: true } : container
  openBlock({ scan, line, lines }, { container: block, next, indent })
  return next
}

/** Returns the MDC container that a line opens, or null if there is none or it is unclosed. */
function closedMdc(lines: readonly string[], { at, scan, line }: Opening): MdcContainer | null {
  const mdc = parseMdc(lines, { at, line, isInside: scan.open.at(-1)?.isSlotted ?? false })
  if (mdc === null) return null
  scan.closers ??= new Map(
    lines.flatMap((other, index) => {
      const mark = /^\s*(:{2,})\s*$/.exec(other)?.[1]
      return mark === undefined ? [] : [[mark, index]]
    }),
  )
  return (scan.closers.get(mdc.container.closer) ?? -1) > at ? mdc : null
}

type Place = { scan: Scan; line: string; lines: readonly string[] }

function openBlock({ scan, line, lines }: Place, { container, next, indent }: MdcContainer): void {
  const { removedColumns: removed = 0 } = scan.open.at(-1) ?? {}
  const column = indentColumns(line) + removed + indent
  scan.open.push({ ...container, column, removedColumns: removed + indent })
  blank(scan.out)
  const { replacement: sourceText, isLine } = container
  const replacement = withReferenceTitles(sourceText, scan.titles).replace(/^\*\* +/, '**')
  if (sourceText === '') return
  const before = line.slice(0, line.length - line.trimStart().length)
  scan.out.push(before + (isLine ? replacement : markBoxTitle(replacement)))
  if (lines[next]?.trim() !== '') scan.out.push('')
}

function blank(out: string[]): void {
  if (out.length > 0 && out.at(-1)?.trim() !== '') out.push('')
}

/** True if the next text is indented. Otherwise, `=== "a" ===` is not a tab. */
function hasIndentedContent(lines: readonly string[], at: number): boolean {
  let next = at + 1
  while (lines[next]?.trim() === '') next++
  const columns = indentColumns(lines[next] ?? '')
  return columns !== Infinity && columns >= indentColumns(lines[at] ?? '') + 4
}

function textLine(lines: readonly string[], { at, scan, line }: Opening): number {
  scan.fence = parseFence(line)
  if (scan.fence === null) {
    const isGone = scan.open.at(-1)?.isSlotted && isSlotMark(line)
    const words = withReferenceTitles(withBadgeText(line), scan.titles)
    const plain = withoutDocumenterLinks(withoutAttributes(words))
    if (!isGone) scan.out.push(removeInlineMdc(plain))
    return at + 1
  }
  scan.isExample = false
  const block = documenterFence(lines, at, scan.fence)
  if (block !== null) {
    scan.out.push(...block.output)
    if (block.isWhole) scan.fence = null
    scan.isExample = !block.isWhole && /^\s*\W+@/.test(line)
    return block.next
  }
  const output = fenceOpening(scan, line)
  let next = at + 1
  const isDirective = output[0] !== line && line.includes('{')
  while (isDirective && /^\s*:[\w-]+:(?:\s|$)/.test(lines[next] ?? '')) {
    const [, indent, caption] = /^(\s*):caption:\s+(.*)$/.exec(lines[next++]!) ?? []
    if (caption !== undefined) scan.out.push(`${indent}**${caption}**`, '')
  }
  scan.out.push(...output)
  return next
}

/** Returns the opening line of a fence, without a MyST directive or a VitePress tab name. */
function fenceOpening(scan: Scan, line: string): string[] {
  const code = /^(\s*(?:`{3,}|~{3,}))\{(code|code-block|code-cell|sourcecode|mermaid)\}[ \t]*(\S*)/
  const [, marks, kind, language = ''] = code.exec(line) ?? []
  if (marks !== undefined) return [marks + (kind === 'mermaid' ? kind : language)]
  if (!scan.open.at(-1)?.isCodeGroup) return [line]
  const whole = line.trimEnd()
  const open = findOpeningBracket(whole, ['[', ']'])
  const name = open < 0 ? '' : whole.slice(open + 1, -1)
  scan.isTab = name !== ''
  return name === '' ? [line] : [markBoxTitle(`${name}:`), '', whole.slice(0, open).trimEnd()]
}

/** Converts VuePress' `<Badge text="1.9.0+" />` to `(1.9.0+)`. */
function withBadgeText(line: string): string {
  if (!line.includes('<Badge')) return line
  return replaceOutsideCode(
    line,
    /<Badge(?:\s([^<>`]{1,300}))?>(?:([^<>`]{0,100})<\/Badge>)?/,
    ([, attributes = '', content]) => {
      const text = (content || parseAttributes(attributes).get('text'))?.trim()
      return text ? `(${text})` : null
    },
  )
}

const attributeList = /^\{:(?:\s?(?:[.#][\w-]+|[\w-]+="[^"{}]{0,200}"))+\s?\}\s*$/

/** Removes kramdown and ExDoc attributes at the end of a line: `### Note {: .tip}`. */
function withoutAttributes(line: string): string {
  if (!line.includes('{:') || !line.trimEnd().endsWith('}')) return line
  const open = line.lastIndexOf('{:')
  const isAttributes = attributeList.test(line.slice(open))
  return isAttributes ? line.slice(0, open).trimEnd() : line
}

/**
 * Replaces references without their own text in a line of Markdown: MyST roles, links with an empty
 * label, MkDocs' `[][name]` and DocC's `<doc:Page#Section>`. They become the title of their target,
 * or their label. `{ref}`text <label>`` becomes `text`. Leaves code unchanged.
 */
export function withReferenceTitles(line: string, titles: ReferenceTitles): string {
  if (!sign.test(line)) return line
  const isHeading = /^\s{0,3}#/.test(line)
  return replaceOutsideCode(
    line,
    reference,
    ([, name, content = '', link, target = '', object, page, words]) => {
      if (page !== undefined) return wikiText(page, words)
      if (name !== undefined) return roleText(name, { content, titles })
      if (link !== undefined) return linkText(link, { isHeading, titles })
      return object === undefined ? projectLink(target, titles) : `[\`${object}\`]`
    },
  )
}

const sign = /\}`|\[\]|\[\[|<(?:project|inv|doc):/

const reference = new RegExp(
  [
    /\{([a-z][\w:-]*)\}`([^`]+)`/,
    /(?<![!\w-])\[\]\(([^()\s<>]{1,500})\)/,
    /<((?:project|inv|doc):[^<>\s]{1,500})>/,
    /\[\](?=\[([A-Za-z_][\w.]{1,200})\])/,
    /(?<!!)\[\[([A-Za-z\\][^[\]|]{1,300})(?:\|([^[\]|]{1,300}))?\]\](?![([])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

type RoleOptions = { content: string; titles: ReferenceTitles }

function roleText(name: string, { content, titles }: RoleOptions): string {
  if (/^(?:octicon|fa[brs]?|material-[a-z]+)$/.test(name)) return ''
  const kind = name === 'doc' ? 'doc' : 'ref'
  const title = /^(?:ref|doc|numref|any)$/.test(name)
    ? titles.get(referenceKey(kind, content))
    : undefined
  if (title !== undefined) return title
  // A tab at the end of a line would be a box mark.
  const text = withoutTarget(content.replace(/^[~!]?/, '').replaceAll('\t', ' '))
  const output = content.startsWith('~') ? text.replace(/^.*\./, '') : text
  return /^(?:ref|doc|term|numref|eq|any|download|abbr|cite|sub|sup)/.test(name)
    ? output
    : `\`${output}\``
}

/** Returns the text of `[[Page|text]]`, GitHub's `[[text|Page]]` or `[[a\B::c()]]`, or null. */
function wikiText(page: string, words: string | undefined): string | null {
  const isAddress = (sourceText: string) => /[\\/#]|::|^[\w-]+\.\w+$/.test(sourceText)
  if (words !== undefined) return isAddress(words) && !isAddress(page) ? page : words
  if (/[\\]|::|\(\)$/.test(page)) return `\`${page}\``
  return isAddress(page) || /^[A-Z]| /.test(page) ? page : null
}

/** Converts `text <label>` to `text`. */
function withoutTarget(content: string): string {
  const open = content.endsWith('>') ? content.lastIndexOf('<') : -1
  const isTarget = open >= 0 && content.indexOf('>', open) === content.length - 1
  return isTarget ? content.slice(0, open).trimEnd() : content
}

/** Returns the text of a link, or null if it is invisible, such as a heading's anchor. */
function linkText(
  target: string,
  { isHeading, titles }: { isHeading: boolean; titles: ReferenceTitles },
): string | null {
  const title = titles.get(referenceKey('link', target))
  const isFile = /^[\w./~-]*[\w-](?:#|$)/.test(target)
  if (isHeading || (title === undefined && !isFile)) return null
  return `[${escaped(title ?? labelOf(target))}](${target})`
}

/** Converts MyST's `<project:a.md#b>` and `<inv:name#label>`, and DocC's `<doc:Page#Section>`. */
function projectLink(target: string, titles: ReferenceTitles): string {
  const title = titles.get(referenceKey('link', target))
  if (target.startsWith('doc:')) return escaped(title ?? doccName(target))
  if (target.startsWith('inv:')) return `\`${target.replace(/^.*[#*]/, '') || target}\``
  const sourceText = target.slice('project:'.length)
  return `[${escaped(title ?? labelOf(sourceText))}](${sourceText})`
}

/** Returns a target's name: its anchor, or its file without folder and extension. */
function labelOf(target: string): string {
  return target
    .replace(/\/$/, '')
    .replace(/^.*[#/]/, '')
    .replace(/\.\w+$/, '')
}

/** Converts `ControlFlow` and `Control-Flow` to `Control Flow`, and a function to code. */
function doccName(target: string): string {
  const name = target.replace(/^.*[:#/](?=[^()#/]*(?:\(|$))/s, '')
  return name.includes('(')
    ? `\`${name.replace(/-\w+$/, '')}\``
    : name.replaceAll('-', ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
}

function escaped(title: string): string {
  return title.replace(/(?<!\\)[[\]]/g, '\\$&')
}
