import { describe, expect, test } from 'bun:test'
import type { Lanes } from '../../src/search/lanes.ts'
import { rank, type RankQuery } from '../../src/search/rank.ts'

/** Chunks of both lanes, `page/number score`, best first; a page's name is its letter. */
function check(
  lanes: { text?: string[]; vector?: string[] },
  expected: string[],
  query: Partial<RankQuery> = {},
) {
  const candidates = (found: string[] = []) =>
    found.map((each) => {
      const [key = '', score] = each.split(' ')
      const url = key.split('/')[0]!
      return { key, url, rowId: 0n, generationIndex: 0, score: Number(score), share: 1 }
    })
  const given: Lanes = {
    byText: candidates(lanes.text).map((each) => ({
      ...each, bm25: each.score, pageBm25: null,
    })),
    byVector: candidates(lanes.vector).map((each) => ({
      ...each, cosine: each.score, pageCosine: null,
    })),
  }
  const isChangelog: RankQuery['isChangelog'] = ({ url }) => url === 'log'
  const text = 'three words here'
  const ranked = rank(given, { text, isHybrid: true, isChangelog, ...query })
  expect(ranked.map(({ key }) => key)).toEqual(expected)
  for (const { score, why } of ranked) {
    const points = (why.fullText?.points ?? 0) + (why.vector?.points ?? 0)
    const own = points * why.changelog
    expect(score).toBeCloseTo((own + why.evidence) * why.repeated, 9)
  }
  return ranked
}

test('what both lanes have comes first, then what one is surer of', () => {
  check(
    { text: ['a/1 9', 'b/1 8'], vector: ['c/1 0.8', 'b/1 0.75', 'd/1 0.74'] },
    ['b/1', 'a/1', 'c/1', 'd/1'],
  )
})

test('one lane alone keeps its order', () => {
  const found = ['a/1 9', 'b/1 8', 'b/2 7', 'a/2 1']
  check({ text: found }, ['a/1', 'b/1', 'b/2', 'a/2'], { isHybrid: false })
})

test('a page with several good chunks comes first, and shows its second after others', () => {
  const text = ['a/1 9', 'b/1 8.5', 'b/2 8.4', 'c/1 7']
  const [best, , , last] = check({ text }, ['b/1', 'a/1', 'c/1', 'b/2'])
  expect(best!.why.evidence).toBeGreaterThan(0)
  expect(last!.why.repeated).toBeLessThan(1)
})

describe('release notes', () => {
  const text = ['log/1 9', 'a/1 8']
  test('come later', () => {
    const [, log] = check({ text }, ['a/1', 'log/1'])
    expect(log!.why.changelog).toBeLessThan(1)
  })
  test('unless they are asked for', () => {
    for (const asked of ['what is new in it', 'breaking changes', 'behaviour of 0.106.0']) {
      check({ text }, ['log/1', 'a/1'], { text: asked })
    }
  })
})

test('each lane says how it found a chunk', () => {
  const [both, , textOnly] = check(
    { text: ['a/1 9', 'b/1 6'], vector: ['c/1 0.8', 'a/1 0.75'] },
    ['a/1', 'c/1', 'b/1'],
  )
  expect(both!.why.fullText).toEqual({ rank: 1, score: 9, pageScore: null, points: 0.5 })
  expect(both!.why.vector).toMatchObject({ rank: 2, cosine: 0.75, pageCosine: null })
  expect(textOnly!.why.vector).toBeNull()
})
