import { expect, test } from 'bun:test'
import { OgError, reasonOf, spelt } from '../../src/platform/error.ts'

function check(text: string, expected: string): void {
  expect(spelt(text)).toBe(expected)
}

test('what steers a terminal is spelt out', () => {
  check('a\x1b]0;title\x07b', 'a\\x1b]0;title\\x07b')
  check('one\rtwo\0\x7f\x9b2J', 'one\\x0dtwo\\x00\\x7f\\x9b2J')
  check('a\u202eb\u2066c\u2069', 'a\\u202eb\\u2066c\\u2069')
})

test('lines, tabs and every language stay', () => {
  const text = 'one\n\ttwo 日本語 🦫 é שלום مرحبا \\x1b'
  check(text, text)
})

test('an error says so of whatever is put into it', () => {
  const error = new OgError('Cannot read "\x1b[31m"', { hint: 'try \u202e' })
  expect(error.message).toBe('Cannot read "\\x1b[31m"')
  expect(error.hint).toBe('try \\u202e')
  expect(new OgError('x').hint).toBeUndefined()
})

test('a reason is what stands behind the action and the object', () => {
  const error = new OgError('Cannot read "a": it is \x1b', { reason: 'it is \x1b' })
  expect(reasonOf(error)).toBe('it is \\x1b')
  expect(reasonOf(new OgError('Cannot read it'))).toBe('Cannot read it')
  expect(reasonOf(new Error('torn'))).toBe('torn')
  expect([error.code, new OgError('x', { code: 'denied' }).code]).toEqual(['failed', 'denied'])
})
