import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rstMarkdown } from '../../../src/page/show/rst-markdown.ts'

function check(rst: string, expected: string): void {
  expect(rstMarkdown(rst)).toBe(expected)
}

test('headings, with and without a line above', () => {
  check('=====\nTitle\n=====\n\nPart\n----\n\ntext', '# Title\n\n\n\n## Part\n\n\ntext')
})

test('code of directives and after two colons, and text that follows', () => {
  check('.. code-block:: python\n   :linenos:\n\n   def a():\n       pass\n\nb', '\n\n```python\ndef a():\n'
    + '    pass\n```\nb')
  check('So::\n\n  a ``` b\n\nc', 'So:\n````\na ``` b\n````\nc')
  check('Alone ::\n\n  a', 'Alone\n```\na')
  check('::\n\n   a\n\n   b\n', '\n```\na\n\nb\n```')
})

test('roles, links and names of code', () => {
  check('See :ref:`the lid <lid>`, :class:`Pot` and ``x < 1``.', 'See the lid, `Pot` and `x < 1`.')
  check('`Ray <https://ray.example/a>`_ or `b`_, <c>', '[Ray](<https://ray.example/a>) or b, \\<c>')
})

test('directives by their names, comments and options not at all', () => {
  check('.. warning:: Hot\n   :class: x\n\n   It burns.', '**warning** Hot\n\n\nIt burns.')
  check('.. _label:\n\n.. a comment\n   of two lines\n\ntext', '\n\n\n\n\ntext')
  check('.. image:: a.png\n   :alt: A', '`image: a.png`\n')
})

test('what is indented, and no code, stands at the left', () => {
  check('.. x:: y\n\n     .. code::\n\n        a\n\n     b', '**x** y\n\n\n```\na\n```\nb')
  check('a\n\n    quoted\n    twice', 'a\n\nquoted\ntwice')
  check('- a\n\n    b', '- a\n\n    b')
})

test('tables stay as they are drawn', () => {
  check('=== ===\na   b\n=== ===\n1   <2\n=== ===\n', '```\na   b\n=== ===\n1   <2\n```\n')
  check('+--+\n|a |\n+--+', '+--+\n|a |\n+--+')
  check('+---+\n| a |\n+---+\n', '```\n| a |\n```\n')
})

test('lists are numbered', () => check('#. a\n#. b\n\n- c', '1. a\n1. b\n\n- c'))

test('every line stays on its line, whatever it is', () => {
  const line = fc.constantFrom('', 'a::', '::', '  b', '    c', '===', '.. x::', '.. code-block:: py',
    '   :o: 1', '+---+', '=== ===', '```', '``', '`a <b>`_', '..', '- d')
  fc.assert(fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
    expect(rstMarkdown(lines.join('\n')).split('\n')).toHaveLength(Math.max(1, lines.length))
  }), { numRuns: 3_000 })
})
