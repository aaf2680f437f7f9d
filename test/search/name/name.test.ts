import { describe, expect, test } from 'bun:test'
import { nameQueryTerms, nameLikeness } from '../../../src/search/name/name.ts'

describe('treats a few content words as a name', () => {
  function check(text: string, expected: string | null) {
    test(text, () => expect(nameQueryTerms(text)?.join(' ') ?? null).toBe(expected))
  }
  check('map', 'map')
  check('$lookup', '$lookup lookup')
  check('web worker', 'web worker')
  check('what is the raylet?', 'raylet')
  check('if', 'if')
  check('how to deploy on a cluster in docker', null)
  check('app.include_router prefix tags', null)
})

describe('nameLikeness', () => {
  function check(asked: string, names: string[], expected: number) {
    const likeness = nameLikeness(
      asked.split(' '),
      names.map((name) => name.split(' ')),
    )
    expect(likeness).toBeCloseTo(expected, 6)
  }
  test('returns 1 for the same name', () => check('map', ['map'], 1))
  test('ignores the order of words', () => check('worker web', ['web worker'], 1))
  test('returns a lower likeness for a longer name', () =>
    check('map', ['mapreduc map reduc'], 0.5))
  test('uses the most similar of several names', () => check('map', ['$map map aggreg', 'map'], 1))
  test('returns 0 if no word is in common', () => check('map', ['reduc', ''], 0))
  test('returns 0 if there are no names', () => check('map', [], 0))
})
