import type { Hit } from '../../library/library.ts'
import { removeBoxMarks } from '../../document/box.ts'
import type { Doubt } from '../../library/search/doubt.ts'
import { weakSentence } from '../../library/search/answer-confidence.ts'
import { contentCall } from '../../mcp/docs/render.ts'
import { formatCount } from '../../platform/text/count.ts'

/** Renders hits in upstream's layout, but with the tool's real name in the hint (spec 5.6). */
export function renderHits(
  hits: readonly Hit[],
  doubt: Doubt | null = null,
  above: readonly string[] = [],
): string {
  const count = `Found ${formatCount(hits.length, 'match', 'matches')}.\n`
  const weak = doubt !== null && hits.length > 0 ? `${weakSentence}\n` : ''
  const below = doubtLines(doubt, hits)
    .map((line) => `${line}\n`)
    .join('')
  return (
    above.map((line) => `${line}\n`).join('') + count + weak + hits.map(renderHit).join('') + below
  )
}

/**
 * Suggests where else to search. If hits are withheld, the lines also say why and how to see them.
 */
export function doubtLines(doubt: Doubt | null, hits: readonly Hit[]): string[] {
  if (doubt === null) return []
  const { suggest } = doubt
  const lines = suggest.map(({ library, version, command }) =>
    version === null
      ? `${library} is not indexed. To add it: ${command}`
      : `Perhaps in ${library} ${version}: ${command}`,
  )
  return [...(hits.length > 0 ? [] : withheldLines(doubt)), ...lines]
}

function withheldLines({ reason, nearest }: Doubt): string[] {
  if (nearest.length === 0) return []
  return [
    `${reason[0]!.toUpperCase()}${reason.slice(1)}. Without --strict the nearest are shown.`,
    'Nearest headings:',
    ...nearest.map(
      ({ library, version, title, heading, url }) =>
        `  ${heading || title || url} (${library} ${version}, ${url})`,
    ),
  ]
}

export function renderHit(hit: Hit): string {
  const { rank, title, text, url, version, score } = hit
  const source = `(Source: ${url || 'unknown'}, Version: ${version}, score=${score.toFixed(4)})`
  return (
    `${rank}. **${title || '(no title)'}**: "${removeBoxMarks(text).trim()}" ${source}\n` +
    `   ${placeOf(hit)}\n` +
    `   To get full page content: ${contentCall({ url, version })}\n`
  )
}

/**
 * Returns the position of a hit, such as `Under "Body > Model" (#model), lines 3-9; the same in
 * 0.114.0`.
 */
function placeOf({ heading, anchor, startLine, endLine, version, versions }: Hit): string {
  const under = heading ? `Under "${heading}"${anchor ? ` (#${anchor})` : ''}, lines` : 'Lines'
  const others = versions.filter((other) => other !== version)
  const same = others.length > 0 ? `; the same in ${others.join(', ')}` : ''
  return `${under} ${startLine}-${endLine}${same}`
}
