import { OgError } from '../../platform/error.ts'
import type { RecallFilter } from '../index/chunk-rows.ts'
import { isDate } from '../clock.ts'
import type { MemorySearch } from '../index/memory-search.ts'
import { placeOf } from '../write/place.ts'
import { answerPage, type AnswerPage } from './recall-page.ts'
import type { RecallRequest } from './recall-request.ts'
import { sourceOf } from '../index/searched-files.ts'
import type { MemorySettings } from '../settings.ts'
import type { Workspace } from '../workspace.ts'

export type MemorySearchRequest = {
  query: string
  /** A tier, `daily`, one day's file or a custom file. */
  file?: string
  /** 1 to 20; anything else means the nearest of these, 0 the setting. */
  top_k?: number
  /** Not upstream's: the `next_offset` of the page before. */
  offset?: number
  /** An entry has to have all of `tags`, and one of `any_tags`. */
  tags?: readonly string[]
  any_tags?: readonly string[]
  /** Days, inclusive. */
  since?: string
  until?: string
  max_tokens?: number
  mode?: RecallRequest['mode']
}

export type SearchResult = {
  mode: 'search'
  query: string
  /** Upstream's label of the file that was searched; null: all files. */
  source: string | null
  count: number
  results: AnswerPage['results']
  next_offset: number | null
  /** Relations of the entities that the query names. */
  relations: string[]
  warnings: string[]
}

type Searching = {
  workspace: Workspace
  search: MemorySearch
  settings: MemorySettings
  clock: () => Date
}

/** Recalls entries, with upstream's names for what was found. */
export async function searchMemory(
  { workspace, search, settings, clock }: Searching,
  request: MemorySearchRequest,
): Promise<SearchResult> {
  const query = request.query.trim().slice(0, maxQuery)
  const { file, offset = 0, tags, any_tags, since, until, max_tokens, mode = 'hybrid' } = request
  checkDay('since', since)
  checkDay('until', until)
  const scope = file === undefined || file.trim() === '' ? null : scopeOf(workspace, file)
  const answer = await search.search({
    query,
    mode,
    limit: Math.min(20, Math.max(1, request.top_k || settings.topK)),
    offset,
    filter: { ...scope?.filter, allTags: tags, anyTags: any_tags, since, until },
    settings: settings.recall,
    floor: { minCosine: settings.contextMinCosine === null ? null : searchMinCosine },
    now: clock(),
  })
  const page = answerPage(answer, { query, offset, maxTokens: max_tokens ?? null })
  return {
    mode: 'search',
    query,
    source: scope?.source ?? null,
    count: page.results.length,
    ...page,
    relations: answer.relations,
    warnings: answer.warnings,
  }
}

/** The most characters of a query, as many as a tool takes; a model reads fewer. */
const maxQuery = 20_000

/**
 * The least cosine of a search's hits. Of 32 short paraphrases, asked of fifteen notes that share
 * no word with them, one is below it; of the queries about nothing that is stored, a third are.
 * Entries that are shown for a task unasked need more (settings.contextMinCosine).
 */
const searchMinCosine = 0.5

function checkDay(what: string, day: string | undefined): void {
  if (day === undefined || isDate(day)) return
  throw new OgError(`'${what}' has to be a date like 2026-03-20, not ${JSON.stringify(day)}`)
}

type Scope = { source: string; filter: RecallFilter }

/**
 * The scope that a file name means. One day's file is that day alone, and a name that is no memory
 * file is an error (weakness 32).
 */
function scopeOf(workspace: Workspace, name: string): Scope {
  const typed = name.trim().toLowerCase()
  if (/^daily(?:\/|\.md)?$/.test(typed)) {
    return { source: 'daily', filter: { sources: ['daily'] } }
  }
  const tiers = ['MEMORY.md', 'USER.md', 'AGENTS.md', 'RELATIONS.md']
  const tier = tiers.find((file) => file.toLowerCase() === typed)
  const custom = workspace.customFiles.find((file) => file.name.toLowerCase() === typed)
  const { file } = placeOf(workspace, tier ?? custom?.name ?? name.trim())
  if (tier === undefined && custom === undefined && !/^daily\/.+\.md$/.test(file)) {
    const own = workspace.customFiles.map((file) => file.name)
    const valid = [...tiers, 'daily', 'daily/YYYY-MM-DD.md', ...own]
    throw new OgError(
      `Cannot search in '${name}': it is none of ${valid.map((it) => `'${it}'`).join(', ')}`,
    )
  }
  return { source: sourceOf(file), filter: { path: file } }
}
