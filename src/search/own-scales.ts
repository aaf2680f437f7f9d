import type { Collection } from './collection.ts'
import { weights } from './weights.ts'

/** Of longer queries the first terms tell a library, and so many of its best pages. */
const most = { terms: 64, pages: 20 }
/** No term is rarer than one that stands nowhere. */
const least = 0.001

/**
 * For each collection, how much of the query one of its pages holds, as a share of the collection
 * with most. Hits of two collections are compared by this share and not by BM25, which is higher
 * the more chunks a collection has. A term counts more the fewer pages hold it, and each collection
 * has the same say in that. `lists` holds the best chunks of each, best first.
 */
export async function knownShares(
  collections: readonly Pick<Collection, 'open'>[],
  terms: readonly string[],
  lists: readonly (readonly { url: string }[])[],
): Promise<number[]> {
  if (collections.length <= 1) return collections.map(() => 1)
  const indexes = await Promise.all(collections.map(({ open }) => open.pageIndex()))
  const present = indexes.filter((pages) => pages !== null)
  const weighed = terms.slice(0, most.terms).map((term) => {
    // The share of pages that hold it, of each; of such logarithms BM25's rarity is one.
    const shares = present.map((pages) =>
      (pages.knows(term) ? Math.exp(-pages.rarity(term)) : 0))
    return { term, weight: -Math.log(Math.max(least, Math.min(1, mean(shares)))) }
  })
  const held = indexes.map((pages, i) => {
    if (pages === null) return null
    const urls = [...new Set(lists[i]!.map(({ url }) => url))].slice(0, most.pages)
    const ofTerms = weighed.map(({ term, weight }) => ({ weight, of: pages.fullText([term]) }))
    const sums = urls.map((url) =>
      ofTerms.reduce((sum, { weight, of }) => sum + (of(url) ? weight : 0), 0))
    return Math.max(0, ...sums)
  })
  const best = Math.max(0, ...held.map((sum) => sum ?? 0))
  // Of what tells nothing of its pages nothing is known, and it counts like the best.
  return held.map((sum) => (sum === null || best === 0 ? 1 : sum / best))
}

/**
 * For each collection, the share that its best cosine is worth: 1 for the best of all, 0 for what
 * is `span` below. Before they are compared, cosines are mapped to a mean collection by the
 * `Calibration` of each; a collection that was not measured counts as a mean one. `best` is null
 * where nothing was found.
 */
export function nearShares(
  collections: readonly Pick<Collection, 'open'>[],
  best: readonly (number | null)[],
): number[] {
  const scales = collections.map(({ open }) => open.generation.calibration)
    .map((it) => (it !== undefined && it.own > it.foreign ? it : null))
  const measured = scales.filter((it) => it !== null)
  const foreign = mean(measured.map((it) => it.foreign))
  const own = mean(measured.map((it) => it.own))
  const moved = best.map((cosine, i) => {
    const scale = scales[i]
    if (cosine === null || !scale) return cosine
    return foreign + ((cosine - scale.foreign) * (own - foreign)) / (scale.own - scale.foreign)
  })
  const most = Math.max(...moved.map((cosine) => cosine ?? -Infinity))
  return moved.map((cosine) => Math.max(0, 1 - (most - (cosine ?? -Infinity)) / weights.span))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
