import { expect, test } from 'bun:test'
import { usedCpuMs } from '../support/pages/cpu-time.ts'
import { parsePage } from '../../src/page/parse.ts'
import { openTitleIndex, titlesFrom } from '../../src/references/title-index.ts'

const files: Record<string, string> = {
  'docs/01-app/02-guides/mdx.mdx': '---\ntitle: How to use MDX\n---\n\nWrite **MDX**.\n',
  'docs/02-pages/02-guides/mdx.mdx':
    '---\ntitle: MDX\nsource: app/guides/mdx\n---\n\n{/* DO NOT EDIT. */}\n',
  'docs/02-pages/own.mdx': '---\ntitle: Own\nsource: app/guides/mdx\n---\n\nOwn text.\n',
  'docs/a/cache.md':
    "---\ntitle: Cache\n---\nA-query `a-query`.\n\n[//]: # 'Ex'\n\na\n\n[//]: # 'Ex'\n\n[//]: # 'Two'\nLater.\n",
  'docs/b/cache.md':
    "---\ntitle: Cache\nref: docs/a/cache.md\nreplace: { 'a-query': 'b-query', 'A-query': 'B-query' }\n---\n\n[//]: # 'Ex'\n\nb\n\n[//]: # 'Ex'\n",
  'docs/02-pages/gone.mdx': '---\ntitle: Gone\nsource: app/guides/gone\n---\n',
}

async function page(from: string) {
  const read = async (path: string) => files[path] ?? null
  const titles = titlesFrom(openTitleIndex({ paths: Object.keys(files), read }), from)
  const file = { bytes: Buffer.from(files[from]!), path: from, url: `https://x/${from}` }
  const { title, text } = await parsePage(file, { from, read, titles })
  return { title, text: text.trim() }
}

test('takes linear time for comments without an end', async () => {
  const marks = '<!-- {/* '.repeat(50_000)
  const text = `---\nsource: app/guides/mdx\n---\n${marks}`
  const file = { bytes: Buffer.from(text), path: 'docs/a.mdx', url: 'https://x/a' }
  const read = async (path: string) => files[path] ?? null
  const started = usedCpuMs()
  await parsePage(file, { from: 'docs/a.mdx', read, titles: async () => [null] })
  expect(usedCpuMs() - started).toBeLessThan(4000)
})

test('shows the text of the page that a page without text names as its source', async () => {
  const shared = { title: 'MDX', text: 'Write **MDX**.' }
  expect(await page('docs/02-pages/02-guides/mdx.mdx')).toEqual(shared)
  expect(await page('docs/02-pages/own.mdx')).toEqual({ title: 'Own', text: 'Own text.' })
  expect(await page('docs/02-pages/gone.mdx')).toEqual({
    title: 'Gone',
    text: '(The source lacks the file app/guides/gone, which the site shows here.)',
  })
})

test('replaces words and named parts of the page that a page refers to', async () => {
  expect(await page('docs/b/cache.md')).toEqual({
    title: 'Cache',
    text: 'B-query `b-query`.\n\n\n\nb\n\n\n\n\nLater.',
  })
})
