import { bootstrap, mean } from './bootstrap.ts'

/** A question and the pages that answer it: any of them is correct, in any order. */
export type Question = { id: string; question: string; gold: string[] }

/** Metrics of one ranking, or means over many; `mrr10` and `ndcg10` look at the first 10 places. */
export type Metrics = {
  ndcg10: number
  mrr10: number
  hit1: number
  hit5: number
  hit10: number
  recall10: number
}

/** Returns the pages ordered by their best hit, each once. */
export function pageRanking(hitPages: readonly string[]): string[] {
  return [...new Set(hitPages)]
}

/**
 * Computes the metrics of one question. nDCG (Järvelin and Kekäläinen 2002) with gain 1 for each
 * correct page; the ideal ranking has min(correct pages, 10) of them.
 */
export function metrics(gold: readonly string[], ranking: readonly string[]): Metrics {
  const gains = ranking.slice(0, 10).map((page) => (gold.includes(page) ? 1 : 0))
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

/** Returns means over all questions, and 95 % intervals for three of them. */
export function meanMetrics(questions: readonly Question[], rankings: readonly string[][]) {
  const all = questions.map(({ gold }, i) => metrics(gold, rankings[i] as string[]))
  const values = (name: keyof Metrics) => all.map((each) => each[name])
  return {
    ndcg10: mean(values('ndcg10')),
    ndcg10Interval: bootstrap(values('ndcg10')),
    mrr10: mean(values('mrr10')),
    mrr10Interval: bootstrap(values('mrr10')),
    hit1: mean(values('hit1')),
    hit5: mean(values('hit5')),
    hit5Interval: bootstrap(values('hit5')),
    hit10: mean(values('hit10')),
    recall10: mean(values('recall10')),
  }
}
