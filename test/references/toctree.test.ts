import { expect, test } from 'bun:test'
import { toctreeOf } from '../../src/references/toctree.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

const page = { path: 'docs/a/index.rst', isRst: true, root: 'docs' } as const

test('reads captions, titles, targets of both kinds and globs', () => {
  const text = `Title
=====

.. toctree::
   :maxdepth: 2
   :caption: First steps

   one
   Two <../b/two.rst>
   /three
   self
   Elsewhere <https://a.example/>

Guides
------

.. toctree::
   :glob:
   :reversed:

   x
   more/*

.. toctree::
   :hidden:

   self
`
  expect(toctreeOf(text, page).split('\n')).toEqual([
    '# First steps',
    'docs/a/one',
    'docs/b/two\tTwo',
    'docs/three',
    '## Guides',
    'docs/a/more/*',
    'docs/a/x',
  ])
})

test('reads fences and colons of MyST, but no examples in code', () => {
  const text =
    '# Title\n\n```{toctree}\n:caption: Parts\none.md\n```\n\n````md\n```{toctree}\nno\n```\n````\n\n' +
    ':::{toctree}\n---\nmaxdepth: 1\n---\ntwo\n:::\n'
  const read = toctreeOf(text, { ...page, isRst: false })
  expect(read.split('\n')).toEqual(['# Parts', 'docs/a/one', 'docs/a/two'])
  expect(toctreeOf('Code::\n\n   .. toctree::\n\n      no\n', page)).toBe('')
})

test('ignores targets outside the source', () => {
  expect(toctreeOf('.. toctree::\n\n   ../../../secret\n', page)).toBe('')
})

test('reads a megabyte of hostile text in linear time', () => {
  const startedAt = usedCpuMs()
  toctreeOf('.. toctree::\n'.repeat(80_000), page)
  toctreeOf('```{toctree}\n<'.repeat(80_000), { ...page, isRst: false })
  toctreeOf('```{toctree}\n```\n'.repeat(80_000), { ...page, isRst: false })
  toctreeOf(`.. toctree::\n\n   ${'a '.repeat(500_000)}`, page)
  expect(usedCpuMs() - startedAt).toBeLessThan(3000)
})
