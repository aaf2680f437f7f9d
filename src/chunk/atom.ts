import type { Markup } from '../page/page.ts'
import { OgError } from '../platform/error.ts'
import type { Block } from './block.ts'
import { innerBlocks } from './block.ts'
import type { Budget, ChunkPlace } from './budget.ts'
import { fits, fitsTokens } from './budget.ts'
import type { Lines } from './line.ts'
import type { Range } from './range.ts'
import { trimRange } from './range.ts'
import type { BlockKind } from './scan.ts'
import { slices } from './slice.ts'

/** A part of a block that fits into one chunk and is packed as a unit. It is never blank. */
export type Atom = Range & {
  kind: BlockKind
  /** The range without the whitespace at its ends. */
  content: Range
  /** Tokens of the content alone. */
  tokens: number
  /** True if it introduces the block after it, as `For example:` does. */
  endsWithColon: boolean
  /** True if its tokens were counted as a whole, rather than summed from its parts. */
  isCounted: boolean
}

/** The section and the budget for which atoms are cut. */
export type AtomContext = { budget: Budget; place: ChunkPlace; lines: Lines; markup: Markup }

// Real pages nest less than ten blocks. Deeper blocks are cut by lines, so that no page can exhaust
// the stack.
const deepest = 32

/** Divides blocks into the largest parts that each fit a chunk; together they cover the blocks. */
export function atomsOf(context: AtomContext, blocks: Block[], depth = 0): Atom[] {
  const atoms: Atom[] = []
  for (const block of blocks) {
    for (const atom of blockAtoms(context, block, depth)) atoms.push(atom)
  }
  return atoms
}

function blockAtoms(context: AtomContext, block: Block, depth: number): Atom[] {
  const { lines, budget, place } = context
  const range = { start: lines.starts[block.from]!, end: lines.starts[block.to]! }
  const chars = isWhole(block.kind) ? budget.wholeChars : budget.chunkChars
  if (fits(budget, place, { ...range, chars })) return [atomOf(budget, range, block.kind)]
  const parts = depth < deepest ? innerBlocks(lines, { ...block, markup: context.markup }) : []
  if (parts.length > 1) return atomsOf(context, parts, depth + 1)
  return lineAtoms(context, range, block.kind)
}

/**
 * Divides a range into groups of lines or sentences, about an eighth of a chunk each: small enough
 * to fill chunks well, large enough that a table of a million rows does not become a million atoms.
 */
export function lineAtoms({ budget, place }: AtomContext, range: Range, kind: BlockKind): Atom[] {
  const sizes = { size: Math.ceil(budget.chunkChars / 8), most: budget.chunkChars }
  return slices(budget.text, range, sizes).flatMap((piece) =>
    fittingParts(budget, place, piece).map((part) => atomOf(budget, part, kind)),
  )
}

/** True for kinds of blocks that should stay whole, because parts of them are of little use. */
export function isWhole(kind: BlockKind): boolean {
  return kind === 'fence' || kind === 'table'
}

/** Halves a range until all parts fit a chunk. Throws OgError if one character does not fit. */
export function fittingParts(budget: Budget, place: ChunkPlace, range: Range): Range[] {
  if (fits(budget, place, { ...range, chars: budget.chunkChars })) return [range]
  const { start, end } = trimRange(budget.text, range)
  const half = Math.ceil((end - start) / 2)
  const halves = slices(budget.text, range, { size: half, most: half })
  if (halves.length > 1) return halves.flatMap((part) => fittingParts(budget, place, part))
  if (fitsTokens(budget, place, range)) return [range]
  throw new OgError(
    `Cannot cut page "${budget.path}": ${budget.maxTokens} tokens do not hold one character of it`,
    { hint: 'use a model with a longer input' },
  )
}

function atomOf(budget: Budget, range: Range, kind: BlockKind): Atom {
  const content = trimRange(budget.text, range)
  const text = budget.text.slice(content.start, content.end)
  const endsWithColon = !isWhole(kind) && /[:：]$/.test(text)
  const tokens = budget.countTokens(text)
  return { ...range, kind, content, tokens, endsWithColon, isCounted: true }
}
