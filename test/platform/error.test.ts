import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  escapeControls,
  fullMessageOf,
  hasControls,
  messageOf,
  OgError,
  reasonOf,
} from '../../src/platform/error.ts'

function check(text: string, expected: string): void {
  expect(escapeControls(text)).toBe(expected)
}

test('returns the reason of a system error without its code and path', () => {
  const error = (() => {
    try {
      return readFileSync('/nowhere/a, b')
    } catch (thrown) {
      return thrown
    }
  })()
  expect(messageOf(error)).toBe('no such file or directory')
  expect(fullMessageOf(error)).toBe("ENOENT: no such file or directory, open '/nowhere/a, b'")
  expect(messageOf(new Error('EPIPE: a, b'))).toBe('EPIPE: a, b')
  expect(messageOf('text')).toBe('text')
})

test('escapes terminal control characters', () => {
  check('a\x1b]0;title\x07b', 'a\\u001b]0;title\\u0007b')
  check('one\rtwo\0\x7f\x9b2J', 'one\\u000dtwo\\u0000\\u007f\\u009b2J')
  check('a\u202eb\u2066c\u2069', 'a\\u202eb\\u2066c\\u2069')
})

test('escapes invisible characters', () => {
  check('a\u200bb\u200e\u200f\u2060\ufeffc', 'a\\u200bb\\u200e\\u200f\\u2060\\ufeffc')
  check('pass\u200cword\u200d', 'pass\\u200cword\\u200d')
  check('a\u{e0041}b', 'a\\udb40\\udc41b')
  expect(JSON.parse(escapeControls('"\u{e0041}"'))).toBe('\u{e0041}')
  expect(['a\u200bb', 'a\u200db', 'a\u{e0041}'].map(hasControls)).toEqual([true, true, true])
})

test('keeps joiners in emoji and in scripts that need them', () => {
  const text = '👩‍👧 🏳️‍🌈 👩🏽‍🚀 می‌خواهم क्‍ष'
  check(text, text)
})

test('keeps lines, CRLF, tabs and every language', () => {
  const text = 'one\r\n\ttwo 日本語 🦫 é שלום مرحبا \\x1b'
  check(text, text)
})

test('escapes JSON without changing its meaning', () => {
  const value = ['\x1b\x7f\x9b', 'a\\\x7f', '\u202e\r\n']
  const text = escapeControls(JSON.stringify(value))
  expect(text).not.toMatch(/[\u007f-\u009f\u202e]/)
  expect(JSON.parse(text)).toEqual(value)
})

test('escapes every text in an error', () => {
  const error = new OgError('Cannot read "\x1b[31m"', { hint: 'try \u202e' })
  expect(error.message).toBe('Cannot read "\\u001b[31m"')
  expect(error.hint).toBe('try \\u202e')
  expect(new OgError('x').hint).toBeUndefined()
})

test('returns the reason of an error without the failed action and its object', () => {
  const error = new OgError('Cannot read "a": it is \x1b', { reason: 'it is \x1b' })
  expect(reasonOf(error)).toBe('it is \\u001b')
  expect(reasonOf(new OgError('Cannot read it'))).toBe('Cannot read it')
  expect(reasonOf(new Error('torn'))).toBe('torn')
  expect([error.code, new OgError('x', { code: 'denied' }).code]).toEqual(['failed', 'denied'])
})
