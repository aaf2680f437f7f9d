import type { Hit } from '../library/library.ts'
import { closesFence, parseFence, type Fence } from '../page/markdown/fence.ts'
import { cutToTokens, tokensOf } from '../platform/tokens.ts'

/** Number of hits requested if the caller gives a token budget but no limit. */
export const hitsToFill = 20

/**
 * Fills a token budget with whole hits, best first, and skips hits that are too long. If even the
 * best hit is too long, only its beginning is returned. `render` returns the text whose tokens are
 * counted; `frame` is the number of tokens around the hits.
 */
export function selectHits(
  hits: readonly Hit[],
  render: (hit: Hit) => string,
  { maxTokens, frame }: { maxTokens: number; frame: number },
): Hit[] {
  let left = maxTokens - frame
  const [best] = hits
  if (best === undefined) return []
  if (tokensOf(render(best)) > left) {
    const room = left - tokensOf(render({ ...best, text: '' }))
    return [{ ...best, text: cutHit(best.text, Math.max(1, room)) || nothingFits }]
  }
  const fitting = hits.filter((hit) => {
    const size = tokensOf(render(hit))
    if (size > left) return false
    left -= size
    return true
  })
  return fitting.map((hit, i) => ({ ...hit, rank: i + 1 }))
}

/** Shown if not even one word fits. */
const nothingFits = '[…]'

/** Cuts at a line end, or else between words, and closes a code fence that is left open. */
function cutHit(text: string, maxTokens: number): string {
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
