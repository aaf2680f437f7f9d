import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { distance } from '../../platform/text/nearest.ts'
import { readKept, type CheckOfBytes } from '../integrity/file-checks.ts'

/** The index terms of a generation among which one that was mistyped is looked for. */
export type Vocabulary = {
  /** Up to `count` that look most like it, best first. */
  near(term: string, count: number): NearTerm[]
  /** Those that begin with the same letter and are so many edits away (Damerau-Levenshtein). */
  within(term: string, edits: number): string[]
}

/** `likeness` is Dice's coefficient of the character trigrams, ends included, of both terms. */
export type NearTerm = { term: string; likeness: number }

export const vocabularyName = 'vocabulary.txt'
/** Numbers, hashes and other scripts are not what a name is a few keystrokes away from. */
const isWordy = /^(?=.*[a-z]{2})[\x21-\x7e]{4,40}$/
const leastLikeness = 0.6

/**
 * A term a line after an empty one, the short terms first: those of about the same length are read,
 * and the ends of lines are the ends of terms.
 */
export async function writeVocabulary(folder: string, terms: Iterable<string>): Promise<void> {
  const kept = [...terms].filter((term) => isWordy.test(term))
  kept.sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  await writeFile(join(folder, vocabularyName), ['', ...kept, ''].join('\n'))
}

/**
 * Reads the vocabulary; null where an earlier version wrote the generation, without one. `check`
 * throws where its bytes are not those that were written.
 */
export async function readVocabulary(
  folder: string,
  check?: CheckOfBytes,
): Promise<Vocabulary | null> {
  const bytes = await readKept(join(folder, vocabularyName), check)
  if (bytes === null) return null
  const starts = blockStarts(bytes)
  const blocks = { bytes, starts }
  return {
    near: (term, count) => nearIn(blocks, term, count),
    within: (term, edits) => withinEdits(blocks, term, edits),
  }
}

/** Lines of one length are one block: from `starts[length]` to `starts[length + 1]`. */
type Blocks = { bytes: Uint8Array; starts: readonly number[] }

const lineEnd = 10

function blockStarts(bytes: Uint8Array): number[] {
  const starts: number[] = []
  for (let at = 1, end = 0; (end = bytes.indexOf(lineEnd, at)) > 0; at = end + 1) {
    while (starts.length <= end - at) starts.push(at)
  }
  return [...starts, bytes.length]
}

function nearIn({ bytes, starts }: Blocks, term: string, count: number): NearTerm[] {
  if (!isWordy.test(term)) return []
  const typed = Buffer.from(`\n${term}\n`)
  const grams = new Uint8Array(nGrams)
  for (let i = 1; i <= term.length; i++) grams[gramAt(typed, i)] = 1
  const reach = Math.max(2, Math.floor(term.length / 3))
  const near: NearTerm[] = []
  for (let length = term.length - reach; length <= term.length + reach; length++) {
    const end = starts[length + 1] ?? bytes.length
    for (let at = starts[length] ?? bytes.length; at < end; at += length + 1) {
      let shared = 0
      for (let i = at; i < at + length; i++) shared += grams[gramAt(bytes, i)]!
      const likeness = (2 * shared) / (length + term.length)
      if (likeness < leastLikeness) continue
      near.push({ term: Buffer.from(bytes.subarray(at, at + length)).toString(), likeness })
    }
  }
  return near.sort((a, b) => b.likeness - a.likeness).slice(0, count)
}

function withinEdits({ bytes, starts }: Blocks, term: string, edits: number): string[] {
  const terms: string[] = []
  if (!isWordy.test(term)) return terms
  const first = term.charCodeAt(0)
  const letters = new Int8Array(128)
  for (const letter of Buffer.from(term)) letters[letter]!++
  for (let length = Math.max(1, term.length - edits); length <= term.length + edits; length++) {
    const end = starts[length + 1] ?? bytes.length
    for (let at = starts[length] ?? bytes.length; at < end; at += length + 1) {
      const line = bytes.subarray(at, at + length)
      if (line[0] !== first || othersIn(line, letters) > edits) continue
      const other = Buffer.from(line).toString()
      if (distance(term, other) <= edits) terms.push(other)
    }
  }
  return terms
}

/** How many of the letters are not among those counted, each as often; `letters` stays. */
function othersIn(bytes: Uint8Array, letters: Int8Array): number {
  let others = 0
  for (const letter of bytes) if (letters[letter]!-- <= 0) others++
  for (const letter of bytes) letters[letter]!++
  return others
}

const nGrams = 1 << 16

/** The number of the trigram around a place; small letters have five bits that tell them apart. */
function gramAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at - 1]! << 10) ^ (bytes[at]! << 5) ^ bytes[at + 1]!) & (nGrams - 1)
}
