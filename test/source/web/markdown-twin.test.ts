import { expect, test } from 'bun:test'
import { findTwinForm, twinFormOf, twinAddress } from '../../../src/source/web/crawl.ts'

const site = 'https://e.org'

test("returns the URL of a page's Markdown in each form", () => {
  expect(twinAddress('page.md', `${site}/a/`)).toBe(`${site}/a.md`)
  expect(twinAddress('page.md', `${site}/a.html`)).toBe(`${site}/a.md`)
  expect(twinAddress('page.md', `${site}/`)).toBe(`${site}/index.md`)
  expect(twinAddress('index.md', `${site}/a/`)).toBe(`${site}/a/index.md`)
  expect(twinAddress('index.md', `${site}/`)).toBeNull()
  expect(twinAddress('page.html.md', `${site}/a/`)).toBe(`${site}/a/index.html.md`)
  expect(twinAddress('page.html.md', `${site}/a`)).toBeNull()
  expect(twinAddress('page.md', `${site}/a?b`)).toBeNull()
  expect(twinAddress('page.md', `${site}/logo.png`)).toBeNull()
  expect(twinFormOf(`${site}/a/`, `${site}/a/index.md`)).toBe('index.md')
  expect(twinFormOf(`${site}/a/`, `${site}/b.md`)).toBeNull()
})

test('requires two pages with different Markdown', async () => {
  const pages = [`${site}/`, `${site}/a/`, `${site}/b/`, `${site}/c/`]
  const form = (texts: Record<string, string>) =>
    findTwinForm(pages, async (url) => texts[url.slice(site.length)] ?? null)
  expect(await form({ '/a.md': 'A', '/b.md': 'C' })).toBe('page.md')
  expect(await form({ '/a.md': 'Home', '/b.md': 'Home' })).toBeNull()
  expect(await form({ '/a/index.md': 'A', '/b/index.md': 'C' })).toBe('index.md')
  expect(await form({ '/a.md': 'A' })).toBeNull()
  expect(await form({ '/a.md': '---', '/b.md': '***' })).toBeNull()
  expect(await findTwinForm([], async () => 'A')).toBeNull()
})
