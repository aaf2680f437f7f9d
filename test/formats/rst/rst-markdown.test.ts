import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rstToMarkdown } from '../../../src/formats/rst/rst-markdown.ts'

/** Ignores box marks, which test/document/box.test.ts tests, and blank lines left by them. */
const check = (text: string, expected: string) =>
  expect(
    rstToMarkdown(text)
      .replaceAll('\t', '')
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd(),
  ).toBe(expected)

test('shows captions of contents, and reads the delimiters and heads of tables', () => {
  check(
    '.. toctree::\n   :caption: Basics\n   :glob:\n\n   Lid <a>\n   x/*\n',
    '**Basics**\n\n- [Lid](a)',
  )
  check(
    '.. csv-table::\n   :delim: tab\n   :header-rows: 1\n\n   A\tB, c\n   1\t2\n',
    '| A | B, c |\n| --- | --- |\n| 1 | 2 |',
  )
})

test('W-25: replaces admonitions, versions and topics with their title and text', () => {
  check('.. note:: Mind\n   it.\n\n   More :ref:`x`.\n\nb', '**Note**\n\nMind\nit.\n\nMore x.\n\nb')
  check('.. admonition:: Look *here*\n\n   a', 'Look *here*\n\na')
  check('.. seealso::\n\n   a', '**See also**\n\na')
  check(
    '.. deprecated-removed:: 3.1 3.5\n   Use x.',
    '**Deprecated since version 3.1, removed in version 3.5:** Use x.',
  )
  check(
    '.. versionadded:: 3.2 The thing.\n\n.. deprecated:: 4\n\n   Old.',
    '**Added in version 3.2:** The thing.\n\n**Deprecated since version 4**\n\nOld.',
  )
  check('* a\n\n  .. tip::\n\n     b', '- a\n\n  **Tip**\n\n  b')
})

test('shows the objects of any domain by their signature, and hides namespaces', () => {
  check(
    '.. php:namespace:: App\n\n.. php:class:: Hash\n\n   .. php:staticmethod:: get($a, $b)\n\n      Gets it.\n',
    '`Hash`\n\n`get($a, $b)`\n\nGets it.',
  )
  check('.. rb:method:: lamp(x)\n\n.. swift:case:: on', '`lamp(x)`\n\n`on`')
})

test('replaces a visible table of contents with a list of its pages', () => {
  check(
    '.. toctree::\n   :maxdepth: 2\n   :caption: C\n\n   a/b\n   T <c>\n   self\n   d/*\n   E <https://e.example>\n\nf',
    '**C**\n\n- [a/b](a/b)\n- [T](c)\n- [E](https://e.example)\n\nf',
  )
  check('.. toctree::\n\n   a\n   ``b`` page <b>\n   c/*', '- [a](a)\n- [b page](b)')
})

test('replaces substitutions by text, picture descriptions and characters', () => {
  check(
    '.. |a| replace:: long\n   name\n.. |p| image:: p.png\n   :alt: A picture\n.. |q| image:: q.png\n' +
      '.. |c| unicode:: 0xA9 U+2014 .. both\n\n|a|, |p|, |q|, |c|, |release|',
    'long name, A picture, , ©—, |release|',
  )
  check('.. |t| replace:: The tutorial\n\n.. topic:: |t|\n\n   Part.', '**The tutorial**\n\nPart.')
})

test('W-25: converts tabs and cards', () => {
  check(
    '.. tab-set::\n\n   .. tab-item:: A\n      :sync: a\n\n      .. testcode::\n         :hide:\n\n' +
      '         x\n\n   .. tab-item:: B\n\n      b',
    'A:\n\n```python\nx\n```\n\nB:\n\nb',
  )
  check('.. grid-item-card:: C\n   :link: x\n\n   c', '**C**\n\nc')
  check('.. code-tab:: js Node\n\n   x', 'Node:\n\n```js\nx\n```')
})

test('W-25: replaces documented objects with their signatures', () => {
  check(
    '.. py:function:: f(a)\n                 g(b)\n   :module: m\n\n   Does it.\n\n   :param a: how',
    '`f(a)`  \n`g(b)`\n\nDoes it.\n\n- **param a:** how',
  )
  check('.. autosummary::\n   :toctree: x\n\n   ~a.B\n   a.c', '- `a.B`\n- `a.c`')
  check('.. autoclass:: a.B\n   :members:', '`a.B` (API reference, not included)')
})

test('removes labels, settings, comments and hidden tables of contents', () => {
  check('.. _x:\n\nAb\n==\n\n.. contents::\n\n   a\n', '# Ab')
  check(':orphan:\n\na\n\n.. toctree::\n   :hidden:\n\n   a\n', 'a')
  check('.. skip: next\n\na\n\n..\n   b\n\n   c\n\nd\n', 'a\n\nd')
  check('.. note: no directive\n\n   a\n\n..\n\n   quote\n', 'quote')
  check('a\n.. and b\n', 'a\n.. and b')
})

