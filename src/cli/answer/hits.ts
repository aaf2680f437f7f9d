import type { NotIndexed } from '../../library/search/entry-selection.ts'
import type { Incomplete } from '../../library/incomplete.ts'
import type { Hit } from '../../library/library.ts'
import { withoutMarks } from '../../page/box.ts'
import type { VersionFrom } from '../../version/pick.ts'
import type { Doubt } from '../../library/search/doubt.ts'
import { confidenceOf, weakSentence } from '../../library/search/sureness.ts'
import type { Broken } from '../../library/sparing.ts'
import { contentCall } from '../../mcp/docs/render.ts'
import { counted } from '../../platform/text/counted.ts'

/** One answered query; library and version as they were asked for, null where they were not. */
export type QueryAnswer = {
  query: string
  /** What was asked in place of a query in another language. */
  english?: string | null
  library: string | null
  version: string | null
  hits: Hit[]
  /** Hits that did not fit into `--max-tokens`. */
  omitted: number
  /** Versions that a lock file of the current project settled. */
  versionsFrom: VersionFrom[]
  /** Libraries and versions that were asked beside others and are not there. */
  notIndexed: NotIndexed[]
  /** What was not asked, in a sentence. */
  unasked?: string | null
  /** Those that were asked and are damaged. */
  broken?: readonly Broken[]
  /** Those that are not embedded to the end. */
  incomplete?: readonly Incomplete[]
  /** Why the hits, or those that are withheld, are no sure answer. */
  doubt?: Doubt | null
}

/** Upstream's layout, with the tool's real name in the hint (spec 5.6). */
export function renderHits(hits: readonly Hit[], doubt: Doubt | null = null): string {
  const count = `Found ${counted(hits.length, 'match', 'matches')}.\n`
  const weak = doubt !== null && hits.length > 0 ? `${weakSentence}\n` : ''
  const below = doubtLines(doubt, hits).map((line) => `${line}\n`).join('')
  return count + weak + hits.map(renderHit).join('') + below
}

/** Where else to look; where hits are withheld, also why, and what would show them. */
export function doubtLines(doubt: Doubt | null, hits: readonly Hit[]): string[] {
  if (doubt === null) return []
  const { suggest } = doubt
  const lines = suggest.map(({ library, version, command }) => version === null
    ? `${library} is not indexed. To add it: ${command}`
    : `Perhaps in ${library} ${version}: ${command}`)
  return [...(hits.length > 0 ? [] : withheld(doubt)), ...lines]
}

function withheld({ reason, nearest }: Doubt): string[] {
  if (nearest.length === 0) return []
  return [
    `${reason[0]!.toUpperCase()}${reason.slice(1)}. Without --strict the nearest are shown.`,
    'Nearest headings:',
    ...nearest.map(({ library, version, title, heading, url }) =>
      `  ${heading || title || url} (${library} ${version}, ${url})`),
  ]
}

/** The object that `--json` and `--jsonl` promise; names and order are the contract. */
export function answerJson(answer: QueryAnswer) {
  const { query, library, version, hits, omitted, versionsFrom, notIndexed } = answer
  const { broken = [], incomplete = [], doubt = null, unasked = null } = answer
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
      anchor: hit.anchor,
      versions: hit.versions,
      path: hit.path,
      kind: hit.kind,
      language: hit.language,
    })),
    confidence: confidenceOf({ hits, doubt }),
    version_from: versionsFrom,
    omitted,
    ...(notIndexed.length > 0 ? { not_indexed: notIndexed } : {}),
    ...(unasked === null ? {} : { not_asked: unasked }),
    ...(broken.length > 0 ? { broken } : {}),
    ...(incomplete.length > 0 ? { incomplete } : {}),
    ...(doubt ?? {}),
  }
}

export function renderHit(hit: Hit): string {
  const { rank, title, text, url, version, score } = hit
  const source = `(Source: ${url || 'unknown'}, Version: ${version}, score=${score.toFixed(4)})`
  return (
    `${rank}. **${title || '(no title)'}**: "${withoutMarks(text).trim()}" ${source}\n` +
    `   ${placeOf(hit)}\n` +
    `   To get full page content: ${contentCall({ url, version })}\n`
  )
}

/** `Under "Body > Model" (#model), lines 3-9; the same in 0.114.0`. */
function placeOf({ heading, anchor, startLine, endLine, version, versions }: Hit): string {
  const under = heading ? `Under "${heading}"${anchor ? ` (#${anchor})` : ''}, lines` : 'Lines'
  const others = versions.filter((other) => other !== version)
  const same = others.length > 0 ? `; the same in ${others.join(', ')}` : ''
  return `${under} ${startLine}-${endLine}${same}`
}
