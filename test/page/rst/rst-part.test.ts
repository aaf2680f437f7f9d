import { expect, test } from 'bun:test'
import { bodyEnd, dedent, linesOf } from '../../../src/page/rst/rst-part.ts'

const lines = ['.. note::', '', '     a', '   b', '', 'c']

test('ends a body before the next unindented line, without blank lines', () => {
  const part = { lines, from: 0, to: lines.length, cut: 0 }
  expect(bodyEnd(part, 0)).toBe(4)
})

test('removes the common indentation of a part', () => {
  expect(linesOf(dedent({ lines, from: 1, to: 5, cut: 0 }))).toEqual(['', '  a', 'b', ''])
})
