import { expect, test } from 'bun:test'
import { linesInRange, parseLineRange } from '../../src/cli/arguments.ts'

function check(text: string, range: string, expected: string | null): void {
  expect(linesInRange(text, parseLineRange(range))).toBe(expected)
}

test('returns lines with their endings, both bounds inclusive', () => {
  check('a\nb\nc\n', '1-1', 'a\n')
  check('a\nb\nc\n', '2-3', 'b\nc\n')
  check('a\nb\nc', '2-3', 'b\nc')
  check('a\nb\nc', '3', 'c')
  check('a\nb\nc', '2-', 'b\nc')
  check('a\nb\nc', '2-99', 'b\nc')
  check('a\n\nc', '2', '\n')
})

test('returns null for lines past the end', () => {
  check('a\nb\n', '3', null)
  check('a\nb', '3', null)
})

test('returns single lines that together form the whole text', () => {
  for (const text of ['a\nb\n\nc', 'x\n', '\n\n', 'one']) {
    const line = (_: string, i: number) => linesInRange(text, { first: i + 1, last: i + 1 }) ?? ''
    expect(text.split('\n').map(line).join('')).toBe(text)
  }
})

test('rejects an invalid range of lines', () => {
  for (const odd of ['', '0', '0-3', '9-3', '-3', 'a-b', '1-2-3', '1.5', ' 1']) {
    expect(() => parseLineRange(odd)).toThrow(`Cannot use "${odd}" for --lines`)
  }
})
