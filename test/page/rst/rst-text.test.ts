import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { simplifyRst } from '../../../src/page/rst/rst-text.ts'

/** Removes box marks, which test/document/box.test.ts tests, and blank lines left by them. */
const bare = (text: string) =>
  text
    .replaceAll('\t', '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\n*$/, '')
const check = (text: string, expected: string) =>
  expect(bare(simplifyRst(text))).toBe(bare(expected))
const same = (text: string) => check(text, text)

test('W-25: replaces admonitions, versions and topics with their title and text', () => {
  check('.. note:: Mind\n   it.\n\n   More :ref:`x`.\n\nb', '**Note**\n\nMind\nit.\n\nMore x.\n\nb')
  check('.. admonition:: Look *here*\n\n   a', 'Look *here*\n\na')
  check('.. seealso::\n\n   a', '**See also**\n\na')
  check(
    '.. versionadded:: 3.2 The thing.\n\n.. deprecated:: 4\n\n   Old.',
    '**Added in version 3.2:** The thing.\n\n**Deprecated since version 4**\n\nOld.',
  )
  check('* a\n\n  .. tip::\n\n     b', '* a\n\n  **Tip**\n\n  b')
})

test('replaces a visible table of contents with a list of its pages', () => {
  check(
    '.. toctree::\n   :maxdepth: 2\n   :caption: C\n\n   a/b\n   T <c>\n   self\n   d/*\n   E <https://e.example>\n\nf',
    '- :doc:`a/b`\n- :doc:`T <c>`\n- E <https://e.example>\n\nf',
  )
})

test('replaces substitutions by text, picture descriptions and characters', () => {
  check(
    '.. |a| replace:: long\n   name\n.. |p| image:: p.png\n   :alt: A picture\n.. |q| image:: q.png\n' +
      '.. |c| unicode:: 0xA9 U+2014 .. both\n\n|a|, |p|, |q|, |c|, |release|',
    '\nlong name, A picture, , ©—, |release|',
  )
})

test('W-25: converts tabs and cards', () => {
  check(
    '.. tab-set::\n\n   .. tab-item:: A\n      :sync: a\n\n      .. testcode::\n         :hide:\n\n' +
      '         x\n\n   .. tab-item:: B\n\n      b',
    'A:\n\n.. code-block:: python\n\n   x\n\nB:\n\nb',
  )
  check('.. grid-item-card:: C\n   :link: x\n\n   c', '**C**\n\nc')
  check('.. code-tab:: js Node\n\n   x', 'Node:\n\n.. code-block:: js\n\n   x')
})

test('W-25: replaces documented objects with their signatures', () => {
  check(
    '.. py:function:: f(a)\n                 g(b)\n   :module: m\n\n   Does it.',
    '``f(a)``\n``g(b)``\n\nDoes it.',
  )
  check('.. autosummary::\n   :toctree: x\n\n   ~a.B\n   a.c', '- ``a.B``\n- ``a.c``')
  check('.. autoclass:: a.B\n   :members:', '``a.B`` (API reference, not included)')
})

test('removes labels, settings and hidden tables of contents, and keeps link targets', () => {
  check('.. _x:\n\nA\n=\n\n.. contents::\n\n   a\n', '\nA\n=\n\n')
  check('a\n\n.. toctree::\n   :hidden:\n\n   a\n', 'a\n\n')
  same('.. _x: https://example.org\n')
})

test('replaces the names of substitutions with their text', () =>
  check('.. |a| replace:: the *thing*\n\nSee |a| and |b|.\n', '\nSee the *thing* and |b|.\n'))

test('removes comments, and keeps targets, footnotes and text with two dots', () => {
  check('.. skip: next\n\na\n\n..\n   b\n\n   c\n\nd\n', '\na\n\n\nd\n')
  check('.. note: no directive\n\n   a\n\n..\n\n   quote\n', '\n\n   quote\n')
  check('* a\n\n  .. b\n     c\n\n  d\n', '* a\n\n  d\n')
  check('T\n==\n.. a\n\nb\n', 'T\n==\n\nb\n')
  same('.. [a] b\n.. _c: https://c.example\n.. |d| date::\n.. __: https://e.example\n')
  same('a\n.. and b\n')
})

test('keeps all code as written', () => {
  same('.. code-block:: rst\n   :linenos:\n\n   .. note:: :ref:`x`\n')
  same('Text::\n\n   .. note:: :ref:`x`\n\n   |a|\n')
  same('>>> f(":ref:`x`")\n1\n')
  same('.. literalinclude:: gone.py\n   :lines: 1\n')
})

test('keeps all of a code block that starts without a blank line', () =>
  check('.. testcode::\n   a\n\n   b\n', '.. code-block:: python\n\n   a\n\n   b\n'))

test('reads the content of an unknown directive of a domain as code', () => {
  const code = 'def f():\n       g(":ref:`x`")'
  check(`.. click:example::\n\n   ${code}\n`, `.. code-block::\n\n   ${code}\n`)
  check('.. py:unknown:: a\n\n   :ref:`x`\n', '.. py:unknown:: a\n\n   x\n')
})

test('shows all variants of a configuration', () => {
  const variants = '.. code-block:: yaml\n\n   a: 1\n\n.. code-block:: php\n\n   a();\n'
  const inner = variants.replace(/^(?=.)/gm, '    ')
  check(`.. configuration-block::\n\n${inner}`, variants)
})

test('keeps unknown directives, and converts their text', () => {
  check('.. unknown:: a\n   :b: c\n\n   :ref:`x`\n', '.. unknown:: a\n   :b: c\n\n   x\n')
  check(
    '.. list-table::\n   :widths: 1\n\n   * - :ref:`x`\n     - .. note:: a\n',
    '.. list-table::\n   :widths: 1\n\n   * - x\n     - .. note:: a\n',
  )
  check('.. [#a] See :ref:`x`.\n', '.. [#a] See x.\n')
})

test('keeps every line of a code block, and never throws', () => {
  const line = fc.constantFrom(
    '.. note:: a',
    '.. tab:: b',
    '   c',
    '      d',
    '',
    'e::',
    ':ref:`x`',
    '>>> f',
    '.. |a| replace:: b',
    '|a|',
    '* - .. code-block:: c',
    '.. unknown::',
    '   :o: 1',
    '===',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const code = `.. code-block:: x\n\n${lines.map((it) => `   |${it}`).join('\n')}\n   end\n`
      expect(simplifyRst(`${code}\nz\n\n${lines.join('\n')}`)).toStartWith(code)
    }),
    { numRuns: 300 },
  )
})

test('replaces substitutions in titles, and keeps titles of a toctree that contain code', () => {
  check(
    '.. |t| replace:: The tutorial\n\n.. topic:: |t|\n\n   Part.',
    '\n**The tutorial**\n\nPart.',
  )
  check('.. toctree::\n\n   a\n   ``b`` page <b>\n   c/*', '- :doc:`a`\n- :doc:`b page <b>`')
})
