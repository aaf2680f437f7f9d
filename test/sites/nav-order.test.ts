import { expect, test } from 'bun:test'
import { linkedPaths, summaryNavigation } from '../../src/sites/nav-order.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

test('lists the paths that links may mean, in the order of the links', () => {
  const text = "[{ text: 'Why', link: '/guide/why' }, { link: \"/config/\" }, 'a.html#b']"
  expect(linkedPaths({ text, folders: ['docs'] }).order).toEqual([
    'docs/guide/why',
    'docs/guide/why/index',
    'docs/config',
    'docs/config/index',
    'docs/a',
    'docs/a/index',
  ])
})

test('reads the labels of the sections above the links', () => {
  const check = (text: string, expected: readonly string[]) => {
    const { sections } = linkedPaths({ text, folders: [''] })
    const named = [...sections].filter(([path]) => !path.endsWith('/index'))
    expect(named.map(([path, section]) => `${section.replaceAll('\n', ' > ')}: ${path}`)).toEqual([
      ...expected,
    ])
  }
  check("[{ text: 'Guide', items: [{ text: 'Why', link: '/why' }] }, { link: '/faq' }]", [
    'Guide: why',
    ': faq',
  ])
  check("{ docs: ['a', { type: 'category', items: ['b'], label: 'In depth' }] }", [
    ': a',
    ': category',
    'In depth: b',
  ])
  check("{ docs: { 'Getting started': ['a', 'b/c'] } }", [
    'Getting started: a',
    'Getting started: b/c',
  ])
  check(
    '{ "tab": "T", "groups": [{ "group": "G", "pages": ["a", { "group": "H", "pages": ["b"] }] }] }',
    [': T', 'G: a', 'G > H: b'],
  )
})

test('ignores addresses, phrases, and links that leave the source', () => {
  const text = "'https://a.example/b' '#top' 'Getting started' '../../secret' `${base}/x`"
  expect(linkedPaths({ text, folders: ['docs'] }).order).toEqual([])
})

test('reads a megabyte of hostile text in linear time', () => {
  const text = "'".repeat(1e6) + '"a'.repeat(2e5)
  const startedAt = usedCpuMs()
  linkedPaths({ text, folders: ['docs'] })
  expect(usedCpuMs() - startedAt).toBeLessThan(2000)
})

test('reads the links of a summary, with their titles as text', () => {
  const summary = '# Summary\n[A](a.md)\n* [`b` & [c]](<d/e f.md>)\n  1. [G](../g.md)\n[x]()\n'
  expect([...summaryNavigation(summary, 'src').titles]).toEqual([
    ['src/a.md', 'A'],
    ['src/d/e f.md', 'b & [c]'],
    ['g.md', 'G'],
  ])
})

test('reads the parts of a summary and the pages above a page', () => {
  const summary =
    '# Summary\n\n[Start](a.md)\n\n# Guide\n\n- [B](b.md)\n    - [C](c.md)\n- [Draft]()\n    - [D](d.md)\n'
  expect([...summaryNavigation(summary, 'src').sections]).toEqual([
    ['src/a.md', ''],
    ['src/b.md', 'Guide'],
    ['src/c.md', 'Guide\n/src/b.md'],
    ['src/d.md', 'Guide'],
  ])
})
