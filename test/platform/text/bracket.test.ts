import { expect, test } from 'bun:test'
import { closingBracket } from '../../../src/platform/text/bracket.ts'

test('finds the bracket that closes another one', () => {
  expect(closingBracket('a[b[c](d]', 1)).toBe(8)
  expect(closingBracket('f(a[)]', 1, { pair: '()' })).toBe(4)
  expect(closingBracket('[[]', 0)).toBe(-1)
  expect(closingBracket('[ab]', 0, { limit: 3 })).toBe(-1)
})
