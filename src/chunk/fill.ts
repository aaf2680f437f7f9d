import { type Block, innerBlocks } from './block.ts'
import {
  tokensForBody,
  fitsTokenLimit,
  type ChunkBudget,
  type HeadingContext,
  fitsChunk,
} from './budget.ts'
import { type Range, trimRange, isSpace } from './range.ts'
import { OgError } from '../platform/error.ts'
import type { Lines } from './line.ts'
import type { BlockKind } from './scan.ts'

/**
 * Packs blocks into ranges that cover them, from the last block backwards. Each range grows upwards
 * as long as it fits. A range then depends only on the text below its start, so text inserted above
 * does not change it. Packing forwards would move every border down to the next heading.
 *
 * `reserve` is the share of each range, from 0 to 0.5, that stays free for an overlap. Throws
 * OgError if not even one character fits.
 */
export function fillChunks(context: AtomContext, blocks: Block[], reserve: number): Range[] {
  const tokens = tokensForBody(context.budget, context.place)
  const whole: Room = { chars: context.budget.wholeChars, tokens }
  const room: Room = {
    chars: context.budget.chunkChars * (1 - reserve),
    tokens: tokens * (1 - reserve),
  }
  const atoms = joinLeadIns(joinHeadings(context, splitIntoAtoms(context, blocks), whole), whole)
  const pieces = withoutTinyHead(context, packBackwards(context, atoms, room), whole)
  return pieces.flatMap((piece) => withinBudget(context, piece))
}

type Room = { chars: number; tokens: number }

/** Joins each heading, container's first line and label with the atom after it. */
function joinHeadings(setting: AtomContext, atoms: Atom[], whole: Room): Atom[] {
  const stack: Atom[] = []
  for (const atom of atoms.toReversed()) {
    const next = stack.at(-1)
    if (next === undefined || !isOpening(atom)) {
      stack.push(atom)
      continue
    }
    // Dividing a paragraph is better than leaving a heading alone, but a fence should stay whole.
    if (!isJoinable(atom, next, whole) && !shouldStayWhole(next.kind)) {
      stack.pop()
      for (const part of splitLinesIntoAtoms(setting, next, next.kind).toReversed())
        stack.push(part)
    }
    pushJoined(stack, atom, whole)
  }
  return stack.toReversed()
}

function isOpening(atom: Atom): boolean {
  return atom.kind === 'heading' || atom.kind === 'opening' || atom.kind === 'silent'
}

/** Joins a lead-in, such as `For example:`, with the fence, list or table after it. */
function joinLeadIns(atoms: Atom[], whole: Room): Atom[] {
  const stack: Atom[] = []
  for (const atom of atoms.toReversed()) {
    const isLead = atom.endsWithColon && (stack.at(-1)?.kind ?? 'paragraph') !== 'paragraph'
    if (isLead) pushJoined(stack, atom, whole)
    else stack.push(atom)
  }
  return stack.toReversed()
}

function pushJoined(stack: Atom[], atom: Atom, room: Room): void {
  const next = stack.at(-1)!
  if (isJoinable(atom, next, room)) stack[stack.length - 1] = joinAtoms(atom, next)
  else stack.push(atom)
}

function packBackwards(setting: AtomContext, atoms: Atom[], room: Room): Atom[] {
  const pieces: Atom[] = []
  for (let end = atoms.length; end > 0; ) {
    let piece = atoms[end - 1]!
    let start = end - 1
    while (start > 0 && isJoinable(atoms[start - 1]!, piece, room)) {
      piece = joinAtoms(atoms[--start]!, piece)
    }
    start = firstThatFits(setting, atoms, { start, end })
    const isSingle = start === end - 1
    pieces.push(isSingle ? atoms[start]! : joinCounted(atoms[start]!, atoms[end - 1]!))
    end = start
  }
  return pieces.toReversed()
}

/**
 * Returns the first atom of the range from which all atoms up to the end fit into one chunk. For
 * WordPiece, the sum of the tokens is exact at white space, so one count is enough. For other
 * tokenizers, the sum may be too low.
 */
