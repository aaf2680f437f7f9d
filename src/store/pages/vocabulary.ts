import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { distance } from '../../platform/text/nearest.ts'
import { readOptionalFile } from '../file-checks.ts'
import type { CheckBytes } from '../integrity/damage.ts'

export type Vocabulary = {
  /** Returns up to `count` similar terms, best first. */
  near(term: string, count: number): NearTerm[]
  /** Returns terms with the same first letter within this edit distance (Damerau-Levenshtein). */
  within(term: string, edits: number): string[]
  /** Returns the terms that consist of these letters and digits, with symbols anywhere. */
  spelled(letters: string): string[]
}

export type NearTerm = { term: string; likeness: number }

export const vocabularyName = 'vocabulary.txt'
/** Excludes numbers, hashes and other scripts, which are rarely typing errors. */
const isWordy = /^(?=.*[a-z]{2})[\x21-\x7e]{4,40}$/
export const longestTerm = 40
const leastLikeness = 0.6

/**
 * Writes an empty line and then one term per line, short terms first, because a search reads only
 * terms of similar length.
 */
export async function writeVocabulary(folder: string, terms: Iterable<string>): Promise<void> {
  // Sorts by name first, in native code. The following sort by length is stable.
  const wordyTerms = [...terms].filter((term) => isWordy.test(term)).sort()
  wordyTerms.sort((a, b) => a.length - b.length)
  await writeFile(join(folder, vocabularyName), ['', ...wordyTerms, ''].join('\n'))
}

export async function readVocabulary(
  folder: string,
  check?: CheckBytes,
): Promise<Vocabulary | null> {
  const bytes = await readOptionalFile(join(folder, vocabularyName), check)
  if (bytes === null) return null
  const starts = blockStarts(bytes)
  const blocks = { bytes, starts }
  return {
    near: (term, count) => nearIn(blocks, term, count),
    within: (term, edits) => withinEdits(blocks, term, edits),
    spelled: (letters) => spelledTerms(blocks, letters),
  }
}

/** Lines of equal length form a block from `starts[length]` to `starts[length + 1]`. */
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
  const queryBytes = Buffer.from(`\n${term}\n`)
  const grams = new Uint8Array(nGrams)
  for (let i = 1; i <= term.length; i++) grams[gramAt(queryBytes, i)] = 1
  const reach = Math.max(2, Math.floor(term.length / 3))
  const near: NearTerm[] = []
  for (let length = term.length - reach; length <= term.length + reach; length++) {
    const end = starts[length + 1] ?? bytes.length
    for (let at = starts[length] ?? bytes.length; at < end; at += length + 1) {
      let nShared = 0
      for (let i = at; i < at + length; i++) nShared += grams[gramAt(bytes, i)]!
      const likeness = (2 * nShared) / (length + term.length)
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
      if (bytes[at] !== first) continue
      const line = bytes.subarray(at, at + length)
      if (othersIn(line, letters) > edits) continue
      const other = Buffer.from(line).toString()
      if (distance(term, other) <= edits) terms.push(other)
    }
  }
  return terms
}

const maxSymbols = 12

function spelledTerms({ bytes, starts }: Blocks, letters: string): string[] {
  const terms: string[] = []
  if (!/^[a-z0-9]+$/.test(letters)) return terms
  const sought = Buffer.from(letters)
  for (let { length } = sought; length <= sought.length + maxSymbols; length++) {
    const end = starts[length + 1] ?? bytes.length
    for (let at = starts[length] ?? bytes.length; at < end; at += length + 1) {
      if (isSpelling(bytes, { start: at, end: at + length }, sought))
        terms.push(Buffer.from(bytes.subarray(at, at + length)).toString())
    }
  }
  return terms
}

type Line = { start: number; end: number }

function isSpelling(bytes: Uint8Array, { start, end }: Line, sought: Uint8Array): boolean {
  let index = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    const isSymbol = !((byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57))
    if (isSymbol) continue
    if (byte !== sought[index]) return false
    index++
  }
  return index === sought.length
}

/** Counts the letters in `bytes` that exceed `letters`, which it restores afterwards. */
function othersIn(bytes: Uint8Array, letters: Int8Array): number {
  let others = 0
  // A `for … of` loop is slower here.
  for (let i = 0; i < bytes.length; i++) if (letters[bytes[i]!]!-- <= 0) others++
  for (let i = 0; i < bytes.length; i++) letters[bytes[i]!]!++
  return others
}

const nGrams = 1 << 16

/** Hashes the trigram around an index. Lower-case letters differ in five bits. */
function gramAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at - 1]! << 10) ^ (bytes[at]! << 5) ^ bytes[at + 1]!) & (nGrams - 1)
}
