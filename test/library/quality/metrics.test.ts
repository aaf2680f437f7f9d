import { expect, test } from 'bun:test'
import {
  meanMetrics,
  metrics,
  pageRanking,
  type Metrics,
} from '../../../src/library/quality/evaluate.ts'

function check(gold: string[], ranking: string[], expected: Partial<Metrics>) {
  const found = metrics(gold, ranking)
  for (const [name, value] of Object.entries(expected)) {
    expect(found[name as keyof Metrics]).toBeCloseTo(value, 4)
  }
}

test('computes the metrics of one question', () => {
  check(['a'], ['a', 'b'], { ndcg10: 1, mrr10: 1, hit1: 1, hit5: 1, recall10: 1 })
  // 1 / log2(3)
  check(['b'], ['a', 'b'], { ndcg10: 0.6309, mrr10: 0.5, hit1: 0, hit5: 1, hit10: 1 })
  // (1 + 1 / log2(4)) / (1 + 1 / log2(3))
  check(['a', 'c'], ['a', 'b', 'c'], { ndcg10: 0.9197, recall10: 1 })
  check(['a', 'z'], ['a'], { ndcg10: 0.6131, recall10: 0.5 })
  check(['z'], ['a'], { ndcg10: 0, mrr10: 0, hit10: 0, recall10: 0 })
})

test('ignores pages after the tenth', () => {
  const pages = Array.from({ length: 12 }, (_, i) => `p${i}`)
  check(['p10'], pages, { ndcg10: 0, mrr10: 0, hit10: 0 })
  check(['p5'], pages, { hit5: 0, hit10: 1, mrr10: 1 / 6 })
})

test('counts a page only once, at its best rank', () => {
  expect(pageRanking(['a', 'b', 'a', 'c', 'b'])).toEqual(['a', 'b', 'c'])
})

test('computes means and their confidence intervals', () => {
  const questions = ['a', 'b'].map((page) => ({ id: page, question: page, gold: [page] }))
  const found = meanMetrics(questions, [['a'], ['a', 'b']])
  expect(found).toMatchObject({ mrr10: 0.75, hit1: 0.5, hit5: 1, hit5Interval: [1, 1] })
  expect(found.mrr10Interval).toEqual([0.5, 1])
})
