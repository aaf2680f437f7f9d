import { expect, test } from 'bun:test'
import { styledLine, plainText } from '../../../src/cli/span.ts'
import { wrapLine, wrapText } from '../../../src/cli/screen/layout.ts'

test('wraps at spaces and gives a long word its own line', () => {
  expect(wrapText('one two three', 7)).toBe('one two\nthree')
  expect(wrapText('a wordlongerthanwide b', 6)).toBe('a\nwordlongerthanwide\nb')
  expect(wrapText('one two three', 8, '  ')).toBe('one two\n  three')
  expect(wrapText('', 5)).toBe('')
})

test('keeps a word that has several styles on one line', () => {
  const spans = [...styledLine('see '), ...styledLine('bold', 'strong'), ...styledLine('ly said')]
  expect(wrapLine(spans, 9).map(plainText)).toEqual(['see', 'boldly', 'said'])
  expect(wrapLine(spans, 6)[1]![0]).toMatchObject({ text: 'bold', style: 'strong' })
})
