import { expect, test } from 'bun:test'
import { parseStringLiteral } from '../../../src/api/python/python-string.ts'

test('joins literals and resolves escapes, except in raw strings', () => {
  expect(parseStringLiteral(String.raw`"a\n" 'b\'' r"\d" """c"d"""`)).toBe('a\nb\'\\dc"d')
  expect(parseStringLiteral('"\\x41\\u00e9"')).toBe('Aé')
})

test('rejects f-strings and bytes', () => {
  expect(parseStringLiteral('f"{a}"')).toBeNull()
  expect(parseStringLiteral('b"a"')).toBeNull()
})
