import { expect, test } from 'bun:test'
import { tokensOf } from '../../src/platform/tokens.ts'

test('a token is three bytes of UTF-8, a begun one counts', () => {
  const check = (text: string, tokens: number) => expect(tokensOf(text)).toBe(tokens)
  check('', 0)
  check('ab', 1)
  check('abcd', 2)
  check('漢字', 2)
})
