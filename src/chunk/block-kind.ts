import { enclosedBlock, fenceBlock, interruptsParagraph } from './enclosed-block.ts'
import { trimmedLineStart, type Lines } from './line.ts'
import type { BlockEnd, BlockScan, LineStart } from './scan.ts'

export function blockAt(scan: BlockScan, line: number): BlockEnd {
  const head = trimmedLineStart(scan.lines, line)
  return (
    enclosedBlock(scan, { line, head }) ??
    list(scan, line) ??
    tableBlock(scan, { line, head }) ??
    plain(scan, line)
  )
}

export function isListItem(lines: Lines, line: number): boolean {
  return (
    lines.indents[line] !== -1 &&
    /^([-*+•]|\d{1,9}[.)]|#\.)\s+\S/.test(trimmedLineStart(lines, line))
  )
}

export function endOfLineOrFence(scan: BlockScan, line: number): number {
  return scan.lines.indents[line] === -1 ? line + 1 : (fenceBlock(scan, line)?.to ?? line + 1)
}

/** Returns the end of a list item's first paragraph: a blank line, a fence or a nested item. */
export function endOfFirstParagraph(lines: Lines, item: { from: number; to: number }): number {
  let line = item.from
  while (line < item.to && lines.indents[line] === -1) line++
  line++
  while (line < item.to && lines.indents[line] !== -1) {
    if (isListItem(lines, line) || /^(```|~~~)/.test(trimmedLineStart(lines, line))) break
    line++
  }
  return line
}

/** Returns the end of a list: items, more deeply indented lines, and continued paragraphs. */
function list(scan: BlockScan, line: number): BlockEnd | null {
  const { lines } = scan
  if (!isListItem(lines, line)) return null
  let next = line + 1
  while (next < scan.to) {
    if (lines.indents[next]! > lines.indents[line]! || isListItem(lines, next)) {
      next = endOfLineOrFence(scan, next)
      continue
    }
    if (
      lines.indents[next] !== -1 &&
      (lines.indents[next - 1] === -1 || interruptsParagraph(scan, next))
    ) {
      break
    }
    next++
  }
  return { kind: 'list', to: next }
}

/** Returns the end of an indented block, or of a paragraph that a blank line or block ends. */
function plain(scan: BlockScan, line: number): BlockEnd {
  if (scan.lines.indents[line]! >= scan.base + 4) {
    return { kind: 'indented', to: indentedRun(scan, line) }
  }
  let next = line + 1
  while (next < scan.to && scan.lines.indents[next] !== -1 && !interruptsParagraph(scan, next)) {
    if (isListItem(scan.lines, next)) break
    next++
  }
  return { kind: 'paragraph', to: next }
}

function indentedRun(scan: BlockScan, line: number): number {
  const { indents } = scan.lines
  let next = line
  while (next < scan.to && (indents[next] === -1 || indents[next]! > scan.base)) next++
  return next
}

export function tableBlock(scan: BlockScan, { line, head }: LineStart): BlockEnd | null {
  const next = line + 1 < scan.to ? trimmedLineStart(scan.lines, line + 1) : ''
  const isTable = head.includes('|') && next.includes('|') && /^[|:\- ]+$/.test(next)
  return isTable ? { kind: 'table', to: blankAfter(scan, line) } : null
}

function blankAfter(scan: BlockScan, line: number): number {
  let next = line
  while (next < scan.to && scan.lines.indents[next] !== -1) next++
  return next
}
