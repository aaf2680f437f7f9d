/** Any gold page answers the question; the order of `gold` does not matter. */
export type Question = { id: string; question: string; gold: string[] }

export type Metrics = {
  ndcg10: number
  mrr10: number
  hit1: number
  hit5: number
  hit10: number
  recall10: number
}

/** Pages in the order of their best hit, each once. */
export function pageRanking(hitPages: string[]): string[] {
  return [...new Set(hitPages)]
}

/** Binary gain, cut at 10; the ideal has min(gold pages, 10) of them. */
export function metrics(gold: string[], ranking: string[]): Metrics {
  const top = ranking.slice(0, 10)
  const gains = top.map((page) => (gold.includes(page) ? 1 : 0))
  const dcg = gains.reduce((sum: number, gain, i) => sum + gain / Math.log2(i + 2), 0)
  let ideal = 0
  for (let i = 0; i < Math.min(gold.length, 10); i++) ideal += 1 / Math.log2(i + 2)
  const first = gains.indexOf(1)
  const hit = (depth: number) => (first >= 0 && first < depth ? 1 : 0)
  return {
    ndcg10: dcg / ideal,
    mrr10: first < 0 ? 0 : 1 / (first + 1),
    hit1: hit(1),
    hit5: hit(5),
    hit10: hit(10),
    recall10: gains.filter((gain) => gain === 1).length / gold.length,
  }
}

/** Means over all questions, and a 95 % bootstrap interval of nDCG@10. */
export function meanMetrics(questions: Question[], rankings: string[][]) {
  const all = questions.map(({ gold }, i) => metrics(gold, rankings[i] as string[]))
  const mean = (name: keyof Metrics) => average(all.map((each) => each[name]))
  return {
    ndcg10: mean('ndcg10'),
    ndcg10Interval: bootstrap(all.map((each) => each.ndcg10)),
    mrr10: mean('mrr10'),
    hit1: mean('hit1'),
    hit5: mean('hit5'),
    hit10: mean('hit10'),
    recall10: mean('recall10'),
  }
}

function average(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Percentile bootstrap (Efron 1979), 1,000 resamples, with a fixed random sequence. */
function bootstrap(values: number[]): [number, number] {
  let state = 1
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647
  const means = Array.from({ length: 1000 }, () =>
    average(values.map(() => values[Math.floor(random() * values.length)] as number)),
  ).sort((a, b) => a - b)
  return [means[25] as number, means[974] as number]
}
