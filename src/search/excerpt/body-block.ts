import { splitIntoBlocks } from '../../chunk/block.ts'
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
