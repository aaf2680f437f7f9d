import type { Hit } from '../library/library.ts'
import { closesFence, parseFence, type Fence } from '../page/markdown/fence.ts'
import { cutToTokens, tokensOf } from '../platform/tokens.ts'

/** Hits asked for where a number of tokens is given and none of hits: as many as fit. */
export const hitsToFill = 20

/**
 * Fills a number of tokens with whole hits, the best first: one that is too long is passed over
 * for those after it. Where the best one alone is too long, the beginning of it. `render` is what
 * is counted; `frame` tokens are spent on what stands around the hits.
 */
export function fittingHits(
  hits: readonly Hit[],
  render: (hit: Hit) => string,
  { maxTokens, frame }: { maxTokens: number; frame: number },
): Hit[] {
  let left = maxTokens - frame
  const [best] = hits
  if (best === undefined) return []
  if (tokensOf(render(best)) > left) {
    const room = left - tokensOf(render({ ...best, text: '' }))
    return [{ ...best, text: beginningOf(best.text, Math.max(1, room)) || leftOut }]
  }
  const fitting = hits.filter((hit) => {
    const size = tokensOf(render(hit))
    if (size > left) return false
    left -= size
    return true
  })
  return fitting.map((hit, i) => ({ ...hit, rank: i + 1 }))
}

/** Where not one word fits. */
const leftOut = '[…]'

/** Cut at a line, or else between words; code that the cut left open is closed. */
function beginningOf(text: string, maxTokens: number): string {
  const cut = cutToTokens(text, maxTokens)
  const fence = openFence(cut)
  if (fence === null) return cut
  const closing = fence.mark.repeat(fence.length)
  const shorter = cutToTokens(text, maxTokens - tokensOf(`\n${closing}`) - 1)
  return openFence(shorter) ? `${shorter.trimEnd()}\n${closing}` : shorter
}

function openFence(text: string): Fence | null {
  let open: Fence | null = null
  for (const line of text.split('\n')) {
    if (open === null) open = parseFence(line)
    else if (closesFence(open, line)) open = null
  }
  return open
}
