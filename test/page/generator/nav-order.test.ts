import { expect, test } from 'bun:test'
import { fromSidebar, linkedPaths } from '../../../src/page/generator/nav-order.ts'

test('lists the paths that links may mean, in the order of the links', () => {
  const text = "[{ text: 'Why', link: '/guide/why' }, { link: \"/config/\" }, 'a.html#b']"
  expect(linkedPaths({ text, folders: ['docs'] })).toEqual([
    'docs/Why',
    'docs/Why/index',
    'docs/guide/why',
    'docs/guide/why/index',
    'docs/config',
    'docs/config/index',
    'docs/a',
    'docs/a/index',
  ])
})

test('ignores addresses, phrases, and links that leave the source', () => {
  const text = "'https://a.example/b' '#top' 'Getting started' '../../secret' `${base}/x`"
  expect(linkedPaths({ text, folders: ['docs'] })).toEqual([])
})

test('reads a megabyte of hostile text in linear time', () => {
  const text = "'".repeat(1e6) + '"a'.repeat(2e5)
  const startedAt = performance.now()
  linkedPaths({ text, folders: ['docs'] })
  expect(performance.now() - startedAt).toBeLessThan(2000)
})

test('starts at the sidebar of a configuration', () => {
  expect(fromSidebar("nav: ['a'], sidebar: ['b']")).toBe("sidebar: ['b']")
  expect(fromSidebar("nav: ['a']")).toBe('')
})
