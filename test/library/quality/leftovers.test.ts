import { expect, test } from 'bun:test'
import { contentHealth } from '../../../src/library/quality/health.ts'
import { countLeftovers, renderLeftovers } from '../../../src/library/quality/leftovers.ts'
import type { PageRow } from '../../../src/store/pages/page-table.ts'

async function* rows(texts: Record<string, string>): AsyncGenerator<PageRow[]> {
  for (const [path, text] of Object.entries(texts)) {
    yield [{ path, text, title: 'T', markup: 'markdown' } as PageRow]
  }
}

const words = ' Words, words, and yet more words, so that the page is not empty.'

test('adds up the leftovers of pages, and lists the worst pages first', async () => {
  const counts = await countLeftovers(
    rows({
      'a.md': `{{< one >}}${words}`,
      'b.md': `{{< two >}}\n{{< three >}}\n(The source lacks the file x.rs, which the site shows here.)${words}`,
      'c.md': words,
    }),
  )
  expect(counts).toMatchObject({ shortcodes: 3, absent: 1, components: 0, pages: 2 })
  expect(counts?.examples[0]).toBe('b.md: {{< two >}}')
  expect(renderLeftovers(counts!)).toBe(
    '1 included text that the source lacks, 3 shortcodes on 2 pages (b.md: {{< two >}})',
  )
})

test('counts no leftovers on clean pages', async () => {
  expect(await countLeftovers(rows({ 'a.md': words }))).toBeNull()
})

test('lets other work run between pages', async () => {
  async function* once(): AsyncGenerator<PageRow[]> {
    for await (const pages of rows({ 'a.md': words })) yield Array(50).fill(pages[0])
  }
  let isCounted = false
  const counting = countLeftovers(once()).then(() => (isCounted = true))
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  expect(isCounted).toBe(false)
  await counting
})

test('lowers the health by the share of pages with leftovers', () => {
  const counts = { includes: 1, shortcodes: 0, components: 0, empty: 0, fileTitle: 0, pages: 5 }
  expect(contentHealth(90, { pages: 10, leftovers: { ...counts, examples: [] } })).toBe(45)
  expect(contentHealth(90, { pages: 10 })).toBe(90)
  expect(contentHealth(null, { pages: 10 })).toBeNull()
})

test('lowers the health by the share of public names that the index lacks', () => {
  const names = { declared: 40, missing: 10, groups: [] }
  expect(contentHealth(80, { pages: 10, names })).toBe(60)
  expect(contentHealth(80, { pages: 10, names: { ...names, declared: 0, missing: 0 } })).toBe(80)
})