test('numbers the levels of titles, and marks ids that differ from those of Git forges', () => {
  check('=====\nTitle\n=====\n\nPart\n----\n\ntext', '# Title\n\n## Part\n\ntext')
  check('a.b()\n=====\n\n3 ways\n------\n', '# a.b() {#a-b}\n\n## 3 ways {#ways}')
})

test('keeps all code as written', () => {
  check(
    '.. code-block:: rst\n   :linenos:\n\n   .. note:: :ref:`x`\n',
    '```rst\n.. note:: :ref:`x`\n```',
  )
  check(
    'Text::\n\n   .. note:: :ref:`x`\n\n   |a|\n\nb',
    'Text:\n\n```\n.. note:: :ref:`x`\n\n|a|\n```\n\nb',
  )
  check('So ::\n\n  a ``` b', 'So\n\n````\na ``` b\n````')
  check('::\n\n   a\n', '```\na\n```')
  check('>>> f(":ref:`x`")\n1\n\nb', '```pycon\n>>> f(":ref:`x`")\n1\n```\n\nb')
  check('.. testcode::\n   a\n\n   b\n', '```python\na\n\nb\n```')
  check('.. click:example::\n\n   a\n     :ref:`x`\n', '```\na\n  :ref:`x`\n```')
})

test('takes the language of code from the highlight directive, and shows captions', () => {
  check('.. highlight:: c\n\n::\n\n   a\n\n.. code-block::\n\n   b', '```c\na\n```\n\n```c\nb\n```')
  check('.. code-block:: sh\n   :caption: at :file:`x`\n\n   ls', '**at `x`**\n\n```sh\nls\n```')
  check('.. parsed-literal::\n\n   a :ref:`b`', '```\na b\n```')
  check('.. math:: a^2\n', '```math\na^2\n```')
})

test('keeps the first line of unknown directives, and converts their text', () => {
  check('.. unknown:: a\n   :b: c\n\n   :ref:`x`\n', '.. unknown:: a\n:b: c\n\nx')
  check('.. literalinclude:: gone.py\n   :lines: 1\n', '.. literalinclude:: gone.py\n:lines: 1')
  check(
    '.. figure:: i/a.png\n   :alt: A\n\n   What *it* shows.',
    '![A](i/a.png)\n\nWhat *it* shows.',
  )
  check('.. raw:: html\n\n   <b>a</b>\n\n.. raw:: latex\n\n   \\a\n\nb', '<b>a</b>\n\nb')
})

test('converts tables, and keeps those with spanning cells as drawings', () => {
  check(
    '=== ===\na   b\n=== ===\n1   <a\n    or 3\n\n4   5\n=== ===\n',
    '| a | b |\n| --- | --- |\n| 1 | \\<a or 3 |\n| 4 | 5 |',
  )
  check('=== ===\n1   a|b\n=== ===\n', '|  |  |\n| --- | --- |\n| 1 | a\\|b |')
  check(
    '+----+-----+\n| a  | b   |\n+====+=====+\n| 1  | - x |\n|    | - y |\n+----+-----+\n',
    '| a | b |\n| --- | --- |\n| 1 | • x<br>• y |',
  )
  check('== ==\na\n-----\n1  2\n== ==\n', '```\n== ==\na\n-----\n1  2\n== ==\n```')
  check(
    '.. list-table:: What\n   :header-rows: 1\n\n   * - a\n     - b\n   * - ``1|2``\n     - c\n\n' +
      '       .. note:: d\n\n          ::\n\n            e\n\nx',
    '**What**\n\n| a | b |\n| --- | --- |\n| `1\\|2` | c<br>**Note**<br>d<br>`e` |\n\nx',
  )
  check(
    '.. csv-table:: T\n   :header: a, "b, c"\n\n   1, "say ""x"""\n   2,\n',
    '**T**\n\n| a | b, c |\n| --- | --- |\n| 1 | say "x" |\n| 2 |  |',
  )
})

test('never throws, and keeps every line of a code block', () => {
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
    '.. list-table:: t',
    '   * - c',
    '     - e',
    '.. csv-table::',
    '+-+---+',
    '| | f |',
    '.. unknown::',
    '   :o: 1',
    '===',
    '=== ===',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const code = lines.map((it) => `|${it}`)
      const rst = `.. code-block:: x\n\n${code.map((it) => `   ${it}`).join('\n')}\n   end\n`
      const shown = rstToMarkdown(`${rst}\nz\n\n${lines.join('\n')}`)
      expect(shown).toStartWith(`\`\`\`x\n${[...code, 'end'].join('\n')}\n\`\`\`\n\nz\n`)
    }),
    { numRuns: 300 },
  )
})

test('reads nested blocks and tables with very many lines or cells in bounded time and size', () => {
  const wide = `.. csv-table::\n\n   ${','.repeat(3_000)}x\n${'   a\n'.repeat(3_000)}`
  expect(rstToMarkdown(wide).length).toBeLessThan(wide.length)
  const deep = Array.from({ length: 100 }, (_, i) => `${' '.repeat(3 * i)}.. note::\n`).join('\n')
  expect(rstToMarkdown(`${deep}\n${' '.repeat(300)}end\n`)).toContain('end')
})
