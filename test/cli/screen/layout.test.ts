import { expect, test } from 'bun:test'
import { styledLine, lineWidth, plainText } from '../../../src/cli/span.ts'
import { tableLines } from '../../../src/cli/screen/layout.ts'

/** Checks the lines of a table at a width; `|` separates the cells of a row. */
function check(rows: string[], width: number, expected: string[]): void {
  const cells = rows.map((row) => row.split('|').map((cell) => styledLine(cell)))
  const lines = tableLines(cells, width)
  expect(lines.map(plainText)).toEqual(expected)
  const word = Math.max(
    ...rows
      .join(' ')
      .split(/[ |]/)
      .map((text) => lineWidth(styledLine(text))),
  )
  for (const one of lines) expect(lineWidth(one)).toBeLessThanOrEqual(Math.max(width, word + 4))
}

test('separates cells by two spaces and adds none at the end', () => {
  check(['Name|Size|Age', 'a|10|', 'longer||2'], 40, [
    'Name    Size  Age',
    'a       10',
    'longer        2',
  ])
  check(['A|B', '日本|c', 'é|d'], 40, ['A     B', '日本  c', 'é     d'])
})

test('wraps the widest column if the table is too wide', () => {
  check(['Name|What it does', 'cap|one two three four five'], 18, [
    'Name  What it does',
    'cap   one two',
    '      three four',
    '      five',
  ])
  const half = tableLines(
    [['a b c d e f', 'a b c d e f g h i j'].map((text) => styledLine(text))],
    20,
  )
  expect(half.map(plainText)).toEqual(['a b c d e  a b c d e', 'f          f g h i j'])
})

test('prints each cell below its heading if words do not fit', () => {
  check(['Name|Size|', 'configuration|enormous|x', 'b||y'], 14, [
    'configuration',
    '  size',
    '    enormous',
    '  x',
    'b',
    '  y',
  ])
})

test('accepts an empty table and keeps styles', () => {
  expect(tableLines([], 20)).toEqual([])
  expect(tableLines([[]], 20).map(plainText)).toEqual([''])
  const [row] = tableLines([[styledLine('a', 'code'), styledLine('b', 'strong')]], 20)
  expect(row).toEqual([
    { text: 'a', style: 'code' },
    { text: '  ' },
    { text: 'b', style: 'strong' },
  ])
})

test('narrows one very wide column in a single step', () => {
  const words = Array.from({ length: 20_000 }, () => 'word').join(' ')
  const lines = tableLines([[styledLine('a'), styledLine(words)]], 60)
  expect(lines.every((one) => lineWidth(one) <= 60)).toBe(true)
  expect(lines.map(plainText).join(' ').match(/word/g)).toHaveLength(20_000)
})
