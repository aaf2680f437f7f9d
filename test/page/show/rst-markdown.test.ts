import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rstToMarkdown } from '../../../src/page/show/rst-markdown.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

function check(rst: string, expected: string): void {
  expect(rstToMarkdown(rst)).toBe(expected)
}

test('converts headings with and without overline', () => {
  check('=====\nTitle\n=====\n\nPart\n----\n\ntext', '# Title\n\n\n\n## Part\n\n\ntext')
})

test('converts code of directives and after `::`, and keeps the text that follows', () => {
  check(
    '.. code-block:: python\n   :linenos:\n\n   def a():\n       pass\n\nb',
    '\n\n```python\ndef a():\n' + '    pass\n```\nb',
  )
  check('So::\n\n  a ``` b\n\nc', 'So:\n````\na ``` b\n````\nc')
  check('Alone ::\n\n  a', 'Alone\n```\na')
  check('::\n\n   a\n\n   b\n', '\n```\na\n\nb\n```')
})

test('gives code blocks without a language the language of the library', () => {
  const text =
    '.. code-block::\n\n   a\n\n.. code-block:: sh\n\n   b\n\n.. parsed-literal::\n\n   c\n\n::\n\n   d\n'
  const fences = rstToMarkdown(text, 'py').match(/^`{3}\w+|^\w$/gm)
  expect(fences).toEqual(['```py', 'a', '```sh', 'b', 'c', 'd'])
})

test('converts roles, links and code names', () => {
  check('See :ref:`the lid <lid>`, :class:`Pot` and ``x < 1``.', 'See the lid, `Pot` and `x < 1`.')
  check("``a``\\ 's `` `b`_ ``", "`a`'s `` `b`_ ``")
  check('`Ray <https://ray.example/a>`_ or `b`_, <c>', '[Ray](<https://ray.example/a>) or b, \\<c>')
})

test('displays directives by name, and omits comments and options', () => {
  check('.. warning:: Hot\n   :class: x\n\n   It burns.', '**warning** Hot\n\n\nIt burns.')
  check('.. _label:\n\n.. a comment\n   of two lines\n\ntext', '\n\n\n\n\ntext')
  check('.. image:: i/a.png\n   :alt: A', '![A](<i/a.png>)\n')
  check('.. figure:: i/a.png\n\n   What it shows.', '![a.png](<i/a.png>)\n\nWhat it shows.')
  check(
    '.. raw:: html\n\n   <b>a</b>\n\n.. raw:: latex\n\n   \\a\n\nb',
    '\n\n<b>a</b>\n\n\n\n\n\nb',
  )
})

test('displays terms above their definitions, and shows footnotes', () => {
  check(
    '``a``\n   One *b*.\n\n   Two.\n\nc\n   d\ne\n   f',
    '**`a`**\\\nOne *b*.\n\nTwo.\n\n**c**\\\nd\\\n**e**\\\nf',
  )
  check('a\n  - b\n  - c\n\nd\n  .. code::\n\n     e', '**a**\n- b\n- c\n\n**d**\n\n```\ne')
  for (const other of ['- a\n  b', '1. a\n   b', 'a\nb', '*a*\nb']) check(other, other)
  check(':a: b\n   c', ':a: b\n   c')
  check('.. [1]\n   said', '\\[1\\] \nsaid')
  check('x [1]_\n\n.. [1] said\n   so', 'x [1]_\n\n\\[1\\] said\nso')
})

test('turns the pages of a list into links', () => {
  check('- :doc:`a/b`\n- :doc:`T <c>`', '- [a/b](<a/b>)\n- [T](<c>)')
})

test('unindents text that is not code', () => {
  check('.. x:: y\n\n     .. code::\n\n        a\n\n     b', '**x** y\n\n\n```\na\n```\nb')
  check('a\n\n    quoted\n    twice', 'a\n\nquoted\ntwice')
  check('- a\n\n    b', '- a\n\n    b')
})

test('converts grid and simple tables', () => {
  check(
    '=== ===\na   b\n=== ===\n1   <2\n    or 3\n\n4   5\n=== ===\n',
    '| a | b |\n|---|---|\n| 1 | \\<2 or 3 |\n| 4 | 5 |\n\n\n\n\n',
  )
  check('=== ===\n1   a|b\n=== ===\n', '|  |  |\n|---|---|\n| 1 | a\\|b |\n')
  check(
    '+----+-----+\n| a  | b   |\n+====+=====+\n| 1  | - x |\n|    | - y |\n+----+-----+\n',
    '| a | b |\n|---|---|\n| 1 | • x<br>• y |\n\n\n\n',
  )
})

test('treats lines of hyphens as row separators', () => {
  check('== ==\n1  2\n-- --\n3  4\n== ==\n', '|  |  |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n')
})

test('keeps tables with spanning cells as drawings', () => {
  check('== ==\na\n-----\n1  2\n== ==\n', '```\na\n-----\n1  2\n```\n')
  check('+--+--+\n| a   |\n+--+--+\n', '```\n| a   |\n```\n')
  check('+--+\n|a |\n+--+', '+--+\n|a |\n+--+')
})

test('converts list tables and CSV tables', () => {
  check(
    '.. list-table:: What\n   :header-rows: 1\n\n   * - a\n     - b\n   * - ``1|2``\n     - c\n\n' +
      '       - d\n       - e\n\nx',
    '**What**\n| a | b |\n|---|---|\n| `1\\|2` | c<br>• d<br>• e |\n\n\n\n\n\n\n\nx',
  )
  check('.. list-table::\n\n   * - .. _label:\n\n       a\n\nx', '|  |\n|---|\n| a |\n\n\n\nx')
  check('.. list-table::\n\n   * - a\n     -\n\nx', '|  |  |\n|---|---|\n| a |  |\n\n\nx')
  check(
    '.. csv-table:: T\n   :header: a, "b, c"\n\n   1, "say ""x"""\n   2,\n\nx',
    '**T**\n| a | b, c |\n|---|---|\n| 1 | say "x" |\n| 2 |  |\n\nx',
  )
  check('.. list-table::\n\n   none', '**list-table** \n\nnone')
})

test('converts interpreter sessions to code fences', () => {
  check('So:\n\n>>> a\n1\n\n>>> b\n\nx', 'So:\n```pycon\n>>> a\n1\n\n>>> b\n```\nx')
  check('>>> a', '\\>>> a')
  check('So:\n\n>>> a\n```\n\nx', 'So:\n````pycon\n>>> a\n```\n````\nx')
})

test('converts formulas and the captions of code', () => {
  check('.. math:: a^2\n\nx', '`a^2`\n\nx')
  check('.. math::\n\n   a\n\nx', '\n```\na\n```\nx')
  check(
    '.. code-block:: sh\n   :caption: at :file:`x`\n\n   ls\n\nx',
    '**at `x`**\n\n```sh\nls\n```\nx',
  )
})

test('numbers automatic lists', () => check('#. a\n#. b\n\n- c', '1. a\n1. b\n\n- c'))

test('keeps every line at its line number for any markup', () => {
  const line = fc.constantFrom(
    '',
    'a::',
    '::',
    '  b',
    '    c',
    '===',
    '.. x::',
    '.. code-block:: py',
    '   :o: 1',
    '+---+',
    '=== ===',
    '```',
    '``',
    '`a <b>`_',
    '..',
    '- d',
    '>>> a',
    '.. list-table:: t',
    '   * - c',
    '     - e',
    '   :header: a',
    '.. csv-table::',
    '.. math:: m',
    '.. raw:: html',
    '+-+---+',
    '| | f |',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      expect(rstToMarkdown(lines.join('\n')).split('\n')).toHaveLength(Math.max(1, lines.length))
    }),
    { numRuns: 3_000 },
  )
})

test('reads unclosed rules and prompts in linear time', () => {
  const spentMs = cpuMs(() => {
    rstToMarkdown('=== ===\n\na\n\n'.repeat(20_000))
    rstToMarkdown(`x\n${'>>> a\n'.repeat(40_000)}`)
    rstToMarkdown(`x\n\n${'>>> a\n\n'.repeat(20_000)}\`\`\`\n`)
  })
  expect(spentMs).toBeLessThan(3_000)
})

test('reads tables with very many rules, rows, lines or cells in bounded time and size', () => {
  const spentMs = cpuMs(() => {
    rstToMarkdown('==== ====\n'.repeat(20_000))
    rstToMarkdown(`.. list-table::\n\n   * - a\n${'\n'.repeat(150_000)}       b\n`)
    rstToMarkdown(`.. csv-table::\n\n${'   a\n'.repeat(1_000_000)}`)
    rstToMarkdown(`.. note::\n\n${'   a\n'.repeat(1_000_000)}`)
  })
  expect(spentMs).toBeLessThan(5_000)
  const wide = `.. csv-table::\n\n   ${','.repeat(3_000)}x\n${'   a\n'.repeat(3_000)}`
  expect(rstToMarkdown(wide).length).toBeLessThan(wide.length)
})
