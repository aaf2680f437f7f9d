import { expect, test } from 'bun:test'
import { mystToMarkdown } from '../../../src/formats/markdown/myst.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const check = (text: string, expected: string, titles?: Map<string, string>) =>
  expect(
    mystToMarkdown(text, { titles })
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  ).toBe(expected)

test('shows contents as titles of pages, and removes hidden and local ones', () => {
  const titles = new Map([['doc a', 'Page [A]']])
  check(
    '```{toctree}\n:caption: C\n\na\nB <b/c>\nself\nd/*\n```\n',
    '**C**\n\n- [Page \\[A\\]](a)\n- [B](b/c)',
    titles,
  )
  check('a\n\n:::{toctree}\n:hidden:\na\n:::\n\n```{contents}\n:local:\n```\nb', 'a\n\nb')
})

test('shows code with its caption in any kind of fence', () => {
  check('```{code-block} py\n:caption: Lid\n:linenos:\nx\n```', '**Lid**\n\n```py\nx\n```')
  check(':::{code} js\n---\ncaption: Two\n---\ny\n:::', '**Two**\n\n```js\ny\n```')
})

test('converts pictures, tables, formulas, glossaries and buttons', () => {
  check('```{figure} a.png\n---\nalt: An A\n---\nThe *A*.\n```', '![An A](a.png)\n\nThe *A*.')
  check('```{image} a.png\n```', '![](a.png)')
  check(
    ':::{list-table} T\n:header-rows: 1\n\n* - A\n  - B | C\n* - d\n    e\n  - f\n* - g\n:::',
    '**T**\n\n| A | B \\| C |\n| --- | --- |\n| d e | f |\n| g |  |',
  )
  check('- a\n\n  ```{math}\n  :label: x\n  b\n  ```', '- a\n\n  $$\n  b\n  $$')
  check(
    '```{rubric} R\n```\n\n```{raw} html\n<b>a</b>\n```\n\n```{raw} latex\nx\n```',
    '**R**\n\n<b>a</b>',
  )
  check('```{glossary}\nTerm\n  Meaning\n```', '**Term**\n\nMeaning')
  check('```{button-ref} intro\n:color: x\n\nStart\n```', '[Start](intro)')
})

test('converts tables of comma-separated values', () => {
  check(
    '```{csv-table} Sizes\n:header: "A", B\n:widths: 1, 2\n\n"a, b", c\nd | e, f\n```',
    '**Sizes**\n\n| A | B |\n| --- | --- |\n| a, b | c |\n| d \\| e | f |',
  )
  check(':::{csv-table}\n:header: >\n:    A, B\na, b\n:::', '| A | B |\n| --- | --- |\n| a | b |')
  check('```{csv-table} T\n:file: a.csv\n```', '```{csv-table} T\n:file: a.csv\n```')
})

test('reads rst and documented objects', () => {
  check(
    '```{eval-rst}\n.. note:: A :ref:`b`\n```',
    '**Note**\n\nA The b',
    new Map([['ref b', 'The b']]),
  )
  check('```{eval-rst}\n.. code-block:: c\n\n   a\n```\n\nB', '```c\na\n```\n\nB')
  check('```{py:function} f(a)\nDoes it.\n```', '`f(a)`\n\nDoes it.')
  check('```{autoclass} a.B\n:members:\n```', '`a.B` (API reference, not included)')
})

test('keeps the module that an earlier directive of the page names', () => {
  const names: (readonly string[])[] = []
  const lookup = {
    find: (some: readonly string[]) => (names.push(some), null),
    julia: () => null,
    declared: () => null,
    resolve: async () => false,
  }
  const text =
    '```{currentmodule} a\n```\n\n```{eval-rst}\n.. autofunction:: f\n```\n\n' +
    '```{eval-rst}\n.. module:: b\n```\n\n```{autofunction} g\n```\n'
  mystToMarkdown(text, { lookup })
  expect(names).toEqual([['a.f'], ['b.g']])
})

test('reads directives in text directives, and keeps code and unknown directives', () => {
  check(
    '````{note}\n```{image} a.png\n```\n````\n\n```{image} b.png\n```',
    '````{note}\n\n![](a.png)\n\n````\n\n![](b.png)',
  )
  for (const text of [
    '```md\n% a\n```',
    '~~~md\n```{image} a.png\n```\n~~~',
    '```{unknown} a\nb\n```',
    ':::{image} a.png',
  ])
    check(text, text)
})

test('keeps directives in code', () => {
  check('```{code-block} md\n:::{image} a.png\n:::\n```', '```md\n:::{image} a.png\n:::\n```')
})

test('takes linear time', () => {
  const started = usedCpuMs()
  mystToMarkdown(':::{figure} a\n'.repeat(50_000) + ':::')
  mystToMarkdown('```{figure} a\n'.repeat(50_000))
  mystToMarkdown('````{note}\n'.repeat(50_000))
  mystToMarkdown('```{list-table}\n* - a\n```\n'.repeat(20_000))
  expect(usedCpuMs() - started).toBeLessThan(4_000)
})
