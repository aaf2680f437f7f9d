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
