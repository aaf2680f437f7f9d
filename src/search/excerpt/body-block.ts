import { blocksOf } from '../../chunk/block.ts'
import { lineFrom, type Lines } from '../../chunk/line.ts'
import type { Range } from '../../chunk/range.ts'
import type { BlockKind } from '../../chunk/scan.ts'
import type { Outline, OwnText } from './outline.ts'

/** A block of a page with its character offsets. */
export type BodyBlock = Range & { kind: BlockKind; from: number; to: number }

/** Returns the outermost blocks under a heading. */
export function bodyBlocks({ lines, markup }: Outline, section: OwnText): BodyBlock[] {
  const from = lineFrom(lines, section.bodyStart)
  const to = lineFrom(lines, section.end)
  return blocksOf(lines, { markup, from, to }).map((block) => extentOf(lines, block))
}

export function extentOf(
  lines: Lines,
  block: { kind: BlockKind; from: number; to: number },
): BodyBlock {
  return { ...block, start: lines.starts[block.from]!, end: lines.starts[block.to]! }
}
