import { describe, expect, test } from 'bun:test'
import { addPageEvidence, fuseRanks } from '../../src/search/fuse.ts'

describe('ranks are fused', () => {
  /** Lanes as words of one letter; the order that comes out. */
  function check(lanes: string[], expected: string, weights = lanes.map(() => 1)) {
    const given = lanes.map((lane, i) => ({ weight: weights[i]!, ids: [...lane] }))
    expect(fuseRanks(given, 60).map(({ id }) => id).join('')).toBe(expected)
  }

  test('what several lanes have goes before what one has', () => {
    check(['abc', 'dbe'], 'badce')
    check(['abc', 'abc'], 'abc')
  })

  test('an empty lane changes nothing', () => {
    check(['abc', ''], 'abc')
    check(['', ''], '')
    check([], '')
  })

  test('ties keep the order of first sight', () => check(['ab', 'cd'], 'acbd'))

  test('weights count', () => check(['ab', 'cd'], 'cdab', [0.5, 1]))

  test('scores are those of the formula', () => {
    const lanes = [{ weight: 1, ids: ['a', 'b'] }, { weight: 2, ids: ['b'] }]
    const scores = [{ id: 'b', score: 1 / 12 + 2 / 11 }, { id: 'a', score: 1 / 11 }]
    expect(fuseRanks(lanes, 10)).toEqual(scores)
  })
})

describe('a page is known by its chunks', () => {
  /** Chunks named by page and number, with their scores; what comes out. */
  function check(scored: Record<string, number>, expected: Record<string, number>) {
    const chunks = Object.entries(scored).map(([name, score]) => ({ name, score }))
    const ranked = addPageEvidence(chunks, {
      page: ({ name }) => name[0]!,
      decay: 0.5,
      depth: 5,
    })
    expect(ranked).toEqual(Object.entries(expected).map(([name, score]) => ({ name, score })))
    expect(chunks).toEqual(Object.entries(scored).map(([name, score]) => ({ name, score })))
  }

  test('its best chunk gains a share of the others, each next one less', () => {
    check({ a1: 10, b1: 9, b2: 8, b3: 5, c1: 1 }, { b1: 13.5, a1: 10, b2: 8, b3: 5, c1: 1 })
  })

  test('what is no better than the last candidate that counts adds nothing', () => {
    check({ a1: 9, b1: 8, b2: 3, b3: 3 }, { a1: 9, b1: 8, b2: 3, b3: 3 })
    check({ a1: 9, b1: 8, b2: 6, c1: 5, c2: 4, b3: 3 }, {
      a1: 9, b1: 9, b2: 6, c1: 5, c2: 4, b3: 3,
    })
  })

  test('one chunk a page changes nothing', () => check({ a1: 2, b1: 1 }, { a1: 2, b1: 1 }))

  test('nothing stays nothing', () => check({}, {}))
})
