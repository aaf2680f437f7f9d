import { field, type InputOf } from './field.ts'
import type { Hit } from '../library/library.ts'
import { type Doubt, confidenceOf } from '../library/search/doubt.ts'
import { emptySearchAnswer, type SearchAnswer } from '../library/search/search.ts'
import type { OgView } from '../open.ts'
import { pageKinds } from '../page/page-kind.ts'
import { bytesPerToken, cutToTokens, estimateTokens } from '../platform/tokens.ts'
import { parseKinds, type PageFilter } from '../search/scope/page-filter.ts'
import type { ProjectPins } from '../version/project.ts'
import { splitVersion } from '../version/package-name.ts'
import { hitJson } from './hit.ts'
import { lackingSentences, notesJson, notesOf, searchNotes, type Answer } from './note.ts'
import { splitList, operation } from './operation.ts'
import { fenceAfter, type Fence } from '../document/fence.ts'

/** Number of hits requested if the caller gives a token budget but no limit. */
const defaultHitsForBudget = 20

/**
 * Fills a token budget with whole hits, best first, and skips hits that do not fit. If even the
 * best hit does not fit, returns only its beginning. `render` returns the text whose tokens count,
 * and `frame` is the number of tokens around the hits.
 */
export function selectHits(
  hits: readonly Hit[],
  render: (hit: Hit) => string,
  { maxTokens, frame }: { maxTokens: number; frame: number },
): Hit[] {
  let left = maxTokens - frame
  const [best] = hits
  if (best === undefined) return []
  if (estimateTokens(render(best)) > left) {
    const room = left - estimateTokens(render({ ...best, text: '' }))
    return [{ ...best, text: cutHit(best.text, Math.max(1, room)) || nothingFits }]
  }
  const fitting = hits.filter((hit) => {
    const size = estimateTokens(render(hit))
    if (size > left) return false
    left -= size
    return true
  })
  return fitting.map((hit, i) => ({ ...hit, rank: i + 1 }))
}

/** Shown if not even one word fits. */
const nothingFits = '[…]'

/** Cuts at a line end if possible, otherwise between words, and closes an open code fence. */
function cutHit(text: string, maxTokens: number): string {
  const cut = cutToTokens(text, maxTokens)
  const fence = openFence(cut)
  if (fence === null) return cut
  const closing = fence.mark.repeat(fence.length)
  const shorter = cutToTokens(text, maxTokens - estimateTokens(`\n${closing}`) - 1)
  return openFence(shorter) ? `${shorter.trimEnd()}\n${closing}` : shorter
}

function openFence(text: string): Fence | null {
  let open: Fence | null = null
  for (const line of text.split('\n')) open = fenceAfter(line, open)
  return open
}

export type SearchContext = {
  og: Pick<OgView, 'search'>
  /** Versions pinned by the user's project. Read only if the caller gives no version. */
  project(): Promise<ProjectPins | null>
  /** Returns the names of the libraries for which `og add` knows a source. */
  knownSources(): Promise<readonly string[]>
  /** Number of hits if the caller gives neither `limit` nor `max_tokens`. */
  limit: number
  layout: HitLayout
  signal?: AbortSignal
}

/** How hits are printed. `max_tokens` counts the printed text. */
export type HitLayout = {
  hit(hit: Hit): string
  /** Returns the number of tokens around the hits. */
  frameTokens(doubt: Doubt | null): number
  /**
   * Maximum number of characters per hit, by rank, if the caller gives neither `max_tokens` nor
   * `context`. If undefined, hits are whole sections.
   */
  sizes?: readonly number[] | undefined
}

/** Selects the libraries, versions and pages to search. */
export const scopeFields = {
  library: field.text('only this library, or LIBRARY@VERSION; separate several by commas', {
    maxLength: 1000,
  }),
  version: field.text(
    'only this version: "18.2" means the newest 18.2; a range (">=2 <3"), a list ("17,18") ' +
      'or "all" selects every matching version',
    { maxLength: 200 },
  ),
  path: field.text(
    'only pages whose path matches: folders, files or globs, separated by commas; a leading ' +
      '"!" excludes',
    { maxLength: 1000 },
  ),
  language: field.text(
    'only pages in these languages, such as "de,pt-br"; a page that states none is English',
    { maxLength: 100 },
  ),
  kind: field.text(`only pages of these kinds, separated by commas: ${pageKinds.join(', ')}`, {
    maxLength: 100,
  }),
} as const

