type Scored = { score: number }
type Share = (score: number) => number

/**
 * The best is worth 1, nothing what the `depth`-th best candidate has, and what is `span` below the
 * best, so that the best of a dozen chunks are not spread over all of 0 to 1. Best first.
 */
export function shareAboveRest(
  found: readonly Scored[],
  { depth, span }: { depth: number; span: number },
): Share {
  const best = found[0]?.score ?? 0
  const zero = Math.max(found[depth - 1]?.score ?? -Infinity, best - span)
  return (score) => (best > zero ? Math.max(0, score - zero) / (best - zero) : 1)
}

type Explained = { score: number; why: { evidence: number; repeated: number } }
type PageOf<Chunk> = (chunk: Chunk) => string

/**
 * Several good chunks speak for their page: its best chunk gains these shares of the scores of the
 * next ones. `ranked` is best first; scores are changed in place.
 */
export function addPageEvidence<Chunk extends Explained>(
  ranked: readonly Chunk[],
  { page, shares }: { page: PageOf<Chunk>; shares: readonly number[] },
): void {
  for (const [best, ...others] of byPage(ranked, page)) {
    shares.forEach((share, i) => {
      best!.why.evidence += share * Math.max(0, others[i]?.score ?? 0)
    })
    best!.score += best!.why.evidence
  }
}

/**
 * Several pages answer better than one several times: each further chunk of a page counts `factor`
 * times less. `ranked` is best first; scores are changed in place.
 */
export function spreadPages<Chunk extends Explained>(
  ranked: readonly Chunk[],
  { page, factor }: { page: PageOf<Chunk>; factor: number },
): void {
  for (const chunks of byPage(ranked, page)) {
    chunks.forEach((chunk, i) => {
      if (i === 0 || chunk.score <= 0) return
      chunk.why.repeated = factor ** i
      chunk.score *= chunk.why.repeated
    })
  }
}

function byPage<Chunk>(ranked: readonly Chunk[], page: PageOf<Chunk>): Iterable<Chunk[]> {
  return Map.groupBy(ranked, page).values()
}
