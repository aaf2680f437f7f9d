import type { Markup } from '../page/page.ts'
import type { Lines } from './line.ts'
import { headOf } from './line.ts'

/**
 * `silent` says nothing to a reader (labels, comments, local tables of contents), `opening` is the
 * first line of a container, `container` a directive or admonition with its body.
 */
export type Kind =
  | 'heading' | 'silent' | 'paragraph' | 'fence' | 'table' | 'list' | 'item'
  | 'container' | 'opening' | 'indented'

/** Where blocks are looked for: lines before `to`, of which those beyond `base` are indented. */
export type Scan = {
  lines: Lines
  markup: Markup
  to: number
  base: number
  /** False once a simple table had no closing border: then no later one has, and none is sought. */
  closed: boolean
}

type BlockEnd = { kind: Kind; to: number }

/** The kind of block that begins at a line that is not blank, and the line after it. */
export function blockAt(scan: Scan, line: number): BlockEnd {
  const head = headOf(scan.lines, line)
  return (
    special(scan, { line, head }) ?? marked(scan, { line, head }) ??
    table(scan, { line, head }) ?? plain(scan, line)
  )
}

/** Whether a list item begins at this line. */
export function isItem(lines: Lines, line: number): boolean {
  return lines.indents[line] !== -1 && /^([-*+•]|\d{1,9}[.)]|#\.)\s+\S/.test(headOf(lines, line))
}

/** The line after this one, or after the fence that begins at this one. */
export function nestedEnd(scan: Scan, line: number): number {
  return scan.lines.indents[line] === -1 ? line + 1 : (fence(scan, line)?.to ?? line + 1)
}

