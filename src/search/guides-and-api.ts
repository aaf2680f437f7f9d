import { cached } from '../platform/lru-cache.ts'
import { guideShare, isApiPagePath } from '../api/api-path.ts'
import { weights } from './weights.ts'
import type { PageFacts } from './collection.ts'

type Hit = { url: string }

type Facts = ReadonlyMap<string, Pick<PageFacts, 'kind'>>

/**
 * Returns a library version's `guideShare`, which is 1 if it has no API reference. Change logs
 * explain nothing and do not count.
 */
export const guideShareOf = cached((facts: Facts): number => {
  const kinds = [...facts.values()].map(({ kind }) => kind)
  const guides = kinds.filter((kind) => kind !== 'api' && kind !== 'changelog')
  return kinds.includes('api') ? guideShare(guides.length) : 1
})

/** Mixes a value for guides with the value for all pages, in proportion to `guideShare`. */
export function mixed(guideShare: number, ofGuides: number, ofAll: number): number {
  return guideShare * ofGuides + (1 - guideShare) * ofAll
}

/**
 * Returns the degree to which a page's chunks count as a single answer. Each chunk of an API page
 * documents a different symbol, so in a library without guides several of them can be answers.
 */
export function pageShare(url: string, guideShare: number): number {
  return isApiPagePath(url) ? mixed(guideShare, 1, weights.apiPage) : 1
}

/**
 * Returns the hits in guides, which set the scale for all others, or all hits if there are none.
 * The API reference has a chunk for each name. These chunks would fill a lane and change how guides
 * rank among themselves.
 */
export function guideHits<H extends Hit>(hits: readonly H[]): readonly H[] {
  const guides = hits.filter(({ url }) => !isApiPagePath(url))
  return guides.length > 0 ? guides : hits
}

/** Returns the first `limit` hits in guides and in the API reference, in the given order. */
export function firstGuideAndApiHits<H extends Hit>(hits: readonly H[], limit: number): H[] {
  let [guides, api] = [limit, limit]
  return hits.filter(({ url }) => (isApiPagePath(url) ? api-- > 0 : guides-- > 0))
}

/** Below this share, guides do not set the scale, so no more of them are needed. */
const leastShare = 0.5

export function haveFewGuides(collections: readonly { guideShare: number }[]): boolean {
  return collections.every(({ guideShare }) => guideShare < leastShare)
}

/**
 * Searches for more hits until `limit` of them are in guides or no more are found. Searches only
 * once if the library has no API reference or few guides.
 */
export async function findGuideAndApiHits<H extends Hit>(
  { limit, guideShare }: { limit: number; guideShare: number },
  ask: (limit: number) => Promise<H[]>,
): Promise<H[]> {
  const enough = haveFewGuides([{ guideShare }]) ? 0 : limit
  for (let most = limit; ; most *= 4) {
    const hits = await ask(most)
    const nGuides = hits.reduce((sum, { url }) => sum + Number(!isApiPagePath(url)), 0)
    if (nGuides === hits.length) return hits.slice(0, limit)
    if (nGuides >= enough || nGuides === 0 || hits.length < most)
      return firstGuideAndApiHits(hits, limit)
  }
}

type Ranked = Hit & { score: number; collection: { guideShare: number }; why: { api: number } }

/**
 * Moves API reference pages below the first `most` guides of their library, except the best page.
 * Otherwise unrelated API pages would displace guides. Expects `ranked` with the best first, and
 * changes its scores in place.
 */
export function keepBestApiPage(ranked: readonly Ranked[], most: number): void {
  if (!ranked.some(({ url }) => isApiPagePath(url))) return
  for (const [{ guideShare }, mine] of Map.groupBy(ranked, (it) => it.collection)) {
    const nGuides = Math.round(most * guideShare)
    if (nGuides === 0) continue
    const pages = new Map(mine.toReversed().map((hit) => [hit.url, hit]))
    const best = [...pages.values()].sort((a, b) => b.score - a.score)
    const guides = best.filter(({ url }) => !isApiPagePath(url))
    const first = best.find(({ url }) => isApiPagePath(url))
    const highest = (guides[nGuides - 1]?.score ?? Infinity) * 0.9999
    for (const hit of mine) {
      if (!isApiPagePath(hit.url) || hit.url === first?.url || hit.score <= highest) continue
      hit.why.api *= highest / hit.score
      hit.score = highest
    }
  }
}

/**
 * True for a question about a fact (`is HTTP/2 enabled by default`, `which types does Eq support`).
 * False for a task (`enable HTTP/2`, `how do I compare`), a topic or an error message.
 */
export function asksForFact(query: string): boolean {
  return factQuestion.test(query) || factWord.test(query)
}

const factQuestion = /^\s*(?:which|is|are|does|how (?:many|much|long|often|large|big))\b/i

const factWord = new RegExp(
  String.raw`\b(?:parameters?|arguments?|args?|signatures?|types?|returns?|returned|defaults?` +
    String.raw`|fields?|propert(?:y|ies)|attributes?|overloads?|constructors?|enum|variants?` +
    String.raw`|accepts?|takes?|maximum|minimum)\b`,
  'i',
)