export const search = operation({
  name: 'search',
  summary: 'search the indexed documentation',
  input: {
    query: field.text('a question, or words to search for', { maxLength: 20_000, required: true }),
    ...scopeFields,
    limit: field.whole(
      `at most N hits, ${defaultHitsForBudget} by default if max tokens are given`,
      { min: 1, max: 1000 },
    ),
    max_tokens: field.whole(
      `fill N tokens with the best whole hits; a token counts as ${bytesPerToken} bytes`,
      { min: 50, max: 200_000 },
    ),
    context: field.whole('show N more chunks of the page on each side of a hit', {
      min: 0,
      max: 10,
    }),
    strict: field.flag('no hits unless a passage clearly matches the query'),
  },
  async run(context: SearchContext, input): Promise<Answer<SearchValue>> {
    const { query } = input
    const scope = toScope(input)
    const project = scope.version === null ? await context.project() : null
    const answer = await context.og.search({
      query,
      ...scope,
      project,
      limit: limitOf(context, input),
      context: input.context ?? 0,
      ...sizesOf(context, input),
      judge: true,
      refuse: input.strict,
      knownSources: context.knownSources,
      ...(context.signal && { signal: context.signal }),
    })
    context.signal?.throwIfAborted()
    return toAnswer({ query, ...scope, ...answer }, { context, input })
  },
  json: searchJson,
})

export type SearchInput = InputOf<(typeof search)['input']>

/** `library` and `version` are null if the caller gave none. */
export type SearchValue = SearchAnswer & Scope & { query: string }

export type Scope = { library: string | null; version: string | null; filter: PageFilter }

/**
 * Converts the scope fields to a search scope.
 * @throws OgError if a kind of page is unknown or a version is given twice
 */
export function toScope({
  library,
  version,
  path,
  language,
  kind,
}: InputOf<typeof scopeFields>): Scope {
  return {
    ...splitVersion({ library, version }),
    filter: {
      paths: splitList(path),
      languages: splitList(language),
      kinds: parseKinds(splitList(kind)),
    },
  }
}

/** Returns the answer to an empty query, so that a batch of queries prints one answer per line. */
export function emptySearch(input: SearchInput): Answer<SearchValue> {
  return { value: { ...emptySearchAnswer, ...toScope(input), query: input.query }, notes: [] }
}

function limitOf({ limit }: SearchContext, input: SearchInput): number {
  return input.limit ?? (input.max_tokens === null ? limit : defaultHitsForBudget)
}

function sizesOf({ layout: { sizes } }: SearchContext, { max_tokens, context }: SearchInput) {
  return sizes && max_tokens === null && context === null ? { sizes } : {}
}

function toAnswer(
  answer: SearchValue,
  { context, input }: { context: SearchContext; input: SearchInput },
): Answer<SearchValue> {
  const { layout } = context
  const maxTokens = input.max_tokens
  const frame =
    layout.frameTokens(answer.doubt) + estimateTokens(lackingSentences(answer).join('\n'))
  const hits =
    maxTokens === null ? answer.hits : selectHits(answer.hits, layout.hit, { maxTokens, frame })
  const omitted = maxTokens === null ? 0 : answer.hits.length - hits.length
  const value = { ...answer, hits }
  return { value, notes: searchNotes(value, omitted) }
}

function searchJson({ value, notes }: Answer<SearchValue>) {
  const { query, library, version, hits, doubt } = value
  return {
    query,
    library,
    version,
    hits: hits.map(hitJson),
    confidence: confidenceOf(value),
    omitted: notesOf(notes, 'omitted').reduce((sum, note) => sum + note.hits, 0),
    notes: notesJson(notes),
    ...(doubt ?? {}),
  }
}
