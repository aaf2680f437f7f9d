import type { CountTokens } from '../embed/embedder.ts'
import { prefixOf } from './embedded-text.ts'
import type { Range } from './range.ts'
import { trimmed } from './range.ts'

/** The size limits of a chunk, and how it is measured: without whitespace at its ends. */
export type Budget = {
  text: string
  /** Title and path of the page: the title is embedded, the path is named in errors. */
  title: string
  path: string
  /** Characters that a chunk is packed to. */
  chunkChars: number
  /** Characters up to which a fence or table stays whole, and a heading stays with its text. */
  wholeChars: number
  /** Tokens of the embedded text, special tokens included. */
  maxTokens: number
  countTokens: CountTokens
}

/** Where a chunk stands: its heading path and the prefix it is embedded with. */
export type ChunkPlace = { path: string[]; prefix: string }

/** Tokens a model adds around every text: [CLS] and [SEP]. */
const specialTokens = 2

export function placeOf(budget: Budget, path: string[]): ChunkPlace {
  return { path, prefix: prefixOf(budget.title, path) }
}

/** Whether a range may be one chunk at this place: at most `chars` long, tokens counted exactly. */
export function fits(budget: Budget, place: ChunkPlace, range: Range & { chars: number }): boolean {
  const { start, end } = trimmed(budget.text, range)
  return end - start <= range.chars && fitsTokens(budget, place, { start, end })
}

/** Whether the embedded text of a range has at most `maxTokens` tokens. */
export function fitsTokens(budget: Budget, place: ChunkPlace, range: Range): boolean {
  const { start, end } = trimmed(budget.text, range)
  const room = budget.maxTokens - specialTokens
  // A token stands for at least one byte, and a UTF-16 unit is at most three: no count needed.
  if ((place.prefix.length + end - start) * 3 <= room) return true
  const text = place.prefix + budget.text.slice(start, end)
  return Buffer.byteLength(text) <= room || budget.countTokens(text) <= room
}

/** Tokens left for the body of a chunk at this place. */
export function bodyTokens(budget: Budget, place: ChunkPlace): number {
  const prefixTokens = place.prefix === '' ? 0 : budget.countTokens(place.prefix)
  return budget.maxTokens - specialTokens - prefixTokens
}
