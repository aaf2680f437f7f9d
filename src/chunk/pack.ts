import type { Atom, AtomContext } from './atom.ts'
import { atomsOf, fittingParts, isWhole, lineAtoms } from './atom.ts'
import type { Block } from './block.ts'
import { bodyTokens, fitsTokens } from './budget.ts'
import type { Range } from './range.ts'

/**
 * Packs blocks into ranges that cover them, from the last block backwards: each range grows upwards
 * while it fits. A range then depends only on the text below its start, so text inserted above does
 * not change it. Packing forwards would move every border down to the next heading.
 *
 * `reserve` is the share of each range, 0 to 0.5, that stays free for an overlap. Throws OgError if
 * not even one character fits.
 */
export function pack(context: AtomContext, blocks: Block[], reserve: number): Range[] {
  const tokens = bodyTokens(context.budget, context.place)
  const whole: Room = { chars: context.budget.wholeChars, tokens }
  const room: Room = {
    chars: context.budget.chunkChars * (1 - reserve),
    tokens: tokens * (1 - reserve),
  }
  const atoms = joinLeadIns(joinHeadings(context, atomsOf(context, blocks), whole), whole)
  const pieces = withoutTinyHead(context, packBackwards(context, atoms, room), whole)
  return pieces.flatMap((piece) => withinBudget(context, piece))
}

type Room = { chars: number; tokens: number }

/** Joins each heading, first line of a container and label with the atom after it. */
function joinHeadings(setting: AtomContext, atoms: Atom[], whole: Room): Atom[] {
  const stack: Atom[] = []
  for (const atom of atoms.toReversed()) {
    const next = stack.at(-1)
    if (next === undefined || !isOpening(atom)) {
      stack.push(atom)
      continue
    }
    // A divided paragraph is better than a heading alone, but a fence should stay whole.
    if (!isJoinable(atom, next, whole) && !isWhole(next.kind)) {
      stack.pop()
      for (const part of lineAtoms(setting, next, next.kind).toReversed()) stack.push(part)
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
 * Returns the first atom of the range from which all atoms to its end fit into one chunk. For
 * WordPiece the sum of tokens is exact at whitespace, so it counts only once; for other tokenizers
 * the sum may be too low.
 */
function firstThatFits({ budget, place }: AtomContext, atoms: Atom[], range: Range): number {
  const end = atoms[range.end - 1]!.end
  let low = range.start
  let high = range.end - 1
  for (let at = low; low < high; at = (low + high) >> 1) {
    if (fitsTokens(budget, place, { start: atoms[at]!.start, end })) high = at
    else low = at + 1
  }
  return high
}

/** Joins the first range with the next one if it is too short to be a chunk of its own. */
function withoutTinyHead({ budget, place }: AtomContext, pieces: Atom[], whole: Room): Atom[] {
  const [head, next, ...rest] = pieces
  if (head === undefined || next === undefined) return pieces
  const isTiny = head.content.end - head.content.start < budget.chunkChars / 9
  if (!isTiny || !isJoinable(head, next, whole)) return pieces
  const both = joinCounted(head, next)
  return fitsTokens(budget, place, both) ? [both, ...rest] : pieces
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

/**
 * Checks the tokens of a piece that was only joined with its lead-in; divides it if it is too long.
 */
function withinBudget({ budget, place }: AtomContext, piece: Atom): Range[] {
  const isFit = piece.isCounted || fitsTokens(budget, place, piece)
  return isFit ? [piece] : fittingParts(budget, place, piece)
}
