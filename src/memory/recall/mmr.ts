/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): picks the item with the highest
 * `lambda` × relevance − (1 − lambda) × similarity to the picked items, `limit` times. Scores are
 * divided by the best one, so that relevance and similarity are both at most 1. `nearness` is a
 * cosine; negative values count as 0.
 */
export function diversify<Item extends { score: number }>(
  items: Item[],
  options: { lambda: number; limit: number; nearness: (a: Item, b: Item) => number },
): Item[] {
  const { lambda, limit, nearness } = options
  const best = Math.max(...items.map(({ score }) => score))
  const left = items.map((item) => ({ item, relevance: item.score / best, nearest: 0 }))
  const picked: Item[] = []
  while (left.length > 0 && picked.length < limit) {
    const worth = left.map(({ relevance, nearest }) => lambda * relevance - (1 - lambda) * nearest)
    const [next] = left.splice(worth.indexOf(Math.max(...worth)), 1)
    picked.push(next!.item)
    for (const other of left) {
      other.nearest = Math.max(other.nearest, nearness(other.item, next!.item))
    }
  }
  return picked
}
