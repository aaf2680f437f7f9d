import { expect, test } from 'bun:test'
import type { Markup } from '../../../src/page/page.ts'
import { bodyBlocks } from '../../../src/search/excerpt/body-block.ts'
import { outlinePage, sectionAt } from '../../../src/search/excerpt/outline.ts'

function check(text: string, markup: Markup, expected: [path: string, anchor: string][]) {
  const { sections } = outlinePage({ text, markup })
  expect(sections.map(({ path, anchor }) => [path.join(' > '), anchor])).toEqual(expected)
  expect(sections.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
}

test('reads Markdown headings with ids from the author or as a forge generates them', () => {
  const text =
    'top\n# Use `C++` & more\n## Same\n### Deep {#own}\n## Same\n<a id="label"></a>\n\n## Étape 1\n'
  check(text, 'markdown', [
    ['', ''],
    ['Use C++ & more', 'use-c--more'],
    ['Use C++ & more > Same', 'same'],
    ['Use C++ & more > Same > Deep', 'own'],
    ['Use C++ & more > Same', 'same-1'],
    ['Use C++ & more > Étape 1', 'label'],
  ])
})

test('reads reStructuredText titles with ids as Sphinx generates them', () => {
  const text =
    'Top\n===\n\ntext\n\n.. _My Label:\n\nSet $x (1.2)\n------------\n\nmore\n\n3 ways\n------\n'
  check(text, 'rst', [
    ['', ''],
    ['Top', 'top'],
    ['Top > Set $x (1.2)', 'my-label'],
    ['Top > 3 ways', 'ways'],
  ])
})

test('treats a page without headings as one section', () => {
  check('a\nb\n', 'text', [['', '']])
  check('', 'markdown', [['', '']])
})

test('finds sections by offset, and their blocks', () => {
  const text = '# A\n\none:\n\n- x\n- y\n\n## B\ntwo\n'
  const outline = outlinePage({ text, markup: 'markdown' })
  for (const [i, { start, end }] of outline.sections.entries()) {
    for (let at = start; at < end; at++) expect(sectionAt(outline, at)).toBe(i)
  }
  const blocks = bodyBlocks(outline, outline.sections[1]!)
  expect(blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
    ['paragraph', '\none:\n\n'],
    ['list', '- x\n- y\n\n'],
  ])
})
