import { queryTerms, indexTermsOf } from '../../chunk/terms.ts'
import { exactName, nameFinder, type ExactName } from '../name/exact-name.ts'
import { isHeadingOf } from '../name/names-first.ts'
import { isApiPagePath } from '../../api/api-path.ts'
import { addExample, asksForExample, asksHow } from './example.ts'
import { askedLanguages, isInLanguage } from './example-code.ts'
import { widenToExcerpt } from './excerpt.ts'
import { fitHits } from './fit-hits.ts'
import { mostRelevantRange, type QueryFocus } from './focus.ts'
import { overlap, trimRange, without, type Range } from '../../chunk/range.ts'
import { matchingTableRows } from './table-rows.ts'
import { showsRange, mergeExcerpts, withoutOverlaps, type Excerpt } from './excerpt-range.ts'
import { htmlToText } from './plain-html.ts'
import { excerptLines, excerptTexts, joinExcerpts, shownText, withTwins } from './excerpt-text.ts'
import { nameForms, type Candidate, type WithRow, type WithText } from '../candidate.ts'
import { isListOfNames } from '../list-of-titles.ts'
import { sectionAt, sectionsOf, outlinePage, type Outline, type SectionText } from './outline.ts'
import { findVariantGroups, hasStatements, type Variant } from '../../chunk/variants.ts'
import { bodyBlocks } from './body-block.ts'
import type { Markup } from '../../document/headings.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

type Shaping = {
  /** The query, or its English translation. */
  text: string
  /** Index terms of names that the query spells as separate words. */
  names: readonly string[]
  limit: number
  context: number
  /**
   * Maximum number of characters per hit, by rank. The last size applies to all later hits. If
   * undefined, hits are whole sections.
   */
  sizes?: readonly number[] | undefined
}

/**
 * Returns the first `limit` ranked chunks as texts that can be read on their own. Chunks of one
 * section and adjacent chunks of a page become one entry. A page and its translations share one
 * entry, which shows the better one. `context` is the number of chunks added on each side.
 */
export async function buildExcerpts(
  chunks: readonly (Candidate & WithRow)[],
  { text, names, limit, context, sizes }: Shaping,
): Promise<(Candidate & WithRow & WithText)[]> {
  const focus = focusFor(text, names)
  const name = exactName(text)
  const wantsCode = asksHow(text)
  const wantsExample = asksForExample(text)
  const shown: ExcerptEntry[] = []
  const batchSize = 2 * limit
  for (let from = 0; shown.length < limit && from < chunks.length; from += batchSize) {
    const batch = chunks.slice(from, from + batchSize)
    const outlineOf = await outlinesOf(batch)
    for (const ranked of batch) {
      const isFull = shown.length === limit
      if (isFull && (sizes === undefined || pageKey(ranked) !== pageKey(shown[0]!.chunk))) continue
      const outline = outlineOf(ranked)
      const chunk = context > 0 ? ranked : namedSectionOf(outline, ranked, name)
      const range = await rangeOf(chunk, context)
      const plain =
        context > 0 ? widenToExcerpt(outline, range) : focusedExcerpt(outline, range, focus)
      const isAnswer = wantsCode && context === 0 && shown.length < hitsWithCode
      const wanted = { focus, wantsExample, isShortened: sizes !== undefined }
      const excerpt = isAnswer ? addExample(outline, plain, wanted) : plain
      const entry = { chunk, outline, excerpt }
      if (joinsFirst(shown, entry, sizes?.[0] ?? 0) || isFull) continue
      addEntry(shown, entry)
    }
  }
  const hits = shown.map((entry) => ({ hit: withText(entry, focus), outline: entry.outline }))
  if (sizes === undefined) return hits.map(({ hit }) => hit)
  return fitHits(hits, { sizes, focus, wantsCode, wantsExample })
}

/** Limits the chunk to its small section whose heading is the queried name, if any. */
function namedSectionOf(
  outline: Outline,
  chunk: Candidate & WithRow,
  name: ExactName | null,
): Candidate & WithRow {
  const { row, why } = chunk
  if (name === null || why.nameMatch?.place !== 'title') return chunk
  const [first, last] = [row.start_offset, row.end_offset - 1].map((at) => sectionAt(outline, at))
  const sections = outline.sections.slice(first, last! + 1)
  const named = sections.find(({ path }) => path.length > 0 && isHeadingOf(path.at(-1)!, name))
  if (named === undefined || sections.length === 1) return chunk
  // A page title without text introduces the next section.
  const body = trimRange(outline.text, { start: named.bodyStart, end: named.end })
  if (body.start === body.end) return chunk
  const place = { start_offset: named.start, end_offset: named.end }
  return { ...chunk, row: { ...row, ...place, heading: named.path.join(' > ') } }
}

