import { expect, test } from 'bun:test'
import { isCovered } from '../../src/search/coverage.ts'

type Options = { rare?: string[]; isStrict?: boolean }

/** `expected` is the largest share that the texts cover. */
function check(query: string, texts: string[], expected: number, options: Options = {}) {
  const { rare = [], isStrict = false } = options
  const weight = (term: string) => (rare.includes(term) ? 3 : 1)
  const upTo = (share: number) => isCovered(query, texts, { share, weight, isStrict })
  expect([upTo(expected - 0.01), upTo(expected + 0.01)]).toEqual([true, false])
}

test('measures the share of content words in the best text', () => {
  check('how to trim the wick of a lamp', ['a lamp', 'trim a wick'], 2 / 3)
  check('trim a wick', [], 0)
  check('trim a wick', ['nothing'], 0)
})

test('rejects an empty query unless the required share is 0', () => {
  const weight = () => 1
  expect(isCovered('', ['anything'], { share: 0.5, weight, isStrict: false })).toBe(false)
  expect(isCovered('a wick', [], { share: 0, weight, isStrict: true })).toBe(true)
})

test('gives rare words a higher weight', () => {
  check('trim the wick of a lamp', ['trim a lamp', 'trim it'], 2 / 5, { rare: ['wick'] })
  check('trim the wick of a lamp', ['the wick'], 3 / 5, { rare: ['wick'] })
})

test('counts mistyped and half-remembered names by their similarity', () => {
  check('findByIdAndUpdate', ['findOneAndUpdate'], 0.607)
  check('permision', ['the permission'], 10 / 11)
  check('banana', ['bananana'], 10 / 12)
  check('lamp', ['lamb'], 0)
  check('deployment', ['development'], 0)
})

test('does not count part of a name as the name in strict mode', () => {
  check('$limit', ['a limit'], (1 + 8 / 9) / 2)
  check('$limit', ['a limit'], 1 / 2, { isStrict: true })
  check('addFields', ['add a field'], 2 / 3, { isStrict: true })
  check('findbyidandupdate', ['findOneAndUpdate'], 0.64, { isStrict: true })
})
