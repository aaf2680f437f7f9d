import { basename } from 'node:path'
import { sha256 } from '../../platform/hash.ts'
import { parseEntries, type MemoryEntry } from '../entry.ts'

/** An entry, or a part of a long entry. */
export type EntryChunk = Omit<MemoryEntry, 'id' | 'body' | 'start' | 'end'> & {
  entryId: string
  part: number
  /**
   * The hash of the entry's body. Null for relations and for the second and later parts of an
   * entry.
   */
  bodyHash: string | null
}

/**
 * Size and overlap of chunks, in tokens of four characters. Only chunks of the same entry overlap.
 */
export type EntryChunking = { tokens: number; overlap: number }

/**
 * Upstream's 400 tokens. Upstream's overlap would return the same fact several times, so it is 0.
 */
export const defaultChunking: EntryChunking = { tokens: 400, overlap: 0 }

/**
 * Splits the text of a memory file into chunks. Each entry is one chunk, but a long entry is split
 * at lines, and a long line is split too. In RELATIONS.md, each line is a chunk and comments are
 * skipped. `firstLine` is the number of the first line if the text is a part of the file.
 */
export function entryChunks(
  file: { path: string; text: string; firstLine?: number },
  chunking: EntryChunking = defaultChunking,
): EntryChunk[] {
  const day = /^daily\/(\d{4}-\d\d-\d\d)\.md$/.exec(file.path)?.[1]
  const entries = parseEntries(file.text, { day })
  const offset = (file.firstLine ?? 1) - 1
  const isRelations = basename(file.path).toLowerCase() === 'relations.md'
  return entries.flatMap((entry) => {
    const pieces = isRelations ? relationLines(entry) : cutLines(entry, budgetOf(chunking))
    const { id, heading, tags, body, start: _, end: __, ...rest } = entry
    // Relations are independent of each other, so adding a line does not change the ids of the
    // others.
    return pieces.map(({ line, nLines, text }, nth) => ({
      ...rest,
      entryId: isRelations ? sha256(text).slice(0, 12) : id,
      part: isRelations ? 0 : nth,
      heading: heading.slice(0, maxHeading),
      tags: tags.slice(0, maxTags),
      bodyHash: nth === 0 && !isRelations ? bodyHash(body) : null,
      text,
      startLine: offset + entry.startLine + line,
      endLine: offset + entry.startLine + line + nLines - 1,
    }))
  })
}

/** Limits on a heading and on the number of tags, because each part of an entry repeats them. */
const maxHeading = 1000
const maxTags = 1000

/** Hashes an entry's body, ignoring the form of line endings. */
export function bodyHash(body: string): string {
  return sha256(body.replace(/\r\n?/g, '\n').trim()).slice(0, 32)
}

/** `line` is the 0-based offset of the first line in the entry. */
type Piece = { line: number; nLines: number; text: string }
type Budget = { chars: number; overlap: number }

/**
 * Converts tokens to characters. Limits the overlap to half a chunk, because splitting might
 * otherwise never end.
 */
function budgetOf({ tokens, overlap }: EntryChunking): Budget {
  const chars = Math.max(8, tokens) * 4
  return { chars, overlap: Math.min(Math.max(0, overlap) * 4, Math.floor(chars / 2)) }
}

function relationLines({ text }: MemoryEntry): Piece[] {
  const lines = text.split('\n').map((line, i) => ({ line: i, nLines: 1, text: line.trim() }))
  return lines.filter(({ text }) => text !== '' && !/^(#|<!--)/.test(text))
}

function cutLines({ text }: MemoryEntry, budget: Budget): Piece[] {
  if (text.length <= budget.chars) return [{ line: 0, nLines: text.split('\n').length, text }]
  const lines = text.split('\n').flatMap((line, i) => cutLine(line, i, budget))
  const pieces: Piece[] = []
  for (let first = 0; first < lines.length; ) {
    const end = lastFitting(lines, first, budget)
    const piece = joinPieces(lines.slice(first, end))
    if (piece !== null) pieces.push(piece)
    first = end === lines.length ? end : Math.max(first + 1, overlapStart(lines, end, budget))
  }
  return pieces
}

/** Returns the end of the piece that starts at `first`. Prefers the line before a blank line. */
function lastFitting(lines: Piece[], first: number, { chars }: Budget): number {
  let size = 0
  let end = first
  while (end < lines.length && (end === first || size + lines[end]!.text.length < chars)) {
    size += lines[end++]!.text.length + 1
  }
  if (end === lines.length) return end
  for (let at = end; at > first + (end - first) / 2; at--) {
    if (lines[at]!.text.trim() === '') return at
  }
  return end
}

function overlapStart(lines: Piece[], end: number, { overlap }: Budget): number {
  let size = 0
  let start = end
  while (start > 0 && size + lines[start - 1]!.text.length < overlap) {
    size += lines[--start]!.text.length + 1
  }
  return start
}

/** Splits a long line, preferably at spaces. All pieces have the same line number. */
function cutLine(text: string, line: number, { chars }: Budget): Piece[] {
  const pieces: Piece[] = []
  for (let rest = text; ; ) {
    if (rest.length <= chars) return [...pieces, { line, nLines: 1, text: rest }]
    const space = rest.lastIndexOf(' ', chars)
    const end = space > chars / 2 ? space : wholeCharacters(rest, chars)
    pieces.push({ line, nLines: 1, text: rest.slice(0, end) })
    rest = rest.slice(end).trimStart()
  }
}

/** Moves a cut out of a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text[end - 1]!) ? end - 1 : end
}

function joinPieces(lines: Piece[]): Piece | null {
  const first = lines.findIndex(({ text }) => text.trim() !== '')
  const last = lines.findLastIndex(({ text }) => text.trim() !== '')
  if (first === -1) return null
  const content = lines.slice(first, last + 1)
  const { line } = content[0]!
  const text = content.map(({ text }) => text).join('\n')
  return { line, nLines: content.at(-1)!.line - line + 1, text }
}
