import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { PageRow } from '../../store/pages/page-table.ts'

/** A page with where its chunks are: their texts stand in the page alone. */
export type PackedPage = { page: PackedText; chunks: PackedChunk[] }

/** A page but for its hash, which is computed again. */
export type PackedText = Omit<PageRow, 'hash'>

/** `terms` are what full-text search sees of it. */
export type PackedChunk = Pick<ChunkRow, 'heading' | 'start_offset' | 'end_offset' | 'terms'>

/** In the order in which a line has them. */
const texts = [
  'url', 'path', 'title', 'description', 'last_modified', 'markup', 'validator', 'text',
] as const

const markups = ['markdown', 'rst', 'text']

/** Characters of anything but the text of a page, and of that. */
const limits = { short: 100_000, text: 64 * 2 ** 20 }

/** A line of JSON a page: its texts as a list, then its chunks. */
export function packPages(pages: readonly PackedPage[]): Buffer {
  return Buffer.from(pages.map(({ page, chunks }) => {
    const places = chunks.map((it) => [it.heading, it.start_offset, it.end_offset, it.terms])
    return `${JSON.stringify([...texts.map((name) => page[name]), places])}\n`
  }).join(''))
}

/** @throws Error with the reason alone, where a line is no page or a chunk is not in its page */
export function unpackPages(bytes: Uint8Array): PackedPage[] {
  const lines = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).split('\n')
  if (lines.pop() !== '') throw new Error('its last line is not ended')
  return lines.map(unpackPage)
}

function unpackPage(line: string): PackedPage {
  const cells: unknown = JSON.parse(line)
  if (!Array.isArray(cells) || cells.length !== texts.length + 1) throw new Error('it is no page')
  const chunks: unknown = cells.at(-1)
  texts.forEach((name, i) => {
    const limit = name === 'text' ? limits.text : limits.short
    if (typeof cells[i] !== 'string' || cells[i].length > limit) {
      throw new Error(`the ${name} of a page is no text of at most ${limit} characters`)
    }
  })
  const page = Object.fromEntries(texts.map((name, i) => [name, cells[i]])) as PackedText
  if (page.url === '' || !markups.includes(page.markup)) throw new Error('a page is of no kind')
  if (!Array.isArray(chunks)) throw new Error('a page has no list of chunks')
  return { page, chunks: chunks.map((it) => unpackChunk(it, page.text.length)) }
}

function unpackChunk(cells: unknown, pageLength: number): PackedChunk {
  const [heading, start, end, terms] = Array.isArray(cells) ? cells : []
  const isTexts = typeof heading === 'string' && typeof terms === 'string'
  const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end)
    && start >= 0 && start < end && end <= pageLength
  if (!isTexts || heading.length > limits.short || !isPlace) {
    throw new Error('a chunk is not in its page')
  }
  return { heading, start_offset: start, end_offset: end, terms }
}
