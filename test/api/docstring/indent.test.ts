import { expect, test } from 'bun:test'
import { dedent, indentOf, trimBlankLines } from '../../../src/api/docstring/indent.ts'

test('removes the indentation that all lines except the first share', () => {
  expect(dedent('Lamp.\n\n    a\n      b  ')).toEqual(['Lamp.', '', 'a', '  b'])
  expect(indentOf('  a')).toBe(2)
  expect(trimBlankLines(['', 'a', '', 'b', ''])).toEqual(['a', '', 'b'])
})
