import { describe, expect, test } from 'bun:test'
import { termsOfName, nameLikeness } from '../../../src/search/name/name.ts'

describe('few words that tell are a name', () => {
  function check(text: string, expected: string | null) {
    test(text, () => expect(termsOfName(text)?.join(' ') ?? null).toBe(expected))
  }
  check('map', 'map')
  check('$lookup', '$lookup lookup')
  check('web worker', 'web worker')
  check('what is the raylet?', 'raylet')
  check('if', 'if')
  check('how to deploy on a cluster in docker', null)
  check('app.include_router prefix tags', null)
})

describe('a name is likest to itself', () => {
  function check(asked: string, names: string[], expected: number) {
    const likeness = nameLikeness(
      asked.split(' '),
      names.map((name) => name.split(' ')),
    )
    expect(likeness).toBeCloseTo(expected, 6)
  }
  test('all of it', () => check('map', ['map'], 1))
  test('in any order', () => check('worker web', ['web worker'], 1))
  test('less, where there is more', () => check('map', ['mapreduc map reduc'], 0.5))
  test('the nearer of several', () => check('map', ['$map map aggreg', 'map'], 1))
  test('not at all', () => check('map', ['reduc', ''], 0))
  test('of no name', () => check('map', [], 0))
})
