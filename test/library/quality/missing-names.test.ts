import { expect, test } from 'bun:test'
import {
  addMissingCommand,
  missingShare,
  renderNames,
  summarizeNames,
  countLeftovers,
  renderLeftovers,
} from '../../../src/library/quality/missing-names.ts'
import { contentHealth } from '../../../src/library/quality/health.ts'
import type { PageRow } from '../../../src/store/pages/page-table.ts'
import type { MissingName } from '../../../src/api/link/unresolved.ts'

const lost = (name: string, from = 'a.ts'): MissingName => ({ name, reason: 'undeclared', from })
const foreign = (name: string): MissingName => ({ name, reason: 'dependency', from: 'npm:zod' })

test('counts missing names by reason, and lists some of each', () => {
  const names = summarizeNames({
    declared: 9,
    missing: [foreign('kit.z'), lost('kit.a'), lost('kit.b', 'b.ts'), lost('kit.c'), lost('kit.d')],
  })
  expect(renderNames(names)).toBe(
    '4 of 9 public names; missing: 4 without a declaration that og finds (kit.a, kit.b, kit.c, …); ' +
      '1 declared in npm:zod, which was not read (kit.z)',
  )
  expect(missingShare(names)).toBe('5 of 9 names missing')
})

test('says that no name is missing', () => {
  expect(renderNames(summarizeNames({ declared: 9, missing: [] }))).toBe('9 of 9 public names')
})

test('stores a limited number of names, and counts all', () => {
  const many = Array.from({ length: 2000 }, (_, i) => lost(`kit.name${i}`))
  const { missing, groups } = summarizeNames({ declared: 3000, missing: [...many, foreign('z')] })
  expect(missing).toBe(2001)
  expect(groups.map(({ count, names }) => [count, names.length])).toEqual([
    [2000, 499],
    [1, 1],
  ])
})

test('counts groups beyond the limit as other reasons', () => {
  const missing = Array.from({ length: 25 }, (_, i) => ({ ...foreign('x'), from: `npm:p${i}` }))
  expect(renderNames(summarizeNames({ declared: 30, missing }))).toEndWith('; 5 for other reasons')
})

test('names the command that adds a dependency, or the rest of a large reference', () => {
  expect(addMissingCommand('kit', { reason: 'dependency', from: 'npm:@a/b' })).toBe(
    'og add npm:@a/b',
  )
  expect(addMissingCommand('kit', { reason: 'limit', from: '' })).toBe('og add kit --api with')
  expect(addMissingCommand('kit', { reason: 'absent', from: '' })).toBeNull()
})

test('counts names with shortened documentation, and the modules of most of them', () => {
  const shortened = ['kit/a.x', 'kit/b.y', 'kit/b.z']
  const names = summarizeNames({ declared: 9, missing: [], shortened })
  expect(names.shortened).toEqual({ count: 3, modules: ['kit/b', 'kit/a'] })
  expect(renderNames(names)).toBe(
    '9 of 9 public names, 3 of them with one sentence of documentation (kit/b, kit/a)',
  )
})

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
      'b.md': `{{< two >}}\n{{< one >}}\n(The source lacks the file x.rs, which the site shows here.)${words}`,
      'c.md': words,
    }),
  )
  expect(counts).toMatchObject({ shortcodes: 3, absent: 1, components: 0, pages: 2 })
  expect(counts?.examples[0]).toBe('b.md: {{< two >}}')
  expect(counts?.frequent?.[0]).toEqual({ name: 'one', count: 2 })
  expect(renderLeftovers(counts!)).toBe(
    '1 included text that the source lacks, 3 shortcodes on 2 pages: ' +
      'one 2, two 1, missing text 1 (b.md: {{< two >}})',
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