/** Returns an excerpt of the range's part that is most relevant to the query. */
function focusedExcerpt(outline: Outline, range: Range, focus: QueryFocus): Excerpt {
  const telling = mostRelevantRange(outline, range, focus)
  return matchingTableRows(outline, telling, focus) ?? widenToExcerpt(outline, telling)
}

export function focusFor(text: string, names: readonly string[]): QueryFocus {
  const name = exactName(text)
  const find = name && nameFinder(name)
  const named = (piece: string) => {
    const form = find?.(piece)?.form
    return form === undefined ? 0 : 1 - nameForms.indexOf(form) / nameForms.length
  }
  const terms = [...new Set([...queryTerms(text, mostTerms), ...names])]
  return { terms, nameScore: named, languages: askedLanguages(text) }
}

/** For a how-to question, this many hits get code from their page. */
const hitsWithCode = 2

/** In longer queries, only the first terms determine which part is shown. */
const mostTerms = 64

type ExcerptEntry = { chunk: Candidate & WithRow; outline: Outline; excerpt: Excerpt }

/** Minimum share of the first hit's score for a passage on its page to join it. */
const joinedShare = 0.3

/**
 * Adds a passage to the first hit if it is on the same page and both fit into `most` characters.
 * The first hit then shows a function with its options, or several functions of a module. Returns
 * true if it added the passage.
 */
function joinsFirst([first]: readonly ExcerptEntry[], next: ExcerptEntry, most: number): boolean {
  if (first === undefined || pageKey(first.chunk) !== pageKey(next.chunk)) return false
  if (next.chunk.score < joinedShare * first.chunk.score) return false
  if (isListOfNames(next.chunk.row)) return false
  const both = joinExcerpts(next.outline, [first.excerpt, next.excerpt], most)
  if (both === null) return false
  const { row } = next.chunk
  first.excerpt = both
  first.chunk.why.merged.push(`${row.start_line}-${row.end_line}`)
  return true
}

/** Adds an entry, or merges it into an existing entry for the same page. */
function addEntry(shown: ExcerptEntry[], next: ExcerptEntry): void {
  const samePage = shown.filter(({ chunk }) => pageKey(chunk) === pageKey(next.chunk))
  for (const placed of samePage) {
    const isHeld = next.excerpt.ranges.every((range) => showsRange(placed.excerpt, range))
    const both = isHeld ? placed.excerpt : mergeExcerpts(next.outline, placed.excerpt, next.excerpt)
    if (both !== null) {
      const { row } = next.chunk
      placed.excerpt = both
      placed.chunk.why.merged.push(`${row.start_line}-${row.end_line}`)
      return
    }
    const shownSections = sectionsOf(next.outline, placed.excerpt.ranges)
    if (sectionsOf(next.outline, next.excerpt.ranges).isSubsetOf(shownSections)) return
  }
  const family = familyOf(next)
  const isTranslated = shown.some(
    (placed) => !samePage.includes(placed) && familyOf(placed) === family,
  )
  if (isTranslated) return
  shown.push(next)
}

/** Returns the same key for a section and its translations. */
function familyOf({ chunk: { collection, row }, outline }: ExcerptEntry): string {
  const { original } = collection.facts.get(row.url)!
  const section = sectionAt(outline, row.start_offset)
  return `${collection.open.generation.id}/${original}/${section}/${outline.sections.length}`
}

/** Reads the pages of all chunks at once. Computes each outline on first use. */
async function outlinesOf(
  batch: readonly (Candidate & WithRow)[],
): Promise<(chunk: Candidate & WithRow) => Outline> {
  const byCollection = Map.groupBy(batch, ({ collection }) => collection)
  const outlines = new Map(
    await Promise.all(
      [...byCollection].map(async ([collection, chunks]) => {
        const urls = [...new Set(chunks.map(({ row }) => row.url))]
        return [collection, await readOutlines(collection.whole, urls)] as const
      }),
    ),
  )
  return ({ collection, row }) => outlines.get(collection)!(row.url)
}

