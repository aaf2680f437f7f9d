import type { Atom, AtomContext } from './atom.ts'
import { atomsOf, fitting, isWhole, lineAtoms } from './atom.ts'
import type { Block } from './block.ts'
import { bodyTokens, fitsTokens } from './budget.ts'
import type { Range } from './range.ts'

/**
 * Cuts blocks into ranges that tile them, from the last backwards: a range takes in what stands
 * before it while that fits. So it depends only on the text below its start, and text inserted
 * above leaves it as it is; packing forwards would move every border down to the next heading.
 *
 * `reserve` is the share of each range, 0 to 0.5, that is left free for an overlap. Throws
 * OgError if not even one character fits.
 */
export function pack(setting: AtomContext, blocks: Block[], reserve: number): Range[] {
  const tokens = bodyTokens(setting.budget, setting.place)
  const whole: Room = { chars: setting.budget.wholeChars, tokens }
  const room: Room =
    { chars: setting.budget.chunkChars * (1 - reserve), tokens: tokens * (1 - reserve) }
  const atoms = led(headed(setting, atomsOf(setting, blocks), whole), whole)
  const pieces = withoutTinyHead(setting, backwards(setting, atoms, room), whole)
  return pieces.flatMap((piece) => verified(setting, piece))
}

type Room = { chars: number; tokens: number }

/** A heading, the first line of a container or a label goes with what follows it. */
function headed(setting: AtomContext, atoms: Atom[], whole: Room): Atom[] {
  const stack: Atom[] = []
  for (const atom of atoms.toReversed()) {
    const next = stack.at(-1)
    if (next === undefined || !isOpening(atom)) {
      stack.push(atom)
      continue
    }
    // Rather a divided paragraph than a heading alone; a fence is worth more whole.
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

/** `For example:` goes with the fence, list or table after it. */
function led(atoms: Atom[], whole: Room): Atom[] {
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
  if (isJoinable(atom, next, room)) stack[stack.length - 1] = joined(atom, next)
  else stack.push(atom)
}

function backwards(setting: AtomContext, atoms: Atom[], room: Room): Atom[] {
  const pieces: Atom[] = []
  for (let end = atoms.length; end > 0;) {
    let piece = atoms[end - 1]!
    let start = end - 1
    while (start > 0 && isJoinable(atoms[start - 1]!, piece, room)) {
      piece = joined(atoms[--start]!, piece)
    }
    start = firstThatFits(setting, atoms, { start, end })
    const isSingle = start === end - 1
    pieces.push(isSingle ? atoms[start]! : counted(atoms[start]!, atoms[end - 1]!))
    end = start
  }
  return pieces.toReversed()
}

/**
 * The first atom from which all up to `end` fit. Sums of tokens are exact for WordPiece at
 * whitespace, where this counts once; another counter may find them too low.
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

/** What is left over at the top joins the range below it, where it is hardly worth its own. */
function withoutTinyHead({ budget, place }: AtomContext, pieces: Atom[], whole: Room): Atom[] {
  const [head, next, ...rest] = pieces
  if (head === undefined || next === undefined) return pieces
  const isTiny = head.content.end - head.content.start < budget.chunkChars / 9
  if (!isTiny || !isJoinable(head, next, whole)) return pieces
  const both = counted(head, next)
  return fitsTokens(budget, place, both) ? [both, ...rest] : pieces
}

function isJoinable(atom: Atom, next: Atom, room: Room): boolean {
  const chars = next.content.end - atom.content.start
  return chars <= room.chars && atom.tokens + next.tokens <= room.tokens
}

function joined(atom: Atom, next: Atom): Atom {
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

function counted(first: Atom, last: Atom): Atom {
  return { ...joined(first, last), isCounted: true }
}

/** What was joined with its lead-in, and with nothing else, has not been counted yet. */
function verified({ budget, place }: AtomContext, piece: Atom): Range[] {
  const isFit = piece.isCounted || fitsTokens(budget, place, piece)
  return isFit ? [piece] : fitting(budget, place, piece)
}
