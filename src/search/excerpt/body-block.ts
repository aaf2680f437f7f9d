import { innerBlocks, splitIntoBlocks } from '../../chunk/block.ts'
import { firstLineFrom, type Lines } from '../../chunk/line.ts'
import type { Range } from '../../chunk/range.ts'
import type { BlockKind } from '../../chunk/scan.ts'
import type { Outline, SectionText } from './outline.ts'

/** A block of a page with its character offsets. */
export type BodyBlock = Range & { kind: BlockKind; from: number; to: number }

/** Returns the outermost blocks under a heading. */
export function bodyBlocks(outline: Outline, section: SectionText): readonly BodyBlock[] {
  return blocksOf.getOrInsertComputed(section, () => splitSection(outline, section))
}

/** Caches a section's blocks because several steps of a search need them. */
const blocksOf = new WeakMap<SectionText, readonly BodyBlock[]>()

function splitSection({ lines }: Outline, section: SectionText): BodyBlock[] {
  const from = firstLineFrom(lines, section.bodyStart)
  const to = firstLineFrom(lines, section.end)
  return splitIntoBlocks(lines, { from, to }).map((block) => blockExtent(lines, block))
}

export function blockExtent(
  lines: Lines,
  block: { kind: BlockKind; from: number; to: number },
): BodyBlock {
  return { ...block, start: lines.starts[block.from]!, end: lines.starts[block.to]! }
}

/** True for fenced and indented code. */
export function isCode({ kind }: BodyBlock): boolean {
  return kind === 'fence' || kind === 'indented'
}

/** Maximum depth of nested blocks. Chunking applies the same limit. */
export const deepestBlock = 32

const enclosing: ReadonlySet<BlockKind> = new Set(['list', 'item', 'container'])

/** Returns the parts of a list or container that contains code. Other blocks are returned whole. */
export function partsAroundCode(outline: Outline, block: BodyBlock, depth = 0): BodyBlock[] {
  const { lines } = outline
  if (!enclosing.has(block.kind) || depth === deepestBlock) return [block]
  const parts = innerBlocks(lines, block).flatMap((part) =>
    partsAroundCode(outline, blockExtent(lines, part), depth + 1),
  )
  return parts.some(isCode) ? parts : [block]
}
