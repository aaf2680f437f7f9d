import { expect, test } from 'bun:test'
import type { GeneratorName } from '../../src/sites/generators.ts'
import { parsePage } from '../../src/page/parse.ts'
import { openTitleIndex, titlesFrom } from '../../src/references/title-index.ts'
import { referenceTitlesOf } from '../../src/references/references.ts'

/** The text of the first file as a page of a site at `docs`, which also has the other files. */
async function shown(files: Record<string, string>, generator: GeneratorName = 'sphinx') {
  const [[from, text]] = Object.entries(files) as [[string, string]]
  const read = async (path: string) => files[path] ?? null
  const titles = titlesFrom(openTitleIndex({ paths: Object.keys(files), read }), from)
  const bases: string[] = []
  const variables = new Map<string, string>()
  const facts = { bases, variables, title: null, isShared: false }
  const site = { ...facts, generator, root: 'docs', path: from }
  const file = { bytes: Buffer.from(text), path: from, url: `https://x/${from}`, site }
  return (await parsePage(file, { from, read, titles })).text.replaceAll('\t', '').trim()
}

test('shows rst references without text as the titles of their targets', async () => {
  const files = {
    'docs/use/a.rst': [
      'See :doc:`b`, :doc:`/index`, :ref:`First-Part`, :ref:`own <first-part>`, :numref:`no-part`,',
      ':ref:`over\nlined`, ``:doc:`b```, :ref:`use/b:Second Part` and :ref:`use/b:None Here`.',
      '',
      'Code::',
      '',
      '   :doc:`b`',
      '',
      '====== ===============',
      ':doc:`b` :ref:`first-part`',
      '====== ===============',
      '',
      '.. toctree::',
      '   :maxdepth: 1',
      '',
      '   b',
      '   c',
    ].join('\n'),
    'docs/use/b.rst':
      'Page *B*\n========\n\n.. _first-part:\n.. _other:\n\nThe part\n--------\n\nSecond Part\n-----------\n',
    'docs/index.rst':
      '.. _over lined:\n\n====\nHome\n====\n\ntext\n\n.. _no-part:\n\ntext\n\nLater\n-----\n',
  }
  expect(await shown(files)).toBe(
    [
      'See Page B, Home, The part, own, no-part,',
      'Home, `` :doc:`b` ``, Second Part and None Here.',
      '',
      'Code:',
      '',
      '```',
      ':doc:`b`',
      '```',
      '',
      '```',
      '====== ===============',
      ':doc:`b` :ref:`first-part`',
      '====== ===============',
      '```',
      '',
      '- [Page B](b)',
      '- [c](c)',
    ].join('\n'),
  )
})

test('shows references in documentation from source files as titles', async () => {
  const files = {
    'docs/a.rst': '.. automodule:: tool\n',
    'docs/b.rst': '.. _part:\n\nThe part\n========\n',
    'tool.py': '"""See :ref:`part`."""\n',
  }
  expect(await shown(files)).toContain('See The part.')
})

test('shows MyST references and empty links as the titles of their targets', async () => {
  const files = {
    'docs/a.md':
      '# A [](#a)\n\n{doc}`b`, {ref}`deep`, {term}`deep`, [](b.md#some-part), [](deep), [](#own),\n' +
      '[](gone/x.md), <project:b.md>, <inv:py#dict>, `[](b.md)`, `` {doc}`b` ``, ![](p.png), [](#no).\n' +
      '\n(own)=\n## Own [part]\n\n```\n[](b.md)\n```\n',
    'docs/b.md': '---\ntitle: "Page B"\n---\n\n# Other\n\n(deep)=\n### Deep\n\n## Some part\n',
  }
  expect(await shown(files)).toBe(
    '# A [](#a)\n\nPage B, Deep, deep, [Some part](b.md#some-part), [Deep](deep), ' +
      '[Own \\[part\\]](#own),\n[x](gone/x.md), [Page B](b.md), `dict`, `[](b.md)`, ' +
      '`` {doc}`b` ``, ![](p.png), [](#no).\n\n## Own [part]\n\n```\n[](b.md)\n```',
  )
})

test('shows references of AsciiDoc as the titles of pages and sections', async () => {
  const files = {
    'docs/modules/use/pages/a.adoc':
      'See xref:b.adoc[], xref:b.adoc#part[], xref:other:c.adoc[], xref:b.adoc[own], <<here>>,\n' +
      '<<_the_end>>, <<part>>, <<gone>> and xref:use:gone.adoc[] or xref:d.adoc[].\n\n[[here]]\n== Here it is\n\n== The end\n',
    'docs/modules/use/pages/b.adoc': '= Page B\n:x: y\n\n[#part]\n== A part\n',
    'docs/modules/use/pages/d.adoc': '= All of {plus}\n',
    'more/modules/other/pages/c.adoc': '= Page C\n',
  }
  expect(await shown(files, 'antora')).toBe(
    'See Page B, A part, Page C, own, Here it is,\nThe end, A part, gone and gone or All of +.\n\n' +
      '## Here it is\n\n## The end',
  )
})

test('shows uids of DocFX as the titles of pages', async () => {
  const files = {
    'docs/a.md':
      '<xref:page.b>, [](xref:page.b?x=1), @page.b, @"page.b", <xref:System.String>, `@page.b`, me@page.b, @other',
    'docs/b.md': '---\nuid: page.b\ntitle: Page B\n---\nText\n',
  }
  expect(await shown(files, 'docfx')).toBe(
    'Page B, Page B, Page B, Page B, `String`, `@page.b`, me@page.b, @other',
  )
})

test('shows section references of Quarto as titles', async () => {
  const quarto = {
    'docs/a.qmd': 'See @sec-b, `@sec-b`.',
    'docs/b.qmd': '# B\n\n## The b {#sec-b}\n',
  }
  expect(await shown(quarto, 'quarto')).toBe('See The b, `@sec-b`.')
})

test('shows links of DocC as the titles of pages and sections anywhere in the catalog', async () => {
  const files = {
    'K.docc/Use/A.md': 'See <doc:Boil-Water>, <doc:Boil-Water#Red-Kettle> and <doc:OtherPage>.',
    'K.docc/Guide/Boil Water.md': '# How to boil\n\n## Red kettle\n',
    'M.docc/OtherPage.md': '# Of another catalog\n',
  }
  expect(await shown(files)).toBe('See How to boil, Red kettle and Other Page.')
})

test('asks once for all references of a page, and not at all without references', async () => {
  const asked: unknown[] = []
  const page = { path: 'a.rst', dialect: 'rst', site: undefined } as const
  const find = async (queries: readonly (readonly string[])[]) => {
    asked.push(queries)
    return queries.map(() => null)
  }
  expect((await referenceTitlesOf('a :ref:`x`, :doc:`../b`, :doc:`c`', page, find)).size).toBe(0)
  expect(asked).toEqual([[['c#'], ['#x']]])
  await referenceTitlesOf('no :py:func:`f` `x`', page, find)
  expect(asked.length).toBe(1)
})
