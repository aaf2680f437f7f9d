import { queryTerms, terms } from '../../chunk/terms.ts'

/** What an entry has to reach so that it is shown: docs/internals/memory.md has the figures. */
export type Floor = {
  /** From this cosine on an entry is about a query; null: any that the embedder found. */
  minCosine: number | null
}

/** From this share of what was asked for by words on, an entry is about it. */
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
 * A search finds the best of what there is, however far it is. This says of what was found whether
 * it has the name or enough of the words asked for, or is near enough. Where a memory has few
 * entries, `textScore` is small whatever they say, so words are counted too.
 */
export function floorFor(
  query: string,
  { minCosine }: Floor,
): (hit: ScoredEntry) => boolean {
  const queried = queryTerms(query, maxTerms)
  const isSaid = ({ text, heading, tags, textScore }: ScoredEntry) => {
    if (textScore >= minTextScore) return true
    if (textScore === 0) return false
    const held = new Set(terms([heading, ...tags, text].join('\n')))
    return queried.filter((term) => held.has(term)).length >= minTextScore * queried.length
  }
  return (hit) =>
    hit.named !== null
    || hit.vectorScore > 0 && hit.vectorScore >= (minCosine ?? 0)
    || isSaid(hit)
}

/** As many as full text asks for. */
const maxTerms = 64
