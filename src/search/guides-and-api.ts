import { isApiPagePath } from '../api/api-path.ts'

type Hit = { url: string }

/**
 * The hits by which the others are measured: those on guides. The API reference has a chunk for
 * each name, so its chunks would fill a lane and change how guides rank among themselves. Without
 * guides, the hits of the API reference measure themselves.
 */
export function guideHits<H extends Hit>(hits: readonly H[]): readonly H[] {
  const guides = hits.filter(({ url }) => !isApiPagePath(url))
  return guides.length > 0 ? guides : hits
}

/** The first `limit` hits on guides, and as many of the API reference, in their order. */
export function firstGuideAndApiHits<H extends Hit>(hits: readonly H[], limit: number): H[] {
  let [guides, api] = [limit, limit]
  return hits.filter(({ url }) => (isApiPagePath(url) ? api-- > 0 : guides-- > 0))
}

/**
 * Asks for hits until `limit` of them are on guides, or no more are found. A library without an API
 * reference is asked once.
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
