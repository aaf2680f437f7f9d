import { createHash } from 'node:crypto'
import { OgError } from '../platform/error.ts'
import { cutToTokens, lengthWithinTokens } from '../platform/tokens.ts'

export type PagePart = {
  content: string
  /** Line numbers in the page, 1-based and inclusive. */
  startLine: number
  endLine: number
  totalLines: number
  /** The position after this part; null if the part reaches the end of the request. */
  cursor: string | null
}

export type PartRequest = {
  startLine: number
  endLine: number | null
  maxTokens: number
  cursor: string | null
}

export function cutPagePart(text: string, request: PartRequest): PagePart {
  const starts = lineStarts(text)
  const { startLine, cursor } = request
  const last = Math.min(request.endLine ?? starts.length, starts.length)
  if (startLine > starts.length || startLine > last) {
    const range = request.endLine === null ? `${startLine}` : `${startLine}-${request.endLine}`
    throw new OgError(`No lines ${range}: the page has ${starts.length}`)
  }
  const from = cursor === null ? starts[startLine - 1]! : offsetOf(cursor, text)
  const rest = text.slice(from, starts[last])
  // If a word is longer than the budget, it is cut, because the cursor has to advance.
  const content =
    cutToTokens(rest, request.maxTokens) ||
    rest.slice(0, lengthWithinTokens(rest, request.maxTokens))
  const to = from + content.length
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1
  return {
    content,
    startLine: lineAt(from),
    endLine: lineAt(Math.max(from, to - 1)),
    totalLines: starts.length,
    cursor: content.length < rest.length ? `${to}-${hashOf(text)}` : null,
  }
}

function offsetOf(cursor: string, text: string): number {
  const [, offset, hash] = /^(\d{1,9})-([0-9a-f]{8})$/.exec(cursor) ?? []
  if (hash === hashOf(text) && Number(offset) < text.length) return Number(offset)
  throw new OgError(
    'Invalid cursor: it belongs to another page or to an older version of this page',
    { hint: 'omit cursor to start again' },
  )
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/**
 * Returns the offsets of the line starts. Text after the last line break counts as a line unless it
 * is empty.
 */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop()
  return starts
}
