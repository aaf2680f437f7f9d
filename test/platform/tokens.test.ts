import { expect, test } from 'bun:test'
import { cutToTokens, estimateTokens } from '../../src/platform/tokens.ts'

test('counts three bytes of UTF-8 as a token, rounding up', () => {
  const check = (text: string, tokens: number) => expect(estimateTokens(text)).toBe(tokens)
  check('', 0)
  check('ab', 1)
  check('abcd', 2)
  check('漢字', 2)
})

test('cuts at a line if there is one', () => {
  expect(cutToTokens('one\ntwo\nthree', 3)).toBe('one\ntwo\n')
  expect(cutToTokens('# Title\n\nwords that follow', 6)).toBe('# Title\n\nwords')
  expect(cutToTokens('short', 2)).toBe('short')
})

test('cuts only between words, and leaves no heading or list marker without text', () => {
  const check = (text: string, tokens: number, expected: string) =>
    expect(cutToTokens(text, tokens)).toBe(expected)
  check('abcdefghij', 2, '')
  check('abc defghij', 2, 'abc')
  check('abc defghij', 1, 'abc')
  check('## Middleware and more', 1, '')
  check('## Middleware and more', 5, '## Middleware')
  check('text\tand\u00a0more words', 4, 'text\tand')
  check('- one\n- two and three', 3, '- one\n')
  check('1. one', 1, '')
  check('漢字漢字', 2, '漢字')
  check('a 😀😀😀', 2, 'a')
})