async function rangeOf({ row, collection }: Candidate & WithRow, context: number) {
  const own = { start: row.start_offset, end: row.end_offset }
  if (context === 0) return own
  const ranges = await collection.whole.chunkRanges(row.url)
  const at = ranges.findIndex(({ chunk_index }) => chunk_index === row.chunk_index)
  const first = ranges[Math.max(0, at - context)]!
  const last = ranges[Math.min(ranges.length - 1, at + context)]!
  return { start: first.start_offset, end: last.end_offset }
}

function withText(
  { chunk, outline, excerpt }: ExcerptEntry,
  focus: QueryFocus,
): Candidate & WithRow & WithText {
  const [startLine, endLine] = excerptLines(outline, excerpt)
  const { collection } = chunk
  const row = withHeadingOf(outline, chunk, excerpt)
  const { kind } = collection.entry.live.source
  const own = shownText(outline, dropOtherVariants(outline, excerpt, focus), chunk.row)
  const text = withTwins(own, chunk.why.twins)
  return {
    ...chunk,
    row,
    text: outline.markup === 'markdown' ? htmlToText(text) : text,
    texts: excerptTexts(outline, excerpt),
    startLine,
    endLine,
    anchor: anchorOf(outline, row, { isSite: sites.has(kind) }),
  }
}

/** Gives a merged passage the heading where it begins, or the name of its best symbol. */
function withHeadingOf(outline: Outline, { row, why }: Candidate & WithRow, excerpt: Excerpt) {
  if (why.merged.length === 0 || isApiPagePath(row.url)) return row
  const first = trimRange(outline.text, excerpt.ranges[0]!)
  const { path, start, end } = outline.sections[sectionAt(outline, first.start)]!
  if (row.start_offset <= start && start < row.end_offset) return row
  return { ...row, heading: path.join(' > '), start_offset: start, end_offset: end }
}

/**
 * Site generators derive heading ids in different ways. On pages from these sources, an id that is
 * not in the page itself would be a guess.
 */
const sites = new Set(['sitemap', 'web_page', 'llms_txt', 'site'])

/** Returns the heading anchor of a chunk. A chunk may start inside an enclosing section. */
function anchorOf(
  outline: Outline,
  { start_offset: start, end_offset: end, heading }: WithRow['row'],
  { isSite }: { isSite: boolean },
): string | null {
  const [first, last] = [sectionAt(outline, start), sectionAt(outline, Math.max(start, end - 1))]
  const covered = outline.sections.slice(first, last + 1)
  const section = covered.find(({ path }) => path.join(' > ') === heading) ?? covered[0]!
  return section.anchor === '' || (isSite && !section.hasOwnAnchor) ? null : section.anchor
}

function pageKey({ collection, row }: Candidate & WithRow): string {
  return `${collection.open.generation.id}/${row.url}`
}

/** A generation's cached pages, least recently used first. An open generation never changes. */
type CachedPages = { pages: Map<string, Page>; characters: number }
type Page = { text: string; markup: string; outline: Outline | null }
const pageCaches = new WeakMap<object, CachedPages>()
/** Limit for all cached pages of one generation. */
const mostCharacters = 4_000_000

/** Reads the given pages, which must exist. Computes each outline on first use. */
export async function readOutlines(
  open: Pick<OpenGeneration, 'generation' | 'pageTexts'>,
  urls: readonly string[],
): Promise<(url: string) => Outline> {
  const kept = pageCaches.get(open.generation) ?? { pages: new Map(), characters: 0 }
  pageCaches.set(open.generation, kept)
  // Look up before the first await, because another search may then evict these pages.
  const inMemory = new Map(urls.map((url) => [url, kept.pages.get(url)]))
  const missing = urls.filter((url) => inMemory.get(url) === undefined)
  const read = missing.length === 0 ? null : await open.pageTexts(missing)
  const pages = new Map(
    urls.map((url): [string, Page] => [
      url,
      inMemory.get(url) ?? { ...read!.get(url)!, outline: null },
    ]),
  )
  for (const [url, page] of pages) cachePage(kept, url, page)
  return (url) => {
    const page = pages.get(url)!
    const { text, markup } = page
    page.outline ??= outlinePage({ text, markup: markup as Markup })
    return page.outline
  }
}

