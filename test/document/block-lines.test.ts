import { expect, test } from 'bun:test'
import {
  dedent,
  indentOf,
  indentColumns,
  removeIndent,
  toTitle,
} from '../../src/document/block-lines.ts'

test('measures and removes the indentation of a line', () => {
  expect(indentColumns('  a')).toBe(2)
  expect(indentColumns('\ta')).toBe(4)
  expect(indentColumns('  ')).toBe(Infinity)
  expect(removeIndent('    a', 2)).toBe('  a')
  expect(removeIndent(' a', 4)).toBe('a')
  expect(removeIndent('\t\ta', 4)).toBe('    a')
})

test('turns a directive name into a title', () => {
  expect(toTitle('see-also')).toBe('See also')
  expect(toTitle('')).toBe('')
})

test('removes shared indentation, ignoring blank lines', () => {
  expect(dedent(['    a', '', '      b'])).toEqual(['a', '', '  b'])
  expect(dedent(['', ''])).toEqual(['', ''])
  expect(indentOf('  a')).toBe(2)
})
