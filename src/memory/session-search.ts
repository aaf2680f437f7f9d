import { OgError } from '../platform/error.ts'
import type { RecallFilter } from './index/chunk-rows.ts'
import { checkDate } from './text.ts'
import type { MemorySearch, HitWithRelations, MemoryAnswer } from './memory-search.ts'
import { resolveMemoryFile } from './write/memory-file.ts'
import type { RecallRequest } from './recall/recall-request.ts'
import { sourceLabel } from './index/sync.ts'
import type { MemorySettings } from './settings.ts'
import type { Workspace } from './workspace.ts'
import { queryTerms, indexTermsOf } from '../chunk/terms.ts'
import { cutToWords } from '../platform/tokens.ts'

export type MemorySearchRequest = {
  query: string
  /** A tier, `daily`, a day's file or a custom file. */
  file?: string
  /** From 1 to 20. Other values are clamped; 0 selects the default from the settings. */
  top_k?: number
  /** An og extension: `next_offset` of the previous page. */
  offset?: number
  /** An entry must have all of `tags` and at least one of `any_tags`. */
  tags?: readonly string[]
  any_tags?: readonly string[]
  /** Inclusive days. */
  since?: string
  until?: string
  /** An og extension: recalls entries that were valid on this day. */
  as_of?: string
  max_tokens?: number
  mode?: RecallRequest['mode']
}

export type SearchResult = {
  mode: 'search'
  query: string
  /** Upstream's label of the searched file; null for all files. */
  source: string | null
  count: number
  /** `weak` means that no hit is clearly relevant; the hits are then the nearest entries. */
  confidence: 'high' | 'weak'
  results: AnswerPage['results']
  next_offset: number | null
  relations: string[]
  warnings: string[]
}

type Searching = {
  workspace: Workspace
  search: MemorySearch
  settings: MemorySettings
  clock: () => Date
}

export async function searchMemory(
  { workspace, search, settings, clock }: Searching,
  request: MemorySearchRequest,
): Promise<SearchResult> {
  const query = request.query.trim().slice(0, maxQuery)
  const { file, offset = 0, tags, any_tags, since, until, max_tokens, mode = 'hybrid' } = request
  checkDate('since', since)
  checkDate('until', until)
  checkDate('as_of', request.as_of)
  const scope = file === undefined || file.trim() === '' ? null : scopeOf(workspace, file)
  const answer = await search.search({
    query,
    mode,
    limit: Math.min(20, Math.max(1, request.top_k || settings.topK)),
    offset,
    filter: { ...scope?.filter, allTags: tags, anyTags: any_tags, since, until },
    settings: settings.recall,
    floor: {
      minCosine: settings.contextMinCosine === null ? null : searchMinCosine,
      keepsWeak: true,
    },
    now: clock(),
    asOf: request.as_of,
  })
  const page = answerPage(answer, { query, offset, maxTokens: max_tokens ?? null })
  return {
    mode: 'search',
    query,
    source: scope?.source ?? null,
    count: page.results.length,
    confidence: page.results.every(({ confidence }) => confidence === 'weak') ? 'weak' : 'high',
    ...page,
    relations: answer.relations,
    warnings: answer.warnings,
  }
}

/** Maximum number of characters of a query, as in the tool's schema. Models read fewer. */
const maxQuery = 20_000

/**
 * Hits with a lower cosine are labelled weak. This applies to a third of unrelated queries, but
 * also to one in 32 short paraphrases that share no word with their note.
 * `settings.contextMinCosine`, for entries shown without a search, is higher.
 */
const searchMinCosine = 0.5

