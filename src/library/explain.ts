import { queryTerms, terms } from '../chunk/terms.ts'
import { OgError } from '../platform/error.ts'
import { explainPage } from '../search/explain.ts'
import type { ScoredChunk } from '../search/hybrid.ts'
import { queryEmbedding } from '../search/query-embedding.ts'
import type { Why } from '../search/rank.ts'
import { byModel } from './by-model.ts'
import type { Held, OpenEntries } from './entries.ts'
import type { SearchRequest } from './library.ts'
import type { Opened } from './opened.ts'
import { pickEntries } from './pick.ts'

export type ExplainRequest = Omit<SearchRequest, 'limit' | 'mode'> & { url: string }

/** A chunk as an explanation shows it. */
export type ExplainedChunk = {
  url: string
  title: string
  heading: string
  startLine: number
  endLine: number
  score: number
  why: Why
  /** Words of the query, as index terms, that neither the passage nor its headings have. */
  missing: string[]
}

export type PageStanding = {
  query: string
  url: string
  library: string
  version: string
  /** 1: the first; null: no lane has it among what counts. */
  place: number | null
  /** How many pages are ranked. */
  nPages: number
  first: ExplainedChunk | null
  /** The page's best passage; null where nothing of it is found at all. */
  best: ExplainedChunk | null
}

/**
 * Where a page stands for a query, and by what. Throws OgError where no library version that is
 * asked has the page.
 */
export async function explainStanding(
  opened: Opened,
  entries: OpenEntries,
  request: ExplainRequest,
): Promise<PageStanding> {
  const { query, url } = request
  using found = await entries((all) => pickEntries(all, request))
  const holder = await holderOf(found, url)
  const groups = opened.fingerprint === null
    ? [{ held: [...found], embedder: null }]
    : await byModel(found, opened)
  const { held, embedder } = groups.find((group) => group.held.includes(holder))!
  const explained = await explainPage(
    held.map(({ open }) => open),
    {
      text: query,
      embedding: embedder && embedder().then((it) => queryEmbedding(it, query)),
      mode: 'hybrid',
      limit: 1,
      kernels: opened.kernels,
    },
    { url, generationIndex: held.indexOf(holder) },
  )
  const { library, version } = holder.entry
  const { place, nPages, first, best } = explained
  const shown = (chunk: ScoredChunk | null) => chunk && explainedChunk(chunk, query)
  return { query, url, library, version, place, nPages, first: shown(first), best: shown(best) }
}

async function holderOf(found: Held, url: string): Promise<Held[number]> {
  for (const one of found) if ((await one.open.page(url)) !== null) return one
  const asked = found.map(({ entry }) => `${entry.library} ${entry.version}`)
  throw new OgError(`No page has the address "${url}" in ${asked.join(', ') || 'any library'}`, {
    hint: 'addresses are those that "og query" prints; -l and -v say where to look',
  })
}

function explainedChunk({ row, score, why }: ScoredChunk, query: string): ExplainedChunk {
  const held = new Set(terms(`${row.title}\n${row.heading}\n${row.content}`))
  return {
    url: row.url,
    title: row.title,
    heading: row.heading,
    startLine: row.start_line,
    endLine: row.end_line,
    score,
    why,
    missing: queryTerms(query, 64).filter((term) => !held.has(term)),
  }
}
