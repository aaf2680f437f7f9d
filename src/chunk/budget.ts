import type { CountTokens } from '../embed/embedder.ts'
import { headingPrefix } from './embedded-text.ts'
import type { Range } from './range.ts'
import { trimRange } from './range.ts'

export type ChunkBudget = {
  text: string
  /** The page's title, which is embedded. Error messages use its path. */
  title: string
  path: string
  chunkChars: number
  /** Size in characters up to which a fence or table stays whole, and a heading with its text. */
  wholeChars: number
  /** Maximum number of tokens in the embedded text, including special tokens. */
  maxTokens: number
  countTokens: CountTokens
}

export type HeadingContext = { path: string[]; prefix: string }

const specialTokens = 2

export function headingContextOf(budget: ChunkBudget, path: string[]): HeadingContext {
  return { path, prefix: headingPrefix(budget.title, path) }
}

/**
 * True if a range may be one chunk at this place: it has at most `chars` characters, and an exact
 * count of its tokens is within the limit.
 */
export function fitsChunk(
  budget: ChunkBudget,
  place: HeadingContext,
  range: Range & { chars: number },
): boolean {
  const { start, end } = trimRange(budget.text, range)
  return end - start <= range.chars && fitsTokenLimit(budget, place, { start, end })
}

/** True if a range's embedded text has at most `maxTokens` tokens. */
export function fitsTokenLimit(budget: ChunkBudget, place: HeadingContext, range: Range): boolean {
  const { start, end } = trimRange(budget.text, range)
  const room = budget.maxTokens - specialTokens
  // No count is needed: a token has at least one byte, and a UTF-16 unit at most three.
  if ((place.prefix.length + end - start) * 3 <= room) return true
  const text = place.prefix + budget.text.slice(start, end)
  return Buffer.byteLength(text) <= room || budget.countTokens(text) <= room
}

export function tokensForBody(budget: ChunkBudget, place: HeadingContext): number {
  const prefixTokens = place.prefix === '' ? 0 : budget.countTokens(place.prefix)
  return budget.maxTokens - specialTokens - prefixTokens
}