function firstThatFits({ budget, place }: AtomContext, atoms: Atom[], range: Range): number {
  const end = atoms[range.end - 1]!.end
  let low = range.start
  let high = range.end - 1
  for (let at = low; low < high; at = (low + high) >> 1) {
    if (fitsTokenLimit(budget, place, { start: atoms[at]!.start, end })) high = at
    else low = at + 1
  }
  return high
}

/** Joins the first range with the next one if it is too short for a chunk. */
function withoutTinyHead({ budget, place }: AtomContext, pieces: Atom[], whole: Room): Atom[] {
  const [head, next, ...rest] = pieces
  if (head === undefined || next === undefined) return pieces
  const isTiny = head.content.end - head.content.start < budget.chunkChars / 9
  if (!isTiny || !isJoinable(head, next, whole)) return pieces
  const both = joinCounted(head, next)
  return fitsTokenLimit(budget, place, both) ? [both, ...rest] : pieces
}

function isJoinable(atom: Atom, next: Atom, room: Room): boolean {
  const chars = next.content.end - atom.content.start
  return chars <= room.chars && atom.tokens + next.tokens <= room.tokens
}

function joinAtoms(atom: Atom, next: Atom): Atom {
  return {
    start: atom.start,
    end: next.end,
    kind: next.kind,
    content: { start: atom.content.start, end: next.content.end },
    tokens: atom.tokens + next.tokens,
    endsWithColon: next.endsWithColon,
    isCounted: false,
  }
}

function joinCounted(first: Atom, last: Atom): Atom {
  return { ...joinAtoms(first, last), isCounted: true }
}

/** Counts the tokens of a piece with its lead-in, and divides the piece if it is too long. */
function withinBudget({ budget, place }: AtomContext, piece: Atom): Range[] {
  const isFit = piece.isCounted || fitsTokenLimit(budget, place, piece)
  return isFit ? [piece] : splitToFit(budget, place, piece)
}

/** A part of a block that fits into one chunk and is packed as a unit. It is never blank. */
type Atom = Range & {
  kind: BlockKind
  /** The range without white space at its ends. */
  content: Range
  tokens: number
  /** True if the atom introduces the next block, as `For example:` does. */
  endsWithColon: boolean
  /** True if its tokens were counted as a whole instead of summed from its parts. */
  isCounted: boolean
}

/** The section and the budget for which atoms are cut. */
export type AtomContext = { budget: ChunkBudget; place: HeadingContext; lines: Lines }

// Real pages nest fewer than ten blocks. Deeper blocks are cut by lines so that no page can exhaust
// the stack.
const deepest = 32

/** Divides blocks into the largest parts that fit into a chunk. The parts cover the blocks. */
export function splitIntoAtoms(context: AtomContext, blocks: Block[], depth = 0): Atom[] {
  const atoms: Atom[] = []
  for (const block of blocks) {
    for (const atom of blockAtoms(context, block, depth)) atoms.push(atom)
  }
  return atoms
}

function blockAtoms(context: AtomContext, block: Block, depth: number): Atom[] {
  const { lines, budget, place } = context
  const range = { start: lines.starts[block.from]!, end: lines.starts[block.to]! }
  const chars = shouldStayWhole(block.kind) ? budget.wholeChars : budget.chunkChars
  if (fitsChunk(budget, place, { ...range, chars })) return [atomOf(budget, range, block.kind)]
  const parts = depth < deepest ? innerBlocks(lines, block) : []
  if (parts.length > 1) return splitIntoAtoms(context, parts, depth + 1)
  return splitLinesIntoAtoms(context, range, block.kind)
}

/**
 * Divides a range into groups of lines or sentences of about an eighth of a chunk. They are small
 * enough to fill chunks well, and large enough that a table with a million rows does not become a
 * million atoms.
 */
export function splitLinesIntoAtoms(
  { budget, place }: AtomContext,
  range: Range,
  kind: BlockKind,
): Atom[] {
  const sizes = { size: Math.ceil(budget.chunkChars / 8), most: budget.chunkChars }
  return cutIntoSlices(budget.text, range, sizes).flatMap((piece) =>
    splitToFit(budget, place, piece).map((part) => atomOf(budget, part, kind)),
  )
}

