import { expect, test } from 'bun:test'
import { readAddress } from '../../../src/web/read/page-links.ts'
import { readRoutes } from '../../../src/web/read/read-page.ts'
import { openTestSite } from '../../support/page/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const site = disposeAfterAll(await openTestSite())
await site.add('kitchen', '1.0', {
  'pot.md': '# Pot\n\nIt stews.\n\n## Lid\n\nSee [kettle](kettle.md#Water).\n\n## Lid\n\nAgain.\n',
  'kettle.md': '# Kettle\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n',
})

const place = { library: 'kitchen', version: '1.0' }

async function read(path: string, more = {}): Promise<string> {
  const [address = ''] = readAddress({ ...place, url: `doc:/${path}`, ...more }).split('#')
  const { status, text } = await site.ask(address)
  expect(status).toBe(200)
  return text
}

test('shows a page with its outline and internal links', async () => {
  const text = await read('pot.md')
  expect(text).toContain('<h2 id="lid">Lid</h2>')
  expect(text).toContain('<h2 id="lid-1">Lid</h2>')
  expect(text).toContain('<li class="level-2"><a href="#lid-1">Lid</a></li>')
  const there = readAddress({ ...place, url: 'doc:/kettle.md', anchor: 'Water' })
  expect(text).toContain(`<a href="${there.replaceAll('&', '&amp;')}">kettle</a>`)
})

test('splits a long outline into several lists, in order', async () => {
  const sections = Array.from({ length: 70 }, (_, i) => `## Part ${i}\n\nText.\n\n`).join('')
  await site.add('long', '1', { 'long.md': `# Long\n\n${sections}` })
  const text = await read('long.md', { library: 'long', version: '1' })
  const lists = text
    .split('<div class="lists">')[1]!
    .split('</div>')[0]!
    .split('</ul>')
    .slice(0, -1)
  expect(lists.map((list) => list.match(/<li /g)!.length)).toEqual([30, 30, 10])
  expect(lists[2]).toStartWith('<ul><li class="level-2"><a href="#part-60">')
})

test('marks the requested lines and scrolls to the first', async () => {
  expect(readAddress({ ...place, url: 'a', from: 3, to: 4 })).toEndWith('&lines=3-4#here')
  const text = await read('pot.md', { from: 7, to: 11 })
  expect(text).toContain(
    '<p>It stews.</p>\n<h2 id="lid">Lid</h2>\n<div id="here" class="here"><p>See ',
  )
  expect(text).toContain('<p>Again.</p>\n</div>')
})

test('runs no scripts of a page', async () => {
  const text = await read('kettle.md')
  expect(text).not.toContain('alert')
  expect(text).not.toContain('<img')
})

test('shows an API page by its path, with the names of members alone in the outline', async () => {
  await site.add('lamp', '1', {
    'pyproject.toml': '',
    'lamp/__init__.py':
      'class Lamp:\n    "A lamp."\n    def on(self): "Lights."\n    def off(self): "Darkens."\n',
  })
  const pages = (await site.ask('/pages?library=lamp&version=1')).text
  const address = (part: string) =>
    [...pages.matchAll(/href="(\/read[^"]*)"/g)]
      .map(([, href]) => href!.replaceAll('&amp;', '&'))
      .find((href) => href.includes(part))!
  const { text } = await site.ask(address('%23L1'))
  expect(text).toMatch(/<a href="#[^"]*">on<\/a>/)
  expect(text).toMatch(/<span class="source" title="[^"]+">lamp\/__init__\.py#L1<\/span>/)
})

test('links to the source of a page on the web only', async () => {
  await site.add('web', '1', { 'a.md': '# A\n\nText.\n' })
  const { text } = await site.ask('/read?library=web&version=1&url=doc:/a.md')
  expect(text).toContain('<span class="source" title="doc:/a.md">a.md</span>')
})

test('reports a missing page', async () => {
  expect(readRoutes).toHaveLength(1)
  for (const asked of ['', '?url=none', '?url=doc:/pot.md&library=none', '?lines=x&url=none']) {
    const { status, text } = await site.ask(`/read${asked}`)
    expect(status).toBe(404)
    expect(text).toContain('role="alert"')
  }
})

test('renders AsciiDoc with tables, code, notes and links', async () => {
  const source =
    '= Guide\n\nWith `code` and link:pot.md[the pot].\n\nNOTE: Mind the lid.\n\n' +
    '== Steps\n\n[source,python]\n----\ndef a(): pass\n----\n\n. one\n. two\n\n' +
    '|===\n|A |B\n\n|1 |2\n|===\n\n<script>alert(1)</script>\n'
  await site.add('adoc', '1.0', { 'guide.adoc': source, 'pot.md': '# Pot\n' })
  const text = await read('guide.adoc', { library: 'adoc' })
  expect(text).toContain('<h2 id="steps">Steps</h2>')
  expect(text).toContain('<p class="note"><strong>Note:</strong> Mind the lid.</p>')
  expect(text).toContain('<span class="hljs-keyword">def</span>')
  expect(text).toContain('<td>1</td>')
  expect(text).toContain('<ol>\n<li>one</li>')
  expect(text).toContain('url=doc%3A%2Fpot.md">the pot</a>')
  expect(text).not.toContain('<script>')
})

test('renders a notebook with its text, code and output', async () => {
  const cells = [
    {
      cell_type: 'markdown',
      metadata: {},
      source: ['# Lesson\n', '\n', 'It *begins*. <img src=x onerror=a>'],
    },
    {
      cell_type: 'code',
      execution_count: 1,
      metadata: {},
      source: ["print('hi')"],
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['hi <b>\n'] }],
    },
  ]
  const metadata = { kernelspec: { language: 'python' } }
  const notebook = { cells, metadata, nbformat: 4, nbformat_minor: 5 }
  await site.add('notes', '1.0', { 'lesson.ipynb': JSON.stringify(notebook) })
  const text = await read('lesson.ipynb', { library: 'notes' })
  expect(text).toContain('<h1 id="lesson">Lesson</h1>')
  expect(text).toContain('<em>begins</em>')
  expect(text).toContain(
    '<span class="hljs-built_in">print</span>(<span class="hljs-string">&#x27;hi&#x27;</span>)',
  )
  expect(text).toContain('hi &lt;b&gt;')
  expect(text).not.toContain('onerror')
})

test('links the newest and nearest of many versions and counts the others', async () => {
  for (let i = 10; i < 32; i++) await site.add('shelf', `1.${i}`, { 'a.md': `# A\n\nIn ${i}.\n` })
  const text = await read('a.md', { library: 'shelf', version: '1.20' })
  expect(text.match(/data-same-place/g)).toHaveLength(20)
  expect(text).toContain('>1 more version</a>')
  expect(text).toContain('<span class="unseen">Version </span>')
  const old = await read('a.md', { library: 'shelf', version: '1.11' })
  const linked = [...old.matchAll(/data-same-place [^>]*>([^<]*)/g)].map(([, version]) => version)
  expect(['1.31', '1.12', '1.10', '1.17'].map((version) => linked.includes(version))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(await read('pot.md')).not.toContain(' more version')
})
