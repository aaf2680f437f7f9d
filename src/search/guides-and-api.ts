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
    if (nGuides >= limit || nGuides === 0 || hits.length < most)
      return firstGuideAndApiHits(hits, limit)
  }
}
