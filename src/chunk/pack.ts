import { OgError } from '../platform/error.ts'
import type { Atom, Setting } from './atom.ts'
import { atomsOf, fitting, isWhole, lineAtoms } from './atom.ts'
import type { Block } from './block.ts'
import { bodyTokens, fitsTokens } from './budget.ts'
import type { Range } from './line.ts'

/**
 * Cuts blocks into ranges that tile them, from the last backwards: a range takes in what stands
 * before it while that fits. So it depends only on the text below its start, and text inserted
 * above leaves it as it is; packing forwards would move every border down to the next heading.
 *
 * `reserve` is the share of each range, 0 to 0.5, that is left free for an overlap. Throws
 * OgError if not even one character fits.
 */
export function pack(setting: Setting, blocks: Block[], reserve: number): Range[] {
  const tokens = bodyTokens(setting.budget, setting.place)
  const whole: Room = { chars: setting.budget.wholeChars, tokens }
  const room: Room =
    { chars: setting.budget.chunkChars * (1 - reserve), tokens: tokens * (1 - reserve) }
  const atoms = led(headed(setting, atomsOf(setting, blocks), whole), whole)
  const pieces = withoutTinyHead(setting, backwards(atoms, room), whole)
  return pieces.flatMap((piece) => verified(setting, piece))
}

type Room = { chars: number; tokens: number }

/** A heading, the first line of a container or a label goes with what follows it. */
function headed(setting: Setting, atoms: Atom[], whole: Room): Atom[] {
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

function backwards(atoms: Atom[], room: Room): Atom[] {
  const stack: Atom[] = []
  for (const atom of atoms.toReversed()) {
    if (stack.length === 0) stack.push(atom)
    else pushJoined(stack, atom, room)
  }
  return stack.toReversed()
}

/** What is left over at the top joins the range below it, where it is hardly worth its own. */
function withoutTinyHead({ budget, place }: Setting, pieces: Atom[], whole: Room): Atom[] {
  const [head, next, ...rest] = pieces
  if (head === undefined || next === undefined) return pieces
  const isTiny = head.content.end - head.content.start < budget.chunkChars / 9
  if (!isTiny || !isJoinable(head, next, whole)) return pieces
  const both = joined(head, next)
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
  }
}

/** Sums of tokens are exact for WordPiece at whitespace only, so ranges are counted once more. */
function verified({ budget, place }: Setting, piece: Range): Range[] {
  if (fitsTokens(budget, place, piece)) return [{ start: piece.start, end: piece.end }]
  const parts = fitting(budget, place, piece)
  if (parts.every((part) => fitsTokens(budget, place, part))) return parts
  throw new OgError(
    `Cannot cut page "${budget.path}": ${budget.maxTokens} tokens do not hold one character of it`,
    { hint: 'use a model with a longer input' },
  )
}
