import {
  heading,
  emphasis,
  code,
  strong,
  link,
  inlineCode,
  paragraph,
} from '../../src/document/nodes.ts'
import { expect, test } from 'bun:test'
import type { DocumentBlock } from '../../src/document/tree.ts'
import { cellOf, joinLines, writeInline, writeMarkdown } from '../../src/document/write-markdown.ts'

const check = (blocks: DocumentBlock[], expected: string) =>
  expect(writeMarkdown(blocks)).toBe(expected)
const list = (start: number | null, ...items: DocumentBlock[][]): DocumentBlock => ({
  type: 'list',
  start,
  items,
})

test('separates blocks with blank lines and leaves out empty ones', () => {
  check(
    [
      heading(9, ['A\n b']),
      paragraph(),
      code(' '),
      list(null, []),
      paragraph('c'),
      code('d', 'js'),
    ],
    '###### A b\n\nc\n\n```js\nd\n```',
  )
})

test('escapes text, and keeps spaces outside marks', () => {
  check(
    [paragraph('2*3 <', 'a> \\', inlineCode('x`y'), ' ', strong(' b ', emphasis('c'), ' '), 'd')],
    '2\\*3 \\<a> \\\\`` x`y ``  **b *c*** d'.replace('  ', ' '),
  )
  check([paragraph('+ a\n  - b\nc', { type: 'break' }, 'd')], '\\+ a - b\nc  \nd')
})

test('writes links with and without words', () => {
  const words = (url: string, ...text: string[]) => writeInline([link(url, text)])
  expect(words('https://a.b/c d', 'e')).toBe('[e](https://a.b/c%20d)')
  expect([words('https://a.b'), words('a.html'), words('', 'e')]).toEqual([
    '<https://a.b>',
    'a.html',
    'e',
  ])
})

test('indents the blocks of an item, down to a limit', () => {
  check(
    [list(null, [paragraph('a')], [paragraph('b')]), list(9, [paragraph('c'), code('d')])],
    '- a\n- b\n\n9. c\n\n   ```\n   d\n   ```',
  )
  let deep: DocumentBlock = paragraph('x')
  for (let at = 0; at < 1000; at++) deep = { type: 'blockquote', children: [deep] }
  expect(writeMarkdown([deep])).toBe(`${'> '.repeat(16)}x`)
})

test('marks a box, except in a quote', () => {
  const box: DocumentBlock = { type: 'box', title: [strong('Note')], children: [paragraph('a')] }
  check([box], '**Note**\t\n\na\n\t')
  check([{ type: 'blockquote', children: [box] }], '> **Note**\n>\n> a')
})

test('pads rows, keeps an empty header, and lists the rows of an enormous table', () => {
  const table = (hasHeader: boolean, ...rows: string[][]): DocumentBlock => {
    return { type: 'table', hasHeader, rows: rows.map((row) => row.map((cell) => [cell])) }
  }
  check([table(true, ['', ''], ['a|b'])], '|  |  |\n| --- | --- |\n| a\\|b |  |')
  check([table(false, ['a', 'b'])], '|  |  |\n| --- | --- |\n| a | b |')
  check([table(true, [''])], '')
  const wide = Array.from({ length: 1000 }, () => 'a')
  expect(
    writeMarkdown([table(false, wide, ...Array.from({ length: 50 }, () => ['b']))]),
  ).toHaveLength(2099)
})

test('keeps the blocks of a cell on one line', () => {
  const blocks = [paragraph('a'), code('b\nc'), list(1, [paragraph('d')], [paragraph('e')])]
  const rows = [[cellOf(blocks), joinLines([['f'], ['g']])]]
  check(
    [{ type: 'table', rows, hasHeader: true }],
    '| a<br>`b`<br>`c`<br>• d<br>• e | f<br>g |\n| --- | --- |',
  )
})
