import { expect, test } from 'bun:test'
import { htmlText } from '../../../src/web/html.ts'
import { searchFields } from '../../../src/web/search/search-fields.ts'
import { searchRoutes, searchForm, hitCard } from '../../../src/web/search/search-page.ts'
import { openTestSite } from '../../support/page/site.ts'
import { plainWhy } from '../../support/why.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const site = disposeAfterAll(await openTestSite())
const pot = '# Pot\n\nIt stews for hours.\n'
await site.add('kitchen', '1.0', {
  'pot.md': pot,
  'kettle.md': '# Kettle\n\nIt boils <b>water</b>.\n',
})
await site.add('kitchen', '1.1', { 'pot.md': pot })
const gears = Array.from({ length: 50 }, (_, i) => [`p${i}.md`, `# Gear number${i}\n\nTurn it.\n`])
await site.add('gears', '1', Object.fromEntries(gears))

test('routes the search page and its bare results', () => {
  expect(searchRoutes.map(({ path }) => path)).toEqual(['/', '/hits'])
})

test('lists the libraries once before the first search, and the versions of a chosen one', async () => {
  const { status, text } = await site.ask('/')
  expect(status).toBe(200)
  expect(text).toContain('<form class="asking" id="search" role="search" action="/" method="get">')
  expect(text.match(/>kitchen</g)).toHaveLength(1)
  const chosen = await site.ask('/?library=kitchen')
  expect(chosen.text).toMatch(
    /Pages of kitchen<\/h2><ul><li><a href="\/pages\?[^"]*version=1\.1">1\.1<\/a>/,
  )
})

test('explains how to add a library if the store is empty', async () => {
  await using empty = await openTestSite()
  expect((await empty.ask('/')).text).toContain('<code>og add fastapi</code>')
  expect((await empty.ask('/?q=a')).status).toBe(200)
})

test('shows hits without JavaScript', async () => {
  const { text } = await site.ask('/?q=boils+water&version=1.0')
  expect(text).toContain('1 hit in kitchen 1.0')
  expect(text).toContain('href="/read?library=kitchen&amp;version=1.0&amp;url=')
  expect(text).toContain('It <mark>boils</mark> <strong><mark>water</mark></strong>.')
  expect(text).toContain('<dd>full text: rank 1, BM25 ')
  const line = 'It <mark>boils</mark> <mark>water</mark>.'
  expect(text).toContain(`<details class="passage" open><summary><span class="line">${line}</span>`)
  expect(text).toContain('value="boils water"')
})

test('lists the other versions of the searched one in a menu only', async () => {
  const { text } = await site.ask('/?q=stews&library=kitchen')
  expect(text).toContain('1 hit in kitchen 1.1')
  expect(text.match(/<ul aria-label="Other versions of kitchen">.*?<\/ul>/)![0]).toContain('>1.0<')
  expect(text).not.toContain('also indexed')
})

test('lists the versions with the same text', async () => {
  expect((await site.ask('/hits?q=stews')).text).toContain('<span class="same">same in 1.0</span>')
})

test('returns only the results to page.js, without embeddings if requested', async () => {
  for (const by of ['', '&by=words']) {
    const { text, headers } = await site.ask(`/hits?q=stews${by}`)
    expect(text).toStartWith('<p class="count"><span class="found">1 hit')
    expect(headers.get('content-security-policy')).toStartWith("default-src 'none'")
  }
})

test('groups the hits of a page, and folds all passages but the best', async () => {
  const part = (name: string) =>
    `## ${name}\n\n${`A ladle named ${name} lies here. `.repeat(40)}\n\n`
  await site.add('drawer', '1', {
    'a.md': `# Drawer\n\n${['one', 'two', 'three'].map(part).join('')}`,
    'b.md': '# Ladle\n\nA ladle.\n',
  })
  const { text } = await site.ask('/hits?q=ladle&library=drawer')
  const cards = [...text.matchAll(/<li class="hit( more)?" data-href="[^"]*url=([^&]*)/g)]
  const pages = cards.map(([, , url]) => url)
  expect(pages.filter((url, i) => url !== pages[i - 1])).toHaveLength(2)
  expect(cards.filter(([, more]) => more !== undefined)).toHaveLength(cards.length - 2)
  expect(cards.length).toBeGreaterThan(3)
  expect(text.match(/<details class="passage" open>/g)).toHaveLength(1)
})

test('labels a weak answer', async () => {
  const query = 'gear ratio of planetary transmissions in fastapi'
  const { text } = await site.ask(`/?${new URLSearchParams({ q: query, library: 'gears' })}`)
  expect(text).toContain('<p class="weak">No passage is clearly about this; nearest:</p>')
  expect(text).toContain('fastapi is not indexed. To add it: <code>og add fastapi</code>')
})

test('shows an escaped error instead of hits', async () => {
  for (const [asked, expected, said] of [
    ['library=<b>', 404, 'Library &quot;&lt;b&gt;&quot; not found'],
    ['library=kitchen&version=9', 404, 'Version &quot;9&quot; not found'],
    ['library=Kitchen@1.0', 200, '1 hit in kitchen 1.0'],
    ['kind=x', 400, 'Unknown kind of page &quot;x&quot;'],
    // The error is detected during the search, after the head of the page was sent.
    ['path=none/**', 200, 'No page has a path like'],
    ['library=kitchen,none', 200, 'Library &quot;none&quot; is not indexed'],
  ] as const) {
    const { status, text } = await site.ask(`/?q=stews&${asked}`)
    expect([status, text]).toEqual([expected, expect.stringContaining(said)])
    expect(text).toContain('<form class="asking" id="search"')
    const alone = await site.ask(`/hits?q=stews&${asked}`)
    expect([alone.status, alone.text]).toEqual([200, expect.stringContaining(said)])
  }
})

test('fills the form with the escaped input', () => {
  const typed = new URLSearchParams({ q: '"><b>', kind: 'guide' })
  const form = htmlText(searchForm(searchFields(typed), []))
  expect(form).toContain('value="&quot;&gt;&lt;b&gt;"')
  expect(form).toContain('<details class="filters" open>')
  expect(form).toContain('<option value="guide" selected>')
})

test('offers to copy a hit with its source', () => {
  const hit = {
    rank: 1,
    score: 1,
    library: 'a',
    version: '1',
    url: 'u:p',
    title: 'T',
    heading: 'T > S',
    text: 'b "c"',
    chunkId: '',
    startLine: 3,
    endLine: 4,
    why: plainWhy,
    anchor: 's',
    versions: ['1'],
    path: 'p.md',
    name: 'p',
    kind: 'guide' as const,
    language: null,
    markup: 'markdown' as const,
  }
  const card = htmlText(hitCard(hit, { query: 'c', heads: new Map() }))
  expect(card).toContain('data-copy="b &quot;c&quot;\n\nSource: u:p#s (a 1, lines 3-4)\n"')
  expect(card).toContain('<p class="above">T</p>')
})
