import type { Hit } from '../../library/library.ts'
import type { Doubt } from '../../library/search/doubt.ts'
import { confidenceOf } from '../../library/search/answer-confidence.ts'
import {
  hitLayout,
  renderHits as renderForAgent,
  renderHitsAsUpstream,
  upstreamLayout,
} from '../../mcp/docs/render.ts'
import { lackingSentences } from '../../operation/note.ts'
import type { HitLayout, SearchValue } from '../../operation/search.ts'

/** How a pipe gets hits: as an agent gets them, or in upstream's layout. */
export type PipeLayout = HitLayout & { render(value: SearchValue): string }

/** Tells the command that reads a page; `[NAME]` of a hit is its argument. */
const reader = {
  one: (library: string) => `og get NAME -l ${library} reads on: NAME is in brackets`,
  several: 'og get NAME -l LIBRARY reads on: NAME is in brackets, LIBRARY before it',
}

export const pipeLayouts: Record<'og' | 'openground', PipeLayout> = {
  og: {
    ...hitLayout,
    render: (value) =>
      renderAround(value, (hits, frame) => renderForAgent(hits, { ...frame, reader })),
  },
  openground: { ...upstreamLayout, render: (value) => renderAround(value, renderHitsAsUpstream) },
}

type Render = typeof renderHitsAsUpstream

/** Renders the hits between sentences about missing names and suggestions where else to search. */
function renderAround(value: SearchValue, render: Render): string {
  const { hits, doubt } = value
  const lines = (some: readonly string[]) => some.map((line) => `${line}\n`).join('')
  // stderr says how many hits are omitted.
  const body = render(hits, { omitted: 0, confidence: confidenceOf(value) })
  return lines(lackingSentences(value)) + body + lines(doubtLines(doubt, hits))
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
