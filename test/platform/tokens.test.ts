import { expect, test } from 'bun:test'
import { cutToTokens, tokensOf } from '../../src/platform/tokens.ts'

test('a token is three bytes of UTF-8, a begun one counts', () => {
  const check = (text: string, tokens: number) => expect(tokensOf(text)).toBe(tokens)
  check('', 0)
  check('ab', 1)
  check('abcd', 2)
  check('漢字', 2)
})

test('a cut is at a line where there is one', () => {
  expect(cutToTokens('one\ntwo\nthree', 3)).toBe('one\ntwo\n')
  expect(cutToTokens('abcdefghij', 2)).toBe('abcdef')
  expect(cutToTokens('short', 2)).toBe('short')
})
