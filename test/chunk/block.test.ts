import { describe, expect, test } from 'bun:test'
import { blocksOf, innerBlocks } from '../../src/chunk/block.ts'
import { linesOf } from '../../src/chunk/line.ts'
import type { Markup } from '../../src/page/page.ts'

/** Each block as its kind and its lines, 1-based and inclusive. */
function check(name: string, rows: string[], expected: string[], markup: Markup = 'markdown') {
  test(name, () => {
    const found = blocksOf(linesOf(rows.join('\n')), { markup, from: 0, to: rows.length })
    expect(found.map(({ kind, from, to }) => `${kind} ${from + 1}-${to}`)).toEqual(expected)
  })
}

/** The same of the parts of the one block that the rows are. */
function checkInner(name: string, rows: string[], expected: string[], markup: Markup = 'markdown') {
  test(name, () => {
    const lines = linesOf(rows.join('\n'))
    const [block, ...others] = blocksOf(lines, { markup, from: 0, to: rows.length })
    expect(others).toEqual([])
    const found = innerBlocks(lines, { ...block!, markup })
    expect(found.map(({ kind, from, to }) => `${kind} ${from + 1}-${to}`)).toEqual(expected)
  })
}

describe('Markdown', () => {
  check(
    'blank lines go with the block above',
    ['', 'a', 'b', '', '', 'c'],
    ['paragraph 1-5', 'paragraph 6-6'],
  )
  check('nothing but blank lines is no block', ['', '  '], [])
  check(
    'a fence ends with its own marker',
    ['````', '```', 'a', '', '````', 'b'],
    ['fence 1-5', 'paragraph 6-6'],
  )
  check('a fence interrupts a paragraph', ['a', '~~~', 'b', '~~~'], ['paragraph 1-1', 'fence 2-4'])
  check('a fence left open ends with the text', ['```js', 'a', '', 'b'], ['fence 1-4'])
  check('code in one line is no fence', ['```a```', 'b'], ['paragraph 1-2'])
  check('table', ['| a | b |', '|---|:-:|', '| c | d |', '', 'e'], ['table 1-4', 'paragraph 5-5'])
  check('table without outer pipes', ['a | b', '--|--', 'c | d'], ['table 1-3'])
  check(
    'a loose list with nested code is one',
    ['- a', '', '  ```', '- not', '  ```', '- b', 'lazy', '', 'c'],
    ['list 1-8', 'paragraph 9-9'],
  )
  check('a list interrupts a paragraph', ['a:', '1. b', '2. c'], ['paragraph 1-1', 'list 2-3'])
  check(
    'indented code',
    ['a', '', '    b', '', '    c', 'd'],
    ['paragraph 1-2', 'indented 3-5', 'paragraph 6-6'],
  )
  check(
    'MkDocs admonition',
    ['!!! note "T"', '    a', '', '    b', '', 'c'],
    ['container 1-5', 'paragraph 6-6'],
  )
  check(
    'VitePress containers nest',
    ['::: tip', 'a', '::: info', ':::', '', ':::', 'b'],
    ['container 1-6', 'paragraph 7-7'],
  )
  check(
    'MkDocs block',
    ['/// note | T', '', 'a', '', '///', '', 'b'],
    ['container 1-6', 'paragraph 7-7'],
  )
  check('a comment is silent', ['<!-- a', '', 'b -->', 'c'], ['silent 1-3', 'paragraph 4-4'])
  check(
    'an HTML table may hold blank lines',
    ['<table>', '', '<tr>', '</table>', '', 'a'],
    ['table 1-5', 'paragraph 6-6'],
  )
})

describe('reStructuredText', () => {
  check(
    'directives by what they hold',
    [
      '.. code-block:: js',
      '',
      '   a',
      '',
      '.. list-table::',
      '',
      '   * - a',
      '',
      '.. note:: b',
      '',
      '   c',
      '',
      '.. _label:',
      '',
      '.. a comment',
      '',
      '.. image:: d',
    ],
    ['fence 1-4', 'table 5-8', 'container 9-12', 'silent 13-14', 'silent 15-16', 'container 17-17'],
    'rst',
  )
  check('grid table', ['+---+', '| a |', '+---+', '', 'b'], ['table 1-4', 'paragraph 5-5'], 'rst')
  check(
    'a simple table ends with its last border',
    ['== ==', 'a  b', '== ==', 'c', '', 'd', '== ==', '', 'e'],
    ['table 1-8', 'paragraph 9-9'],
    'rst',
  )
  check(
    'a border alone is text',
    ['== ==', 'a', '', 'b'],
    ['paragraph 1-3', 'paragraph 4-4'],
    'rst',
  )
  check(
    'literal block',
    ['a::', '', '  b', '', '  c', '', 'd'],
    ['paragraph 1-2', 'indented 3-6', 'paragraph 7-7'],
    'rst',
  )
  check('page options are silent', [':orphan:', '', 'a'], ['silent 1-2', 'paragraph 3-3'], 'rst')
  check(
    'three backquotes are no fence',
    ['```', 'a', '', 'b'],
    ['paragraph 1-3', 'paragraph 4-4'],
    'rst',
  )
})

describe('parts', () => {
  checkInner('of a list: its items', ['- a', '  - b', '', '  c', '- d'], ['item 1-4', 'item 5-5'])
  checkInner(
    'of an admonition: its first line, then blocks',
    ['!!! note', '    a', '', '    - b', '    - c'],
    ['opening 1-1', 'paragraph 2-3', 'list 4-5'],
  )
  checkInner(
    'of a list-table: its rows',
    ['.. list-table::', '   :widths: 1', '', '   * - a', '   * - b'],
    ['opening 1-1', 'paragraph 2-3', 'list 4-5'],
    'rst',
  )
  checkInner(
    'of a fence: what blank lines divide',
    ['```', 'a', '', 'b', '```'],
    ['fence 1-3', 'fence 4-5'],
  )
  checkInner('of a paragraph: none', ['a', 'b'], ['paragraph 1-2'])
})
