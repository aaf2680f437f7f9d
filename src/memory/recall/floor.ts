import { queryTerms, terms } from '../../chunk/terms.ts'

/** The least that an entry has to reach to be shown: docs/internals/memory.md has the figures. */
export type Floor = {
  /** The least cosine of an entry that is about a query; null: any that the embedder found. */
  minCosine: number | null
}

/** The least text score, and share of the query's terms, of an entry that is about a query. */
const minTextScore = 0.3

type ScoredEntry = {
  text: string
  heading: string
  tags: readonly string[]
  textScore: number
  vectorScore: number
  named: unknown
}

/**
 * A test of hits. A search finds the best of what there is, however far it is; a hit passes the
 * test if it holds the name that the query is, has enough of the words asked for, or is near
 * enough. Where a memory has few entries, `textScore` is small whatever they say, so words are
 * counted too.
 */
export function floorFor(query: string, { minCosine }: Floor): (hit: ScoredEntry) => boolean {
  const queried = queryTerms(query, maxTerms)
  const isSaid = ({ text, heading, tags, textScore }: ScoredEntry) => {
    if (textScore >= minTextScore) return true
    if (textScore === 0) return false
    const held = new Set(terms([heading, ...tags, text].join('\n')))
    return queried.filter((term) => held.has(term)).length >= minTextScore * queried.length
  }
  return (hit) =>
    hit.named !== null ||
    (hit.vectorScore > 0 && hit.vectorScore >= (minCosine ?? 0)) ||
    isSaid(hit)
}

/** The most terms of a query that count, as in full-text search. */
const maxTerms = 64
