import { expect, test } from 'bun:test'
import { stringValue } from '../../../src/api/python/python-string.ts'

test('joins literals and resolves escapes, except in raw strings', () => {
  expect(stringValue(String.raw`"a\n" 'b\'' r"\d" """c"d"""`)).toBe('a\nb\'\\dc"d')
  expect(stringValue('"\\x41\\u00e9"')).toBe('Aé')
})

test('refuses formats and bytes', () => {
  expect(stringValue('f"{a}"')).toBeNull()
  expect(stringValue('b"a"')).toBeNull()
})
