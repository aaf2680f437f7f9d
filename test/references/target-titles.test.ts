import { expect, test } from 'bun:test'
import { usedCpuMs } from '../support/pages/cpu-time.ts'
import { labelsOf, pageTitleOf, sectionTitlesOf } from '../../src/references/target-titles.ts'

test('reads the title of a page in each format', () => {
  expect(pageTitleOf('a.rst', '.. _a:\n\n*****\nThe A\n*****\n')).toBe('The A')
  expect(pageTitleOf('a.md', "---\ntitle: 'The A'\n---\n# B\n")).toBe('The A')
  expect(pageTitleOf('a.md', '---\ntitle: >-\n  x\n---\n# `B` and *c*\n')).toBe('B and c')
  expect(pageTitleOf('a.adoc', '// x\n= The *A*\n')).toBe('The A')
  expect(pageTitleOf('a.adoc', '= {name}\n')).toBe('{name}')
  expect(pageTitleOf('a.ipynb', '{"cells":[{"source":["# The A\\n"]}]}')).toBe('The A')
  expect(pageTitleOf('a.md', 'text\n')).toBe(null)
})

test('reads labels and the titles of the sections below them', () => {
  expect([
    ...labelsOf('a.rst', '.. _One Two:\n.. _`x`:\n\nTitle\n=====\n\n.. _y: https://x\n'),
  ]).toEqual([
    ['one two', 'Title'],
    ['x', 'Title'],
  ])
  const markdown =
    '---\nuid: A.b\ntitle: T\n---\n(one)=\n(two)=\n# One\n\n(no)=\ntext\n\n## S {#s}\n'
  expect(Object.fromEntries(labelsOf('a.md', markdown))).toEqual({
    'a.b': 'T',
    one: 'One',
    two: 'One',
    s: 'S',
  })
  expect([
    ...labelsOf('a.adoc', '[[x]]\n[.lead]\n== X\n\n[#y]\n.Y\n----\n----\n\n[[z,The z]]\na\n'),
  ]).toEqual([
    ['x', 'X'],
    ['y', 'Y'],
    ['z', 'The z'],
  ])
})

test('skips directives that show nothing between a label and its heading', () => {
  const text = '.. _a:\n\n.. currentmodule:: b\n\n.. _c:\n\nTitle\n=====\n'
  expect(Object.fromEntries(labelsOf('a.rst', text))).toEqual({ a: 'Title', c: 'Title' })
})

test('finds sections by the anchors that generators make', () => {
  expect(sectionTitlesOf('a.md', '# A b\n\n## C, d!\n').get('c-d')).toBe('C, d!')
  expect(sectionTitlesOf('a.adoc', '== C, d!\n').get('_c_d')).toBe('C, d!')
})

test('stays linear in the length of a hostile page', () => {
  const started = usedCpuMs()
  labelsOf('a.rst', '.. _a:\n'.repeat(100_000))
  labelsOf('a.rst', `.. _${':'.repeat(500_000)}`)
  labelsOf('a.md', '(a)=\n'.repeat(100_000))
  labelsOf('a.adoc', '[[a]]\n['.repeat(100_000))
  labelsOf('a.adoc', '[#a\n'.repeat(100_000))
  expect(usedCpuMs() - started).toBeLessThan(5_000)
})

test('reads the ids that Fumadocs writes behind a heading', () => {
  const titles = sectionTitlesOf('a.mdx', '## Set up [#setup]\n')
  expect([titles.get('setup'), titles.get('set-up')]).toEqual(['Set up', 'Set up'])
})

test('reads the title below directives that show nothing', () => {
  const text =
    '.. _top:\n\n.. rst-class:: big\n\n=====\nTitle\n=====\n\n.. _inc:\n\n.. include:: x.txt\n   :start-line: 2\n\nNext\n====\n'
  expect(Object.fromEntries(labelsOf('a.rst', text))).toEqual({ top: 'Title', inc: 'Next' })
})

test('reads captions below labels, and substitutions of the page in titles', () => {
  const text = [
    '.. |n| replace:: The *name*\n\n.. _a:\n\n|n| guide\n=========\n',
    '.. _b:\n\n.. figure:: i.png\n   :alt: x\n\n   A caption\n   over lines\n',
    '.. _c:\n\n.. list-table:: The table\n\n   * - x\n',
    '.. _d:\n\n.. code-block:: py\n   :caption: The code\n\n   x\n',
    '.. _e:\n\n.. figure:: j.png\n\nText\n',
  ].join('\n')
  expect(Object.fromEntries(labelsOf('x.rst', text))).toEqual({
    a: 'The name guide',
    b: 'A caption over lines',
    c: 'The table',
    d: 'The code',
  })
})
