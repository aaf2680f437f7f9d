import { isNearCopy } from './near-copy.ts'
import { excerptOf } from './excerpt.ts'
import { holds, joined, type Excerpt } from './excerpt-range.ts'
import { excerptLines, excerptText, foundTexts } from './excerpt-text.ts'
import type { ScoredChunk } from '../hybrid.ts'
import { isOneSection, sectionAt, type Outline } from './outline.ts'
import type { SearchRequest } from '../../library/library.ts'
import { readOutlines } from './outlines.ts'
import type { Shelf } from '../scope/scope.ts'

/** A ranked chunk and what is shown of its page for it. */
export type ShownChunk = {
  chunk: ScoredChunk
  text: string
  /** What of it was found: all but headings and lead-ins that stand further above. */
  found: string[]
  startLine: number
  endLine: number
  /** Null where the page names none. */
  anchor: string | null
}

/**
 * The first `limit` ranked chunks as text that can be read alone. Chunks of one section, and
 * adjacent ones of a page, are one; so is what stands in several versions, of which the newest is
 * shown, and in a page and its translation, of which the better. `context` is how many chunks are
 * added on each side.
 */
export async function excerptsOf(
  shelf: Shelf,
  ranked: readonly ScoredChunk[],
  { limit, context = 0 }: Pick<SearchRequest, 'limit' | 'context'>,
): Promise<ShownChunk[]> {
  const chunks = newestOfCopies(shelf, ranked)
  const shown: Placed[] = []
  const batchSize = 2 * limit
  for (let from = 0; shown.length < limit && from < chunks.length; from += batchSize) {
    const batch = chunks.slice(from, from + batchSize)
    const outlineOf = await outlinesOf(shelf, batch)
    for (const chunk of batch) {
      if (shown.length === limit) break
      const outline = outlineOf(chunk)
      const excerpt = excerptOf(outline, await rangeOf(shelf, chunk, context))
      place(shown, { chunk, outline, excerpt }, shelf)
    }
  }
  return shown.map((placed) => shownChunk(shelf, placed))
}

type Placed = { chunk: ScoredChunk; outline: Outline; excerpt: Excerpt }

/** As an entry of its own, or within one that is there. */
function place(shown: Placed[], next: Placed, shelf: Shelf): void {
  const samePage = shown.filter(({ chunk }) => pageKey(chunk) === pageKey(next.chunk))
  for (const placed of samePage) {
    const isHeld = next.excerpt.ranges.every((range) => holds(placed.excerpt, range))
    const both = isHeld ? placed.excerpt : joined(next.outline, placed.excerpt, next.excerpt)
    if (both !== null) {
      const { row } = next.chunk
      placed.excerpt = both
      placed.chunk.why.merged.push(`${row.start_line}-${row.end_line}`)
      return
    }
    const ranges = [...placed.excerpt.ranges, ...next.excerpt.ranges]
    if (isOneSection(next.outline, ranges)) return
  }
  const family = familyOf(shelf, next)
  const isTranslated = shown.some((placed) =>
    !samePage.includes(placed) && familyOf(shelf, placed) === family)
  if (isTranslated) return
  shown.push(next)
}

/** The same for one section of a page and its translations. */
function familyOf({ facts }: Shelf, { chunk, outline }: Placed): string {
  const { generationIndex, row } = chunk
  const { original } = facts[generationIndex]!.get(row.url)!
  const section = sectionAt(outline, row.start_offset)
  return `${generationIndex}/${original}/${section}/${outline.sections.length}`
}

/**
 * Near-copies of a passage in other versions of its library, at the same path, as one: where the
 * best of them stood, the newest. Entries of one library come newest first.
 */
function newestOfCopies({ found }: Shelf, ranked: readonly ScoredChunk[]): ScoredChunk[] {
  const copies = new Map<string, ScoredChunk[]>()
  const kept: ScoredChunk[] = []
  for (const chunk of ranked) {
    const { key } = found[chunk.generationIndex]!.entry
    const place = `${key}/${chunk.row.heading}`
    const others = copies.get(place) ?? []
    copies.set(place, others)
    const same = others.find((other) => isCopy(other, chunk))
    if (same === undefined) {
      others.push(chunk)
      kept.push(chunk)
    } else if (chunk.generationIndex < same.generationIndex) {
      const newer = { ...chunk, score: same.score }
      others[others.indexOf(same)] = newer
      kept[kept.indexOf(same)] = newer
    }
  }
  return kept
}

function isCopy(a: ScoredChunk, b: ScoredChunk): boolean {
  return a.generationIndex !== b.generationIndex && isNearCopy(a.row.content, b.row.content)
}

/** Reads the pages of all these chunks at once; an outline is made when it is asked for. */
async function outlinesOf(
  { found }: Shelf,
  batch: readonly ScoredChunk[],
): Promise<(chunk: ScoredChunk) => Outline> {
  const byGeneration = Map.groupBy(batch, (chunk) => chunk.generationIndex)
  const outlines = new Map(await Promise.all(
    [...byGeneration].map(async ([generationIndex, chunks]) => {
      const urls = [...new Set(chunks.map(({ row }) => row.url))]
      return [generationIndex, await readOutlines(found[generationIndex]!.open, urls)] as const
    }),
  ))
  return ({ generationIndex, row }) => outlines.get(generationIndex)!(row.url)
}

async function rangeOf({ found }: Shelf, { row, generationIndex }: ScoredChunk, context: number) {
  const own = { start: row.start_offset, end: row.end_offset }
  if (context === 0) return own
  const ranges = await found[generationIndex]!.open.chunkRanges(row.url)
  const at = ranges.findIndex(({ chunk_index }) => chunk_index === row.chunk_index)
  const first = ranges[Math.max(0, at - context)]!
  const last = ranges[Math.min(ranges.length - 1, at + context)]!
  return { start: first.start_offset, end: last.end_offset }
}

function shownChunk({ found }: Shelf, { chunk, outline, excerpt }: Placed): ShownChunk {
  const [startLine, endLine] = excerptLines(outline, excerpt)
  const { row, generationIndex } = chunk
  const { kind } = found[generationIndex]!.entry.live.source
  return {
    chunk,
    text: excerptText(outline, excerpt),
    found: foundTexts(outline, excerpt),
    startLine,
    endLine,
    anchor: anchorOf(outline, row, { isSite: sites.has(kind) }),
  }
}

/** Sites make ids in their own ways: one that the page does not hold would be a guess. */
const sites = new Set(['sitemap', 'web_page', 'llms_txt'])

/** Of the heading that a chunk stands under; it may begin with one that is further out. */
function anchorOf(
  outline: Outline,
  { start_offset: start, end_offset: end, heading }: ScoredChunk['row'],
  { isSite }: { isSite: boolean },
): string | null {
  const [first, last] = [sectionAt(outline, start), sectionAt(outline, Math.max(start, end - 1))]
  const covered = outline.sections.slice(first, last + 1)
  const section = covered.find(({ path }) => path.join(' > ') === heading) ?? covered[0]!
  return section.anchor === '' || (isSite && !section.hasOwnAnchor) ? null : section.anchor
}

function pageKey({ generationIndex, row }: ScoredChunk): string {
  return `${generationIndex}/${row.url}`
}
