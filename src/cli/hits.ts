import type { Hit } from '../library/library.ts'
import type { VersionFrom } from '../library/pick.ts'
import type { Refusal } from '../library/refusal.ts'
import { contentCall } from '../mcp/render.ts'

/** One answered query; library and version as they were asked for, null where they were not. */
export type Answer = {
  query: string
  library: string | null
  version: string | null
  hits: Hit[]
  /** Versions that a lock file of the current project settled. */
  versionsFrom: VersionFrom[]
  /** Why there are no hits. */
  refusal?: Refusal | null
}

/** Upstream's layout, with the tool's real name in the hint (spec 5.6). */
export function renderHits(hits: readonly Hit[]): string {
  const count = `Found ${hits.length} ${hits.length === 1 ? 'match' : 'matches'}.\n`
  return count + hits.map(renderHit).join('')
}

/** Why there are no hits, and what could be done; empty where there are. */
export function renderRefusal(refusal: Refusal | null): string {
  if (refusal === null) return ''
  const { reason, nearest, suggest } = refusal
  if (nearest.length === 0 && suggest.length === 0) return ''
  const headings = nearest.map(({ library, version, title, heading, url }) =>
    `  ${heading || title || url} (${library} ${version}, ${url})`)
  const indexed = suggest.filter(({ version }) => version !== null)
  const missing = suggest.filter(({ version }) => version === null)
  return [
    `${reason[0]!.toUpperCase()}${reason.slice(1)}.`,
    ...(headings.length > 0 ? ['Nearest headings:', ...headings] : []),
    ...indexed.map(({ library, version, command }) => `${library} ${version} matches: ${command}`),
    ...missing.map(({ library, command }) => `${library} is not indexed. To add it: ${command}`),
    '',
  ].join('\n')
}

/** The object that `--json` and `--jsonl` promise; names and order are the contract. */
export function answerJson({ query, library, version, hits, versionsFrom, refusal }: Answer) {
  return {
    query,
    library,
    version,
    hits: hits.map((hit) => ({
      rank: hit.rank,
      score: hit.score,
      library: hit.library,
      version: hit.version,
      url: hit.url,
      title: hit.title,
      heading: hit.heading,
      text: hit.text,
      chunk_id: hit.chunkId,
      start_line: hit.startLine,
      end_line: hit.endLine,
    })),
    version_from: versionsFrom,
    ...(refusal ?? {}),
  }
}

function renderHit({ title, text, url, version, score }: Hit, index: number): string {
  const source = `(Source: ${url || 'unknown'}, Version: ${version}, score=${score.toFixed(4)})`
  return (
    `${index + 1}. **${title || '(no title)'}**: "${text.trim()}" ${source}\n` +
    `   To get full page content: ${contentCall({ url, version })}\n`
  )
}
