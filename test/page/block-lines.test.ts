import { expect, test } from 'bun:test'
import { asTitle, columnsBefore, withoutColumns } from '../../src/page/block-lines.ts'

test('counts and removes the indentation of a line', () => {
  expect(columnsBefore('  a')).toBe(2)
  expect(columnsBefore('\ta')).toBe(4)
  expect(columnsBefore('  ')).toBe(Infinity)
  expect(withoutColumns('    a', 2)).toBe('  a')
  expect(withoutColumns(' a', 4)).toBe('a')
  expect(withoutColumns('\t\ta', 4)).toBe('    a')
})

test('turns a directive name into a title', () => {
  expect(asTitle('see-also')).toBe('See also')
  expect(asTitle('')).toBe('')
})
