import { isApiPagePath } from '../api/api-path.ts'

type Hit = { url: string }

/**
 * Returns the hits in guides, which set the scale for all others. The API reference has a chunk for
 * each name. Its chunks would fill a lane and change how guides rank among themselves. If there are
 * no guides, returns all hits.
 */
export function guideHits<H extends Hit>(hits: readonly H[]): readonly H[] {
  const guides = hits.filter(({ url }) => !isApiPagePath(url))
  return guides.length > 0 ? guides : hits
}

/**
 * Returns the first `limit` hits in guides and as many in the API reference, without changing their
 * order.
 */
export function firstGuideAndApiHits<H extends Hit>(hits: readonly H[], limit: number): H[] {
  let [guides, api] = [limit, limit]
  return hits.filter(({ url }) => (isApiPagePath(url) ? api-- > 0 : guides-- > 0))
}

/**
 * Searches for more hits until `limit` of them are in guides or no more are found. A library
 * without an API reference is searched only once.
 */
export async function findGuideAndApiHits<H extends Hit>(
  limit: number,
  ask: (limit: number) => Promise<H[]>,
): Promise<H[]> {
  for (let most = limit; ; most *= 4) {
    const hits = await ask(most)
    const nGuides = hits.reduce((sum, { url }) => sum + Number(!isApiPagePath(url)), 0)
    if (nGuides === hits.length) return hits.slice(0, limit)
    if (nGuides >= limit || nGuides === 0 || hits.length < most)
      return firstGuideAndApiHits(hits, limit)
  }
}

type Ranked = Hit & { score: number; collection: object; why: { api: number } }

/**
 * Ranks all pages of the API reference except the best one below the first `nGuides` guides of
 * their library. An unrelated page has a chunk for each name too, and several of them would take
 * the place of a guide. `ranked` is best first; scores are changed in place.
 */
export function keepBestApiPage(ranked: readonly Ranked[], nGuides: number): void {
  if (!ranked.some(({ url }) => isApiPagePath(url))) return
  for (const mine of Map.groupBy(ranked, (it) => it.collection).values()) {
    const pages = new Map(mine.toReversed().map((hit) => [hit.url, hit]))
    const best = [...pages.values()].sort((a, b) => b.score - a.score)
    const guides = best.filter(({ url }) => !isApiPagePath(url))
    const first = best.find(({ url }) => isApiPagePath(url))
    const most = (guides[nGuides - 1]?.score ?? Infinity) * 0.9999
    for (const hit of mine) {
      if (!isApiPagePath(hit.url) || hit.url === first?.url || hit.score <= most) continue
      hit.why.api *= most / hit.score
      hit.score = most
    }
  }
}

/**
 * True for a question about a fact (`is HTTP/2 enabled by default`, `which types does Eq support`),
 * false for a task (`enable HTTP/2`, `how do I compare`), a topic or an error message.
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
