import { hasControls } from '../../platform/error.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { PageRow } from '../../store/pages/page-table.ts'

/** A page and its chunks' positions. Chunk texts are stored only as parts of the page. */
export type PackedPage = { page: PackedText; chunks: PackedChunk[] }

type PackedText = Omit<PageRow, 'hash'>

/** `terms` are the chunk's index terms for the full-text index. */
type PackedChunk = Pick<ChunkRow, 'heading' | 'start_offset' | 'end_offset' | 'terms'>

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

const markups = ['markdown', 'text']

const limits = { short: 100_000, text: 64 * 2 ** 20 }

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
 * Decodes pages line by line, so that only one page is in memory at a time.
 * @throws Error with only the reason, if a line is not a page or a chunk is outside its page
 */
export function* unpackPages(bytes: Uint8Array): Generator<PackedPage> {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    if (end < 0) throw new Error('its last line has no line break')
    yield unpackPage(text.slice(at, end))
    at = end + 1
  }
}

function unpackPage(line: string): PackedPage {
  const cells: unknown = JSON.parse(line)
  if (!Array.isArray(cells) || cells.length !== texts.length + 1)
    throw new Error('it is not a page')
  const chunks: unknown = cells.at(-1)
  texts.forEach((name, i) => {
    const limit = name === 'text' ? limits.text : limits.short
    if (typeof cells[i] !== 'string' || cells[i].length > limit) {
      throw new Error(`the ${name} of a page is not a string of at most ${limit} characters`)
    }
  })
  const page = Object.fromEntries(texts.map((name, i) => [name, cells[i]])) as PackedText
  if (page.url === '' || !markups.includes(page.markup))
    throw new Error('a page has no known markup')
  if (!Array.isArray(chunks)) throw new Error('a page has no list of chunks')
  if (chunks.length > 1 + page.text.length / leastCharacters) {
    throw new Error(`a page of ${page.text.length} characters has ${chunks.length} chunks`)
  }
  const packed = { page, chunks: chunks.map((it) => unpackChunk(it, page.text.length)) }
  const why = packedPageFault(packed)
  if (why !== null) throw new Error(why)
  return packed
}

/** Returns why a pack must not contain this page, or null if it may. */
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

const lineTexts = ['url', 'path', 'last_modified', 'validator'] as const

/** A page has at most one chunk per this many characters. The shortest section is "# a". */
const leastCharacters = 3
/**
 * Maximum total length of a page's chunks, relative to the page's length. Chunks cover the page
 * without gaps, and at most half of a chunk overlaps the next.
 */
const mostCovered = 3
/** Limits the total length of titles, URLs and headings, which each chunk repeats. */
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
