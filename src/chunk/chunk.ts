import type { CountTokens } from '../embed/embedder.ts'
import { isApiPagePath } from '../api/api-path.ts'
import type { Page } from '../page/page.ts'
import { cutSection } from './cut.ts'
import type { SectionPiece } from './cut.ts'
import type { Lines } from './line.ts'
import { lineAt, indexLines } from './line.ts'
import { sectionTree } from './section.ts'
import { headings } from '../document/headings.ts'

export { embeddedText } from './embedded-text.ts'

/** A contiguous passage of a page: `page.text.slice(start, end) === text`. */
export type Chunk = {
  chunkIndex: number
  /** UTF-16 offsets into the page text, `end` exclusive. The chunks cover the page. */
  start: number
  end: number
  /** Lines counted from 1. `endLine` is inclusive. */
  startLine: number
  endLine: number
  /** Headings without markup, from the outermost one to the one directly above this chunk. */
  headings: string[]
  text: string
}

export type ChunkOptions = {
  chunkChars?: number
  /**
   * Number of characters shared with the previous chunk under the same heading, 0 by default. If a
   * body is cut, the overlap takes at most half of `chunkChars`.
   */
  overlapChars?: number
  /** Maximum number of tokens per embedded text, with special tokens; 512 by default. */
  maxTokens?: number
  countTokens: CountTokens
}

/**
 * Cuts a page at its headings, then at blocks, lines, sentences, words and code points, as deeply
 * as needed. The chunks cover the page. No chunk is blank, and a blank page has none. No embedded
 * text is longer than `maxTokens`. A chunk may exceed `chunkChars` by up to a quarter to keep a
 * fence or table whole, to keep a heading or lead-in with the text that it introduces, or to avoid
 * a separate chunk for the first lines of a section. A chunk of the API reference contains only one
 * section, which documents one symbol. Throws OgError if a single character exceeds `maxTokens`.
 */
export function chunkPage(
  page: Pick<Page, 'text' | 'markup' | 'title' | 'path'>,
  options: ChunkOptions,
): Chunk[] {
  if (page.text.trim() === '') return []
  const { chunkChars = 1800, overlapChars = 0, maxTokens = 512, countTokens } = options
  const { text, title, path, markup } = page
  const wholeChars = chunkChars * 1.25
  const budget = { text, title, path, chunkChars, wholeChars, maxTokens, countTokens }
  const lines = indexLines(text)
  const root = sectionTree(lines, headings(text, markup))
  const isDivided = isApiPagePath(path)
  const pieces = cutSection({ budget, lines, overlapChars, isDivided }, root)
  return pieces.map((piece, chunkIndex) => chunkOf(lines, piece, chunkIndex))
}

function chunkOf(lines: Lines, { start, end, path }: SectionPiece, chunkIndex: number): Chunk {
  let last = end - 1
  while (last > start && lines.text[last] === '\n') last--
  return {
    chunkIndex,
    start,
    end,
    startLine: lineAt(lines, start) + 1,
    endLine: lineAt(lines, last) + 1,
    headings: path,
    text: lines.text.slice(start, end),
  }
}
