import { isApiPagePath } from '../api/api-path.ts'
import type { Page } from '../page/page.ts'
import { apiText } from './api-text.ts'
import type { Range } from './range.ts'
import type { RepeatedRanges } from './repeats.ts'

/** Maximum length of the prefix in UTF-8 bytes, which limits the tokens of long headings. */
const prefixBytes = 200
const titleBytes = 96
const separator = ' > '

const target = String.raw`(?=https?:|mailto:|[\w\-]*[./#])[^()\s]*(?: +"[^"\n]*")?`
const letter = String.raw`[\p{L}\p{N}_]`
/** Matches `[text](target "title")` and `![alt](target)` if the target is a URL or a path. */
const link = new RegExp(String.raw`(?<!${letter})!?\[([^[\]\n]*)\]\(${target}\)(?!${letter})`, 'gu')
/** Matches the URL in reStructuredText's `text <https://…>`_ and Markdown's <https://…>. */
const address = /<https?:[^<>\s]*>/g
/** Matches the first or last line of a fence. */
const fence = /^[ \t]*(?:`{3,}[^`\n]*|~{3,}.*)$/gm
/** Matches the marks of headings, code and strong text. */
const mark = /^#+ |`|\*\*/gm

/**
 * Returns the text to embed for a chunk. Page title and heading path are on one line. The trimmed
 * chunk follows without link targets and without most Markdown marks, which are a tenth of all
 * tokens. URLs have many tokens and little meaning: in release notes, they are a quarter of a page.
 * The text never has more tokens than the prefix and the chunk together.
 */
export function embeddedText(
  page: Pick<Page, 'title'>,
  chunk: { headings: readonly string[]; text: string },
): string {
  return headingPrefix(page.title, chunk.headings) + withoutMarks(withoutTargets(chunk.text)).trim()
}

/** A chunk as stored. `heading` is the heading path, joined with ` > `. */
type StoredChunk = {
  url: string
  title: string
  heading: string
  content: string
  chunk_index: number
  start_offset: number
}

/** Number of chunks at the beginning of a page that have their own embeddings. */
const ownEmbeddings = 1000

/**
 * True if a chunk has the embedding of an earlier chunk on its page. An archive of 5 kB can expand
 * to a page of 2,000 different chunks, which take more than a minute of processor time. After a
 * page's first `ownEmbeddings` chunks, only every 8th has its own embedding, and after 8 times as
 * many only every 64th. The number therefore grows logarithmically.
 */
export function sharesEmbedding(chunkIndex: number): boolean {
  let stride = 1
  while (chunkIndex >= ownEmbeddings * stride) stride *= 8
  return chunkIndex % stride !== 0
}

/**
 * Returns a function that returns the embedded text of each chunk. Call it in page order. The text
 * is the chunk's `embeddedText` without `repeats`. If nothing is left, or if the chunk shares its
 * embedding, it is the text of the previous chunk.
 */
export function embeddedTextFormatter(repeats: RepeatedRanges): (chunk: StoredChunk) => string {
  let above = { url: '', text: '' }
  return ({ url, title, heading, content, chunk_index, start_offset }) => {
    if (above.url === url && sharesEmbedding(chunk_index)) return above.text
    if (isApiPagePath(url)) {
      above = { url, text: apiText({ title, heading: heading === '' ? title : heading, content }) }
      return above.text
    }
    const headings = heading === '' ? [] : heading.split(separator)
    const remaining = without(content, start_offset, repeats.get(url) ?? [])
    if (remaining.trim() === '' && above.url === url) return above.text
    above = { url, text: embeddedText({ title }, { headings, text: remaining }) }
    return above.text
  }
}

/** Removes a page's ranges, in order, from `content`, which starts at `offset` in the page. */
function without(content: string, offset: number, ranges: readonly Range[]): string {
  const end = offset + content.length
  let remaining = ''
  let at = offset
  for (const range of ranges) {
    if (range.end <= at || range.start >= end) continue
    remaining += content.slice(at - offset, Math.max(at, range.start) - offset)
    at = Math.min(range.end, end)
  }
  return remaining + content.slice(at - offset)
}

function withoutTargets(text: string): string {
  return text.replace(link, '$1').replace(address, ' ')
}

/** Replaces a mark with a space so that no two words join and become more tokens. */
function withoutMarks(text: string): string {
  return text.replace(fence, '').replace(mark, ' ')
}

/**
 * Returns the line before an embedded chunk, including the newline, or an empty string if there is
 * neither title nor heading. If it is too long, drops outer headings first because the title and
 * the nearest heading are the most informative.
 */
export function headingPrefix(title: string, headings: readonly string[]): string {
  const path = oneLine(headings[0] ?? '') === oneLine(title) ? headings.slice(1) : headings
  const parts = [title, ...path]
    .map((part) => clipTitle(oneLine(part)))
    .filter((part) => part !== '')
  while (parts.length > 2 && bytes(parts.join(separator)) > prefixBytes) parts.splice(1, 1)
  return parts.length === 0 ? '' : parts.join(separator) + '\n'
}

/** Returns the start of a title on one line. A longer title would be clipped anyway. */
function oneLine(title: string): string {
  return title.trimStart().slice(0, 1000).replace(/\s+/g, ' ').trim()
}

function clipTitle(title: string): string {
  if (bytes(title) <= titleBytes) return title
  let clip = ''
  let bytesLeft = titleBytes - bytes('…')
  for (const point of title) {
    bytesLeft -= bytes(point)
    if (bytesLeft < 0) break
    clip += point
  }
  return clip.trimEnd() + '…'
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
