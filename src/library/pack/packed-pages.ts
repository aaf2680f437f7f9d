import { hasControls } from '../../platform/error.ts'
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
  'url',
  'path',
  'title',
  'description',
  'last_modified',
  'markup',
  'validator',
  'text',
] as const

const markups = ['markdown', 'rst', 'text']

/** Characters of anything but the text of a page, and of that. */
const limits = { short: 100_000, text: 64 * 2 ** 20 }

/** A line of JSON a page: its texts as a list, then its chunks. */
export function packPages(pages: readonly PackedPage[]): Buffer {
  return Buffer.from(
    pages
      .map(({ page, chunks }) => {
        const places = chunks.map((it) => [it.heading, it.start_offset, it.end_offset, it.terms])
        return `${JSON.stringify([...texts.map((name) => page[name]), places])}\n`
      })
      .join(''),
  )
}

/**
 * Reads pages line by line, so that only one is unpacked at a time.
 * @throws Error with the reason alone, if a line is no page or a chunk is not in its page
 */
export function* unpackPages(bytes: Uint8Array): Generator<PackedPage> {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    if (end < 0) throw new Error('its last line is not ended')
    yield unpackPage(text.slice(at, end))
    at = end + 1
  }
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
  if (chunks.length > 1 + page.text.length / leastCharacters) {
    throw new Error(`a page of ${page.text.length} characters has ${chunks.length} chunks`)
  }
  const packed = { page, chunks: chunks.map((it) => unpackChunk(it, page.text.length)) }
  const why = packedPageFault(packed)
  if (why !== null) throw new Error(why)
  return packed
}

/** Why a pack must not hold this page; null: it may. */
export function packedPageFault({ page, chunks }: PackedPage): string | null {
  const odd = lineTexts.find((name) => hasControls(page[name]))
  if (odd !== undefined) return `the ${odd} of a page contains control characters`
  const shared = page.title.length + page.url.length + page.path.length
  let [covered, repeated] = [0, 0]
  for (const { heading, start_offset: start, end_offset: end } of chunks) {
    covered += end - start
    repeated += shared + heading.length
  }
  const { length } = page.text
  if (covered > length * mostCovered) {
    return `the chunks of a page come to ${covered} characters, limit is ${length * mostCovered}`
  }
  const mostRepeated = Math.max(leastRepeated, length * repeatedRatio)
  if (repeated <= mostRepeated) return null
  return (
    `the titles and headings of the chunks of a page come to ${repeated} characters, ` +
    `limit is ${mostRepeated}`
  )
}

/** Those that are addresses and names: each is shown on one line. */
const lineTexts = ['url', 'path', 'last_modified', 'validator'] as const

/** A page has no more chunks than this many characters each; the shortest section is "# a". */
const leastCharacters = 3
/** Times the length of a page. Chunks tile it; the overlap of each is at most half of a chunk. */
const mostCovered = 3
/** Title, address and headings are stored with each chunk: times the length of a page. */
const repeatedRatio = 32
const leastRepeated = 2 ** 20

function unpackChunk(cells: unknown, pageLength: number): PackedChunk {
  const [heading, start, end, terms] = Array.isArray(cells) ? cells : []
  const isTexts = typeof heading === 'string' && typeof terms === 'string'
  const isPlace =
    Number.isSafeInteger(start) &&
    Number.isSafeInteger(end) &&
    start >= 0 &&
    start < end &&
    end <= pageLength
  if (!isTexts || heading.length > limits.short || !isPlace) {
    throw new Error('a chunk is not in its page')
  }
  return { heading, start_offset: start, end_offset: end, terms }
}
