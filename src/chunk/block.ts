import { endOfFirstParagraph, blockAt, isListItem, endOfLineOrFence } from './block-kind.ts'
import type { Lines } from './line.ts'
import type { BlockKind, BlockScan } from './scan.ts'

/**
 * Lines that belong together, including the blank lines after them. They are counted from 0, and
 * `to` is exclusive. Blocks cover all scanned lines, and the first one includes the blank lines
 * before it.
 */
export type Block = { kind: BlockKind; from: number; to: number }

type Extent = { from: number; to: number }

export function splitIntoBlocks(lines: Lines, extent: Extent): Block[] {
  return scanBlocks(lines, extent, 0)
}

/** Returns the parts of a block that does not fit as a whole, or the block if it has no parts. */
export function innerBlocks(lines: Lines, extent: Extent & { kind: BlockKind }): Block[] {
  const first = firstLine(lines, extent)
  if (extent.kind === 'list') return items(lines, extent)
  if (extent.kind === 'container') return openingBlocks(lines, { ...extent, body: first + 1 })
  if (extent.kind === 'indented') return scanBlocks(lines, extent, lines.indents[first]!)
  if (extent.kind !== 'item') return runs(lines, extent)
  return openingBlocks(lines, { ...extent, body: endOfFirstParagraph(lines, extent) })
}

/** Returns a container's first line or an item's first paragraph, then the blocks below it. */
function openingBlocks(lines: Lines, extent: Extent & { kind: BlockKind; body: number }): Block[] {
  let body = extent.body
  while (body < extent.to && lines.indents[body] === -1) body++
  if (body >= extent.to) return runs(lines, extent)
  const kind = extent.kind === 'item' ? 'paragraph' : 'opening'
  return [
    { kind, from: extent.from, to: body },
    ...scanBlocks(lines, { ...extent, from: body }, lines.indents[body]!),
  ]
}

function scanBlocks(lines: Lines, extent: Extent, base: number): Block[] {
  const scan: BlockScan = { lines, to: extent.to, base }
  return tileBlocks(lines, extent, (line) => blockAt(scan, line))
}

function items(lines: Lines, extent: Extent): Block[] {
  const base = lines.indents[firstLine(lines, extent)]!
  return tileBlocks(lines, extent, (line) => {
    let to = line + 1
    while (to < extent.to && !(isListItem(lines, to) && lines.indents[to]! <= base)) {
      to = endOfLineOrFence({ ...extent, lines, base }, to)
    }
    return { kind: 'item', to }
  })
}

function runs(lines: Lines, extent: Extent & { kind: BlockKind }): Block[] {
  return tileBlocks(lines, extent, (line) => {
    let to = line + 1
    while (to < extent.to && lines.indents[to] !== -1) to++
    return { kind: extent.kind, to }
  })
}

type BlockEnd = (line: number) => { kind: BlockKind; to: number }

function tileBlocks(lines: Lines, extent: Extent, next: BlockEnd): Block[] {
  const blocks: Block[] = []
  let line = firstLine(lines, extent)
  let from = extent.from
  while (line < extent.to) {
    const { kind, to } = next(line)
    line = firstLine(lines, { from: to, to: extent.to })
    blocks.push({ kind, from, to: line })
    from = line
  }
  return blocks
}

function firstLine(lines: Lines, extent: { from: number; to: number }): number {
  let line = extent.from
  while (line < extent.to && lines.indents[line] === -1) line++
  return line
}