/** Returns the scope of a search in one file or day. Throws if the name is unknown. */
function scopeOf(workspace: Workspace, name: string): { source: string; filter: RecallFilter } {
  const typed = name.trim().toLowerCase()
  if (/^daily(?:\/|\.md)?$/.test(typed)) {
    return { source: 'daily', filter: { sources: ['daily'] } }
  }
  const tiers = ['MEMORY.md', 'USER.md', 'AGENTS.md', 'RELATIONS.md']
  const tier = tiers.find((file) => file.toLowerCase() === typed)
  const custom = workspace.customFiles.find((file) => file.name.toLowerCase() === typed)
  const { file } = resolveMemoryFile(workspace, tier ?? custom?.name ?? name.trim())
  if (tier === undefined && custom === undefined && !/^daily\/.+\.md$/.test(file)) {
    const own = workspace.customFiles.map((file) => file.name)
    const valid = [...tiers, 'daily', 'daily/YYYY-MM-DD.md', ...own]
    throw new OgError(
      `Cannot search in '${name}': it is none of ${valid.map((it) => `'${it}'`).join(', ')}`,
    )
  }
  return { source: sourceLabel(file), filter: { path: file } }
}

/** A hit with upstream's field names. `memory_read` accepts its `path` and lines unchanged. */
export type HitJson = {
  chunk_id: string
  entry_id: string
  /** Relative to the workspace; uses `/`. */
  path: string
  file: string
  source: string
  /** 1-based, inclusive. */
  start_line: number
  end_line: number
  heading: string
  date: string | null
  tags: string[]
  text: string
  content: string
  /** About 32 words around the first query term. Terms are in `<b>`. Null if no term occurs. */
  snippet: string | null
  score: number
  vector_score: number
  text_score: number
  confidence: 'high' | 'weak'
  corrected_by: string | null
  valid_from?: string
  valid_until?: string
  relation_context: string[]
  /** True if the text alone exceeds the budget. */
  truncated?: true
}

type AnswerPage = { results: HitJson[]; next_offset: number | null }

/**
 * Returns the hits that fit into `maxTokens`, at four characters per token; `next_offset` is the
 * offset of the next page. Always includes the first hit, and truncates it if it is too long.
 */
export function answerPage(
  answer: MemoryAnswer,
  { query, offset, maxTokens }: { query: string; offset: number; maxTokens: number | null },
): AnswerPage {
  const queried = new Set(queryTerms(query, 64))
  let left = maxTokens === null ? Infinity : maxTokens * 4
  const results: HitJson[] = []
  for (const hit of answer.hits) {
    if (results.length > 0 && hit.text.length > left) {
      return { results, next_offset: offset + results.length }
    }
    results.push(hitJson(hit, queried, left))
    left -= hit.text.length
  }
  return { results, next_offset: answer.nextOffset }
}

function hitJson(hit: HitWithRelations, queried: Set<string>, maxChars: number): HitJson {
  const text = cutToWords(hit.text, maxChars)
  return {
    chunk_id: String(hit.id),
    entry_id: hit.entryId,
    path: hit.path,
    file: hit.path,
    source: hit.source,
    start_line: hit.startLine,
    end_line: hit.endLine,
    heading: hit.heading,
    date: hit.date,
    tags: hit.tags,
    text,
    content: text,
    snippet: snippet(hit.text, queried),
    score: rounded(hit.score),
    vector_score: rounded(hit.vectorScore),
    text_score: rounded(hit.textScore),
    confidence: hit.isWeak ? 'weak' : 'high',
    corrected_by: hit.correctedBy,
    ...(hit.validFrom !== null && { valid_from: hit.validFrom }),
    ...(hit.validUntil !== null && { valid_until: hit.validUntil }),
    relation_context: hit.relations,
    ...(text.length < hit.text.length && { truncated: true as const }),
  }
}

const snippetWords = 32

function snippet(text: string, queried: Set<string>): string | null {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const isWanted = words.map((word) => indexTermsOf(word).some((term) => queried.has(term)))
  const first = isWanted.indexOf(true)
  if (first === -1) return null
  const start = Math.max(0, Math.min(first - 8, words.length - snippetWords))
  const shown = words
    .slice(start, start + snippetWords)
    .map((word, i) => (isWanted[start + i] ? `<b>${word}</b>` : word))
  const before = start > 0 ? '...' : ''
  const after = start + snippetWords < words.length ? '...' : ''
  return `${before}${shown.join(' ')}${after}`
}

/** Rounds to four decimals, as upstream does. RRF scores are small. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000
}
