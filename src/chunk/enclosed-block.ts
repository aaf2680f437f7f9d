import { trimmedLineStart } from './line.ts'
import type { BlockEnd, BlockScan, LineStart } from './scan.ts'

export function enclosedBlock(scan: BlockScan, { line, head }: LineStart): BlockEnd | null {
  if (isContainer(head)) return { kind: 'container', to: containerEnd(scan, line) }
  if (isAdmonition(head)) return { kind: 'container', to: indentedEnd(scan, line) }
  if (head.startsWith('<')) return html(scan, { line, head })
  return fenceBlock(scan, line)
}

/** True if a line ends the paragraph before it without a blank line in between. */
export function interruptsParagraph(scan: BlockScan, line: number): boolean {
  const head = trimmedLineStart(scan.lines, line)
  return fenceMarker(head) !== null || isContainer(head) || isAdmonition(head)
}

export function fenceBlock(scan: BlockScan, line: number): BlockEnd | null {
  const marker = fenceMarker(trimmedLineStart(scan.lines, line))
  if (marker === null) return null
  for (let next = line + 1; next < scan.to; next++) {
    const head = trimmedLineStart(scan.lines, next)
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

/** Returns the end of a container, which may contain others. An unclosed one ends with the scan. */
function containerEnd(scan: BlockScan, line: number): number {
  let depth = 1
  for (let next = line + 1; next < scan.to; next++) {
    const head = trimmedLineStart(scan.lines, next)
    if (isContainer(head)) depth++
    else if (/^(:{3,}|\/{3,})$/.test(head) && --depth === 0) return next + 1
  }
  return scan.to
}

/** Returns the end of a block: a line and all following blank or more deeply indented lines. */
function indentedEnd(scan: BlockScan, line: number): number {
  const { indents } = scan.lines
  let next = line + 1
  while (next < scan.to && (indents[next] === -1 || indents[next]! > indents[line]!)) next++
  return next
}

function html(scan: BlockScan, { line, head }: LineStart): BlockEnd | null {
  const isComment = head.startsWith('<!--')
  if (isComment) return { kind: 'silent', to: closedBy(scan, { line, closer: '-->' }) }
  const open = /^<(table|pre|script|style|svg)\b/i.exec(head)?.[1]?.toLowerCase()
  if (open === undefined) return null
  const kind = open === 'table' ? 'table' : 'fence'
  return { kind, to: closedBy(scan, { line, closer: `</${open}` }) }
}

/** Returns the line after the first one with `closer`, or the end of the scan. */
function closedBy(scan: BlockScan, { line, closer }: { line: number; closer: string }): number {
  const { starts, text } = scan.lines
  for (let next = line; next < scan.to; next++) {
    const content = text.slice(starts[next]!, starts[next + 1]!)
    if (content.toLowerCase().includes(closer)) return next + 1
  }
  return scan.to
}