/** Where the first paragraph of a list item ends: at a blank line, a fence or a nested item. */
export function afterFirstParagraph(lines: Lines, item: { from: number; to: number }): number {
  let line = item.from
  while (line < item.to && lines.indents[line] === -1) line++
  line++
  while (line < item.to && lines.indents[line] !== -1) {
    if (isItem(lines, line) || /^(```|~~~)/.test(headOf(lines, line))) break
    line++
  }
  return line
}

type Spot = { line: number; head: string }

/** Blocks with an explicit opening: fences, `:::` and `///` containers, admonitions, directives. */
function special(scan: Scan, { line, head }: Spot): BlockEnd | null {
  if (scan.markup === 'rst') {
    if (/^\.\.(\s|$)/.test(head)) return { kind: directiveKind(head), to: indentedEnd(scan, line) }
    return /^:(orphan|nosearch|nocomments|tocdepth):/.test(head) ? { kind: 'silent', to: line + 1 } : null
  }
  if (isContainer(head)) return { kind: 'container', to: containerEnd(scan, line) }
  if (isAdmonition(head)) return { kind: 'container', to: indentedEnd(scan, line) }
  if (head.startsWith('<')) return html(scan, { line, head })
  return fence(scan, line)
}

function fence(scan: Scan, line: number): BlockEnd | null {
  const marker = scan.markup === 'rst' ? null : fenceMarker(headOf(scan.lines, line))
  if (marker === null) return null
  for (let next = line + 1; next < scan.to; next++) {
    const head = headOf(scan.lines, next)
    if (head.startsWith(marker) && head === marker[0]!.repeat(head.length)) {
      return { kind: 'fence', to: next + 1 }
    }
  }
  return { kind: 'fence', to: scan.to }
}

function fenceMarker(head: string): string | null {
  const marker = /^(`{3,}|~{3,})/.exec(head)?.[0]
  if (marker === undefined || head.slice(marker.length).includes(marker[0]!)) return null
  return marker
}

function isContainer(head: string): boolean {
  return /^(:{3,}|\/{3,})\s*[\w{]/.test(head)
}

function isAdmonition(head: string): boolean {
  return /^(!!!|\?\?\?\+?) |^===\+?!? "/.test(head)
}

/** Containers nest, so their openings and closings are counted; one left open ends with the scan. */
function containerEnd(scan: Scan, line: number): number {
  let depth = 1
  for (let next = line + 1; next < scan.to; next++) {
    const head = headOf(scan.lines, next)
    if (isContainer(head)) depth++
    else if (/^(:{3,}|\/{3,})$/.test(head) && --depth === 0) return next + 1
  }
  return scan.to
}

/** The line itself and all that is blank or stands deeper. */
function indentedEnd(scan: Scan, line: number): number {
  const { indents } = scan.lines
  let next = line + 1
  while (next < scan.to && (indents[next] === -1 || indents[next]! > indents[line]!)) next++
  return next
}

const silentDirective =
  /^\.\. (contents|default-domain|meta|index|highlight|currentmodule|module|role|include)::/

function directiveKind(head: string): Kind {
  if (/^\.\.( _.*:|$)/.test(head) || silentDirective.test(head)) return 'silent'
  if (/^\.\. (code|code-block|sourcecode|parsed-literal|literalinclude)::/.test(head)) return 'fence'
  if (/^\.\. (table|list-table|csv-table|flat-table)::/.test(head)) return 'table'
  return head.includes('::') || /^\.\. \[/.test(head) ? 'container' : 'silent'
}

function html(scan: Scan, { line, head }: Spot): BlockEnd {
  if (head.startsWith('<!--')) return { kind: 'silent', to: closedBy(scan, { line, closer: '-->' }) }
  const open = /^<(table|pre|script|style|svg)\b/i.exec(head)?.[1]?.toLowerCase()
  if (open === undefined) return plain(scan, line)
  const kind = open === 'table' ? 'table' : 'fence'
  return { kind, to: closedBy(scan, { line, closer: `</${open}` }) }
}

/** The line after the first that holds `closer`; one left open ends with the scan. */
function closedBy(scan: Scan, { line, closer }: { line: number; closer: string }): number {
  const { starts, text } = scan.lines
  for (let next = line; next < scan.to; next++) {
    const content = text.slice(starts[next]!, starts[next + 1]!)
    if (content.toLowerCase().includes(closer)) return next + 1
  }
  return scan.to
}

/** Lists: items, what stands deeper, and lines that continue a paragraph of theirs. */
function marked(scan: Scan, { line }: Spot): BlockEnd | null {
  const { lines } = scan
  if (!isItem(lines, line)) return null
  let next = line + 1
  while (next < scan.to) {
    if (lines.indents[next]! > lines.indents[line]! || isItem(lines, next)) {
      next = nestedEnd(scan, next)
      continue
    }
    if (lines.indents[next] !== -1 && (lines.indents[next - 1] === -1 || interrupts(scan, next))) {
      break
    }
    next++
  }
  return { kind: 'list', to: next }
}

/** Whether a line ends the paragraph before it, with no blank line between. */
function interrupts(scan: Scan, line: number): boolean {
  if (scan.markup === 'rst') return false
  const head = headOf(scan.lines, line)
  return fenceMarker(head) !== null || isContainer(head) || isAdmonition(head)
}

function table(scan: Scan, { line, head }: Spot): BlockEnd | null {
  if (scan.markup === 'rst') return /^=+( +=+)+$/.test(head) ? simpleTable(scan, line) : grid(scan, line)
  const next = line + 1 < scan.to ? headOf(scan.lines, line + 1) : ''
  const isTable = head.includes('|') && next.includes('|') && /^[|:\- ]+$/.test(next)
  return isTable ? { kind: 'table', to: blankAfter(scan, line) } : null
}

function grid(scan: Scan, line: number): BlockEnd | null {
  const isGrid = /^(\+[-=+]+\+|\|.*)$/.test(headOf(scan.lines, line))
  return isGrid ? { kind: 'table', to: blankAfter(scan, line) } : null
}

/** A simple table may hold blank lines; it ends with the border that a blank line follows. */
function simpleTable(scan: Scan, line: number): BlockEnd | null {
  const { lines } = scan
  for (let next = line + 1; scan.closed && next < scan.to; next++) {
    const isLast = next + 1 >= scan.to || lines.indents[next + 1] === -1
    if (isLast && /^=+( +=+)*$/.test(headOf(lines, next))) return { kind: 'table', to: next + 1 }
  }
  scan.closed = false
  return null
}

/** Indented text, else a paragraph: lines up to a blank one, or to a block that interrupts it. */
function plain(scan: Scan, line: number): BlockEnd {
  const depth = scan.markup === 'rst' ? 1 : 4
  if (scan.lines.indents[line]! >= scan.base + depth) {
    return { kind: 'indented', to: indentedRun(scan, line) }
  }
  let next = line + 1
  while (next < scan.to && scan.lines.indents[next] !== -1 && !interrupts(scan, next)) {
    if (scan.markup !== 'rst' && isItem(scan.lines, next)) break
    next++
  }
  return { kind: 'paragraph', to: next }
}

function indentedRun(scan: Scan, line: number): number {
  const { indents } = scan.lines
  let next = line
  while (next < scan.to && (indents[next] === -1 || indents[next]! > scan.base)) next++
  return next
}

function blankAfter(scan: Scan, line: number): number {
  let next = line
  while (next < scan.to && scan.lines.indents[next] !== -1) next++
  return next
}
