import { headOf } from './line.ts'
import type { BlockEnd, Scan, Spot } from './scan.ts'

/** A pipe table; in rst a grid or simple table, or a line block, whose lines stay together too. */
export function table(scan: Scan, { line, head }: Spot): BlockEnd | null {
  if (scan.markup === 'rst') {
    return /^=+( +=+)+$/.test(head) ? simpleTable(scan, line) : grid(scan, { line, head })
  }
  const next = line + 1 < scan.to ? headOf(scan.lines, line + 1) : ''
  const isTable = head.includes('|') && next.includes('|') && /^[|:\- ]+$/.test(next)
  return isTable ? { kind: 'table', to: blankAfter(scan, line) } : null
}

function grid(scan: Scan, { line, head }: Spot): BlockEnd | null {
  const isGrid = /^(\+[-=+]+\+|\|.*)$/.test(head)
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

function blankAfter(scan: Scan, line: number): number {
  let next = line
  while (next < scan.to && scan.lines.indents[next] !== -1) next++
  return next
}
