import { expect, test } from 'bun:test'
import { findOpeningBracket, cachedIndexOf } from '../../src/document/seek.ts'

test('returns the same as indexOf, in any order of calls', () => {
  const text = 'a--b--c'
  for (const order of [
    [0, 1, 2, 3, 5, 6, 7],
    [6, 0, 5, 1, 4],
    [7, 7, 0],
  ]) {
    const next = cachedIndexOf(text, '--')
    for (const from of order) expect(next(from)).toBe(text.indexOf('--', from))
  }
})

const check = (text: string, expected: number) =>
  expect(findOpeningBracket(text, ['{', '}'])).toBe(expected)

test('finds the opening bracket of a pair that ends the text', () => {
  check('a {b}', 2)
  check('a {b} {c}', 6)
  check('{{a}', 0)
  check('{}', 0)
  for (const text of ['', '}', 'a}', 'a {b} c', '{a', '{a}}']) check(text, -1)
})
