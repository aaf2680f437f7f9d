import { describe, expect, test } from 'bun:test'
import { splitIntoBlocks, innerBlocks } from '../../src/chunk/block.ts'
import { indexLines } from '../../src/chunk/line.ts'

/** Checks the kind and lines of each block; line numbers are 1-based and inclusive. */
function check(name: string, rows: string[], expected: string[]) {
  test(name, () => {
    const found = splitIntoBlocks(indexLines(rows.join('\n')), { from: 0, to: rows.length })
    expect(found.map(({ kind, from, to }) => `${kind} ${from + 1}-${to}`)).toEqual(expected)
  })
}

/** Checks the parts of the single block formed by the rows. */
function checkInner(name: string, rows: string[], expected: string[]) {
  test(name, () => {
    const lines = indexLines(rows.join('\n'))
    const [block, ...others] = splitIntoBlocks(lines, { from: 0, to: rows.length })
    expect(others).toEqual([])
    const found = innerBlocks(lines, block!)
    expect(found.map(({ kind, from, to }) => `${kind} ${from + 1}-${to}`)).toEqual(expected)
  })
}

describe('divides Markdown into blocks', () => {
  check(
    'adds blank lines to the block above',
    ['', 'a', 'b', '', '', 'c'],
    ['paragraph 1-5', 'paragraph 6-6'],
  )
  check('finds no block in blank lines', ['', '  '], [])
  check(
    'ends a fence at its own marker',
    ['````', '```', 'a', '', '````', 'b'],
    ['fence 1-5', 'paragraph 6-6'],
  )
  check(
    'lets a fence interrupt a paragraph',
    ['a', '~~~', 'b', '~~~'],
    ['paragraph 1-1', 'fence 2-4'],
  )
  check('ends an unclosed fence with the text', ['```js', 'a', '', 'b'], ['fence 1-4'])
  check('does not treat one-line code as a fence', ['```a```', 'b'], ['paragraph 1-2'])
  check(
    'recognises a table',
    ['| a | b |', '|---|:-:|', '| c | d |', '', 'e'],
    ['table 1-4', 'paragraph 5-5'],
  )
  check('accepts a table without outer pipes', ['a | b', '--|--', 'c | d'], ['table 1-3'])
  check(
    'keeps a loose list with nested code together',
    ['- a', '', '  ```', '- not', '  ```', '- b', 'lazy', '', 'c'],
    ['list 1-8', 'paragraph 9-9'],
  )
  check('lets a list interrupt a paragraph', ['a:', '1. b', '2. c'], ['paragraph 1-1', 'list 2-3'])
  check(
    'recognises indented code',
    ['a', '', '    b', '', '    c', 'd'],
    ['paragraph 1-2', 'indented 3-5', 'paragraph 6-6'],
  )
  check(
    'recognises an MkDocs admonition',
    ['!!! note "T"', '    a', '', '    b', '', 'c'],
    ['container 1-5', 'paragraph 6-6'],
  )
  check(
    'nests VitePress containers',
    ['::: tip', 'a', '::: info', ':::', '', ':::', 'b'],
    ['container 1-6', 'paragraph 7-7'],
  )
  check(
    'MkDocs block',
    ['/// note | T', '', 'a', '', '///', '', 'b'],
    ['container 1-6', 'paragraph 7-7'],
  )
  check('treats a comment as silent', ['<!-- a', '', 'b -->', 'c'], ['silent 1-3', 'paragraph 4-4'])
  check(
    'allows blank lines in an HTML table',
    ['<table>', '', '<tr>', '</table>', '', 'a'],
    ['table 1-5', 'paragraph 6-6'],
  )
})

describe('divides a block into its parts', () => {
  checkInner(
    'divides a list into its items',
    ['- a', '  - b', '', '  c', '- d'],
    ['item 1-4', 'item 5-5'],
  )
  checkInner(
    'divides an admonition into its first line and blocks',
    ['!!! note', '    a', '', '    - b', '    - c'],
    ['opening 1-1', 'paragraph 2-3', 'list 4-5'],
  )
  checkInner(
    'divides a fence at blank lines',
    ['```', 'a', '', 'b', '```'],
    ['fence 1-3', 'fence 4-5'],
  )
  checkInner('does not divide a paragraph', ['a', 'b'], ['paragraph 1-2'])
})
