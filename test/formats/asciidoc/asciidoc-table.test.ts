import { expect, test } from 'bun:test'
import { writeMarkdown } from '../../../src/document/write-markdown.ts'
import { asciidocTable } from '../../../src/formats/asciidoc/asciidoc-table.ts'

const check = (lines: string[], style: string[], expected: string[]) =>
  expect(writeMarkdown([asciidocTable(lines, style)!]).split('\n')).toEqual(expected)

test('converts tables with a row per line or a cell per line', () => {
  check(
    ['|A |B', '', '|a |b', '|c', '|d \\| e'],
    [],
    ['| A | B |', '| --- | --- |', '| a | b |', '| c | d \\| e |'],
  )
  check(
    ['|A', '|B', 'more', '|c'],
    ['cols="1', '2a"'],
    ['| A | B<br>more |', '| --- | --- |', '| c |  |'],
  )
  check(['a|x 2+|y'], ['cols=2*'], ['| x | y |', '| --- | --- |'])
})

test('returns null for lines without cells', () =>
  expect(asciidocTable(['no cells'], [])).toBe(null))

test('keeps the columns beside cells that span several rows or columns, and repeats cells', () => {
  check(
    ['|A |B |C', '', '.2+|a |b |c', '|d |e', '2+|f |g', '3*|h'],
    [],
    [
      ...['| A | B | C |', '| --- | --- | --- |', '| a | b | c |', '|  | d | e |'],
      ...['| f |  | g |', '| h | h | h |'],
    ],
  )
})

test('stops at hostile spans', () => {
  const lines = Array.from({ length: 5000 }, () => '999.99+|a')
  expect(asciidocTable(lines, ['cols=1000*'])).toBe(null)
})