/** True for blocks that should stay whole because their parts are of little use. */
function shouldStayWhole(kind: BlockKind): boolean {
  return kind === 'fence' || kind === 'table'
}

/** Halves a range until all parts fit. Throws OgError if a single character does not fit. */
export function splitToFit(budget: ChunkBudget, place: HeadingContext, range: Range): Range[] {
  if (fitsChunk(budget, place, { ...range, chars: budget.chunkChars })) return [range]
  const { start, end } = trimRange(budget.text, range)
  const half = Math.ceil((end - start) / 2)
  const halves = cutIntoSlices(budget.text, range, { size: half, most: half })
  if (halves.length > 1) return halves.flatMap((part) => splitToFit(budget, place, part))
  if (fitsTokenLimit(budget, place, range)) return [range]
  throw new OgError(
    `Cannot cut page "${budget.path}": ${budget.maxTokens} tokens are too few for one of its ` +
      'characters',
    { hint: 'use a model with a longer input' },
  )
}

function atomOf(budget: ChunkBudget, range: Range, kind: BlockKind): Atom {
  const content = trimRange(budget.text, range)
  const text = budget.text.slice(content.start, content.end)
  const endsWithColon = !shouldStayWhole(kind) && /[:：]$/.test(text)
  const tokens = budget.countTokens(text)
  return { ...range, kind, content, tokens, endsWithColon, isCounted: true }
}

type SliceSizes = { size: number; most: number }

/**
 * Cuts a range without inner blocks into slices, preferably after lines, then after sentences,
 * words or code points. Takes linear time because a page may be a single line of several megabytes.
 */
export function cutIntoSlices(text: string, range: Range, sizes: SliceSizes): Range[] {
  const content = trimRange(text, range)
  const pieces: Range[] = []
  let start = range.start
  let at = content.start
  while (content.end - at > sizes.size) {
    const end = afterSpace(text, border(text, { start: at, end: content.end }, sizes))
    if (end >= content.end) break
    pieces.push({ start, end })
    start = end
    at = trimRange(text, { start: end, end: content.end }).start
  }
  pieces.push({ start, end: range.end })
  return pieces
}

/** Returns the best offset at which to cut a range, or its end if it is short enough. */
function border(text: string, { start, end }: Range, { size, most }: SliceSizes): number {
  const reach = Math.min(end, start + most)
  const line = nearest(text, { start, end: reach }, { size, ending: /\n/g })
  if (line !== undefined) return line
  if (reach === end) return end
  const sentence = nearest(text, { start, end: reach }, { size, ending: /[。！？]|[.!?]\s/g })
  const word = () => nearest(text, { start, end: start + size }, { size, ending: /\s/g })
  return sentence ?? word() ?? codePointBorder(text, start, size)
}

/** Returns the offset after the last `ending` within `size`, or after the next one. */
function nearest(
  text: string,
  range: Range,
  { size, ending }: { size: number; ending: RegExp },
): number | undefined {
  let end: number | undefined
  for (const match of text.slice(range.start, range.end).matchAll(ending)) {
    const next = range.start + match.index + match[0].length
    if (end !== undefined && next > range.start + size) return end
    end = next
    if (next > range.start + size) return end
  }
  return end
}

function codePointBorder(text: string, at: number, size: number): number {
  const end = at + size
  if (!splitsPair(text, end)) return end
  return end - 1 > at ? end - 1 : end + 1
}

function splitsPair(text: string, end: number): boolean {
  const high = text.charCodeAt(end - 1)
  const low = text.charCodeAt(end)
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000
}

/** Moves a border past surrounding white space, but keeps the next line's indentation. */
function afterSpace(text: string, border: number): number {
  let end = border
  while (end < text.length && isSpace(text.charCodeAt(end))) end++
  for (let at = end; at > 0 && isSpace(text.charCodeAt(at - 1)); at--) {
    if (text.charCodeAt(at - 1) === 10) return at
  }
  return end
}
