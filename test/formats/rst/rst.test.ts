import { expect, test } from 'bun:test'
import { isLikeRst, rstHeadings } from '../../../src/formats/rst/rst.ts'

/** Compares headings as `level title`. */
function check(text: string, expected: string[]): void {
  const headings = rstHeadings(text)
  expect(headings.map(({ level, title }) => `${level} ${title}`)).toEqual(expected)
  for (const { offset, end } of headings) expect(text.slice(offset, end)).not.toBe('')
}

test('numbers levels in the order in which adornments first appear', () => {
  check('====\nLamp\n====\n\nWick\n====\n\nOil\n---\n\nSoot\n====\n', [
    '1 Lamp',
    '2 Wick',
    '3 Oil',
    '2 Soot',
  ])
  check('Lamp\r\n====\r\n\r\nText.\r\n', ['1 Lamp'])
})

test('ignores text with a paragraph above, short underlines and rules', () => {
  check('text\nLamp\n====\n', [])
  check('A long lamp\n==\n', [])
  check('====\n\ntext\n', [])
  check('', [])
})

test('treats a text with two rst features as rst', () => {
  expect(isLikeRst('.. note::\n\n   a\n\n.. code-block:: c\n')).toBe(true)
  expect(isLikeRst('Lamp\n====\n\n.. note:: a\n')).toBe(true)
  expect(isLikeRst('Lamp\n====\n\nText.\n')).toBe(false)
})

test('reads a letter with a single sign below it as a title', () =>
  check('A\n=\n\na\n-\n\nx-\n-\n', ['1 A', '2 a']))
