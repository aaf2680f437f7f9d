import { createHash } from 'node:crypto'
import { z } from 'zod'
import { OgError } from '../platform/error.ts'
import { bytesPerToken, cutToTokens, unitsWithin } from '../platform/tokens.ts'

/** A stretch of a page's text. */
export type PagePart = {
  content: string
  /** Lines of the page, 1-based; both ends belong to the part. */
  startLine: number
  endLine: number
  totalLines: number
  /** Where the rest of what was asked begins; null where nothing is left. */
  cursor: string | null
}

export type PartWish = {
  startLine: number
  endLine: number | null
  maxTokens: number
  cursor: string | null
}

/** The argument of tools whose answers can be long; see `bytesPerToken`. */
export function maxTokensArgument(doc: string) {
  const told = `${doc}; a token is counted as ${bytesPerToken} bytes of UTF-8`
  return z.int().min(200).max(200_000).optional().describe(told)
}

/**
 * The lines asked for, as far as `maxTokens` reaches, from `cursor` on where there is one.
 * @throws OgError for lines that the page has not, and for a cursor of another text.
 */
export function partOf(text: string, wish: PartWish): PagePart {
  const starts = lineStarts(text)
  const { startLine, cursor } = wish
  const last = Math.min(wish.endLine ?? starts.length, starts.length)
  if (startLine > starts.length || startLine > last) {
    const range = wish.endLine === null ? `${startLine}` : `${startLine}-${wish.endLine}`
    throw new OgError(`No lines ${range}: the page has ${starts.length}`)
  }
  const from = cursor === null ? starts[startLine - 1]! : offsetOf(cursor, text)
  const rest = text.slice(from, starts[last])
  // A word that is longer than all there is room for is cut: the cursor has to move.
  const content = cutToTokens(rest, wish.maxTokens)
    || rest.slice(0, unitsWithin(rest, wish.maxTokens))
  const to = from + content.length
  return {
    content,
    startLine: lineAt(starts, from),
    endLine: lineAt(starts, Math.max(from, to - 1)),
    totalLines: starts.length,
    cursor: content.length < rest.length ? `${to}-${hashOf(text)}` : null,
  }
}

function offsetOf(cursor: string, text: string): number {
  const [, offset, hash] = /^(\d{1,9})-([0-9a-f]{8})$/.exec(cursor) ?? []
  if (hash === hashOf(text) && Number(offset) < text.length) return Number(offset)
  throw new OgError('Cannot go on at this cursor: it is of another page or another state of it', {
    hint: 'leave cursor out to begin anew',
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** Offsets at which lines begin; what follows the last line end is a line where it is not empty. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop()
  return starts
}

/** The line, 1-based, that holds an offset. */
function lineAt(starts: number[], offset: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle
  }
  return low + 1
}