/** Marks a page as most recently used, and evicts the oldest pages if the cache is full. */
function cachePage(kept: CachedPages, url: string, page: Page): void {
  const { pages } = kept
  if (!pages.delete(url)) kept.characters += page.text.length
  pages.set(url, page)
  for (const [oldest, { text }] of pages) {
    if (kept.characters <= mostCharacters || oldest === url) return
    pages.delete(oldest)
    kept.characters -= text.length
  }
}

/**
 * Keeps one of several variants of a code example (tabs) and lists the labels of the others on a
 * line below it. Keeps the variant that contains the queried name or the most query terms, and
 * otherwise the first complete one. Prefers a variant with code to one with only a comment.
 */
export function dropOtherVariants(outline: Outline, excerpt: Excerpt, focus: QueryFocus): Excerpt {
  return [...sectionsOf(outline, excerpt.ranges)]
    .flatMap((at) => groupsUnder(outline, at))
    .reduce(
      (excerptSoFar, group) =>
        keepOneVariant(group, withCode(outline, group, { excerpt: excerptSoFar, focus }), focus),
      excerpt,
    )
}

type Groups = readonly (readonly Variant[])[]

/** Returns the variant groups under a heading. Caches them because a server rereads pages. */
function groupsUnder(outline: Outline, at: number): Groups {
  const section = outline.sections[at]!
  return groupsOf.getOrInsertComputed(section, () =>
    findVariantGroups(outline.text, bodyBlocks(outline, section)),
  )
}

const groupsOf = new WeakMap<SectionText, Groups>()

/**
 * Adds the variant in the language of the query if another one is shown, or the first variant with
 * code if all shown variants are only comments.
 */
function withCode(
  outline: Outline,
  group: readonly Variant[],
  { excerpt, focus: { languages } }: { excerpt: Excerpt; focus: QueryFocus },
): Excerpt {
  const shown = group.filter((variant) => overlapWith(variant, excerpt.ranges) > 0)
  if (shown.length === 0) return excerpt
  const isComment = !shown.some(({ code }) => hasStatements(code))
  const added =
    (languages && group.find(({ code }) => isInLanguage(code, languages))) ??
    (isComment ? group.find(({ code }) => hasStatements(code)) : undefined)
  if (added === undefined) return excerpt
  const { start, end } = added
  return withoutOverlaps(outline, { ...excerpt, ranges: [...excerpt.ranges, { start, end }] })
}

/** Exceeds the other parts of a variant's score. */
const askedWeight = 3

function keepOneVariant(
  group: readonly Variant[],
  { ranges, frame }: Excerpt,
  { terms: queryTerms, nameScore: named, languages }: QueryFocus,
): Excerpt {
  const shares = group.map((variant) => {
    const share = overlapWith(variant, ranges) / (variant.end - variant.start)
    if (share === 0) return 0
    if (!hasStatements(variant.code)) return Number.MIN_VALUE
    const variantTerms = new Set(indexTermsOf(`${variant.label} ${variant.code}`))
    const words =
      queryTerms.filter((term) => variantTerms.has(term)).length / Math.max(1, queryTerms.length)
    const isAsked = languages !== undefined && isInLanguage(variant.code, languages)
    return share + named(variant.code) + words + (isAsked ? askedWeight : 0)
  })
  const most = Math.max(...shares)
  if (most === 0) return { ranges, frame }
  const at = shares.indexOf(most)
  const others = group.toSpliced(at, 1)
  const { start, end } = group[at]!
  // Split the range at the end of the variant to insert the note there.
  const remaining = [...others, { start: end, end }].reduce<Range[]>(
    (all, variant) => all.flatMap((range) => without(range, variant)),
    ranges,
  )
  const framesLeft = frame.filter((part) => !others.some((variant) => overlap(variant, part) > 0))
  const labels = others.map(({ label }) => label).join(', ')
  // The note replaces all later variants, so the following text comes directly after it.
  const note = { start: end, end: group.at(-1)!.end, instead: `[also: ${labels}]` }
  const above = { start: group[0]!.start, end: start, instead: '' }
  const isWhole = remaining.some((range) => range.start === start)
  return { ranges: remaining, frame: [...framesLeft, ...(isWhole && at > 0 ? [above] : []), note] }
}

function overlapWith(variant: Range, ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + overlap(variant, range), 0)
}
