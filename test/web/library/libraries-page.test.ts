import { expect, test } from 'bun:test'
import { loadConfig } from '../../../src/config/load.ts'
import { openOg } from '../../../src/open.ts'
import { healthRoutes } from '../../../src/web/library/health-page.ts'
import { libraryRoutes } from '../../../src/web/library/libraries-page.ts'
import { pagesRoutes } from '../../../src/web/library/pages-page.ts'
import { openWebSite } from '../../../src/web/site.ts'
import { openBirds } from '../../support/following/birds.ts'
import { formTokenIn, openTestSite } from '../../support/page/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import { pagesAddress } from '../../../src/web/read/page-links.ts'

const site = disposeAfterAll(await openTestSite())
await site.add('kitchen', '1.0', {
  'pot.md': '# Pot\n\nIt stews.\n',
  'a/pan.md': '# Pan\n\nIt <fries>.\n',
})

const place = { library: 'kitchen', version: '1.0' }

test('lists libraries with their size and state', async () => {
  expect(libraryRoutes).toHaveLength(1)
  const { text } = await site.ask('/libraries')
  expect(text).toContain('<th scope="row"><a href="/?library=kitchen">kitchen</a>')
  expect(text).toContain(
    '<td class="right" title="2 chunks">2<span class="unit"> pages</span></td>',
  )
  expect(text).toContain('<td>as it should be</td>')
  await using empty = await openTestSite()
  expect((await empty.ask('/libraries')).text).toContain('<code>og add fastapi</code>')
})

test('sorts and filters the table of libraries', async () => {
  await using many = await openTestSite()
  const page = (words: string) => ({ [`${words}.md`]: `# ${words}\n\nText.\n` })
  await many.add('boat', '1.0', { ...page('a'), ...page('b'), ...page('c') })
  await many.add('anchor', '1.0', page('a'))
  await many.add('anchor', '2.0', { ...page('a'), ...page('b') })
  const rows = async (query: string) =>
    [
      ...(await many.ask(`/libraries${query}`)).text.matchAll(
        /library=(\w+)&amp;version=([\d.]+)"/g,
      ),
    ]
      .map(([, library, version]) => `${library} ${version}`)
      .filter((row, at, all) => all.indexOf(row) === at)
  expect(await rows('')).toEqual(['anchor 2.0', 'anchor 1.0', 'boat 1.0'])
  expect(await rows('?sort=pages')).toEqual(['boat 1.0', 'anchor 2.0', 'anchor 1.0'])
  expect(await rows('?sort=pages&order=reverse')).toEqual(['anchor 1.0', 'anchor 2.0', 'boat 1.0'])
  expect(await rows('?sort=nothing&find=ANCH')).toEqual(['anchor 2.0', 'anchor 1.0'])
  const { text } = await many.ask('/libraries?sort=pages&find=anch')
  expect(text).toContain('2 of 3 versions')
  expect(text).toContain('aria-sort="descending"><a href="/libraries?sort=pages&amp;order=reverse')
  expect(text).toContain('&amp;find=anch">Pages</a>')
})

test('shows how many public names a library lacks', async () => {
  await using lamps = await openTestSite()
  await lamps.add('lamp', '1.0', {
    'pyproject.toml': '',
    'lamp/__init__.py': '__all__ = ["on", "Oil"]\ndef on(): "Lights."\n',
  })
  expect((await lamps.ask('/libraries')).text).toMatch(/\(lamp\.Oil\)">1 of 2 names missing</)
  await using whole = await openTestSite()
  await whole.add('lamp', '1.0', {
    'pyproject.toml': '',
    'lamp/__init__.py': '__all__ = ["on"]\ndef on(): "Lights."\n',
  })
  expect((await whole.ask('/libraries')).text).toContain('<td>as it should be</td>')
})

test('finds the pages of a version by path and title', async () => {
  const all = await site.ask(pagesAddress(place))
  expect(all.text).toContain('2 pages')
  const some = await site.ask(`${pagesAddress(place)}&find=PAN`)
  expect(some.text).toContain('1 of 2 pages')
  expect(some.text).not.toContain('>Pot</a>')
})

test('shows the chunks of a page with their search terms', async () => {
  expect(pagesRoutes).toHaveLength(2)
  const { text } = await site.ask(
    `/chunks?${new URLSearchParams({ ...place, url: 'doc:/a/pan.md' })}`,
  )
  expect(text).toContain('1 chunk of a page')
  expect(text).toContain('It &lt;fries&gt;.')
  expect(text).toMatch(/<p class="terms">[^<]*\bfri/)
})

test('reports a missing library, version or page', async () => {
  for (const [path, expected] of [
    ['/pages', 400],
    ['/pages?library=none&version=1', 404],
    ['/chunks?library=kitchen&version=1.0', 404],
    ['/chunks?library=kitchen&version=9&url=doc:/pot.md', 404],
  ] as const) {
    const { status, text } = await site.ask(path)
    expect([path, status, text.includes('role="alert"')]).toEqual([path, expected, true])
  }
})

test('shows the previous state in the row of the current one', async () => {
  await using own = await openTestSite()
  await own.add('garden', '1.0', { 'rose.md': '# Rose\n\nRed.\n' })
  expect((await own.ask('/libraries')).text).not.toContain('class="before"')
  await own.add('garden', '1.0', {
    'rose.md': '# Rose\n\nIt is white.\n',
    'oak.md': '# Oak\n\nTall.\n',
  })
  const { text } = await own.ask('/libraries')
  expect(text).toMatch(/<span class="before">before: <time [^<]*<\/time>, 1 page, [\d.]+ kB/)
})

test('measures the health of a version once and lists the unanswered questions', async () => {
  expect(healthRoutes).toHaveLength(2)
  const { text } = await site.ask('/libraries')
  const form = { ...place, form: formTokenIn(text) }
  const measured = await site.ask('/health-of', { form })
  const to = measured.headers.get('location')!
  expect([measured.status, to]).toEqual([303, '/health-of?library=kitchen&version=1.0'])
  const said = /<p>\d+ % of \d+ questions are answered|<p>Its pages contain no text for questions/
  expect((await site.ask(to)).text).toMatch(said)
  expect((await site.ask('/libraries')).text).toContain(`<a href="${to.replace('&', '&amp;')}">`)
  const none = { form: form.form, library: 'none', version: '1' }
  expect((await site.ask('/health-of', { form: none })).status).toBe(404)
})

test('lists the gaps in the pages of a version on its health page', async () => {
  await using own = await openTestSite()
  await own.add('garden', '1.0', { 'rose.md': '# Rose\n\nA rose is {{< color "red" >}}.\n' })
  const { text } = await own.ask('/health-of?library=garden&version=1.0')
  const gap = '1 shortcode on 1 page: color 1 (rose.md: {{&lt; color &quot;red&quot; &gt;}}.)'
  expect(text).toContain(`Not expanded in its pages: ${gap}`)
})

test('reports the progress of embedding a version', async () => {
  await using birds = await openBirds()
  await birds.stopAfter(6)
  const place = { HOME: birds.folder, OG_DB_PATH: birds.folder }
  const env = { ...place, OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' }
  await using og = openOg(await loadConfig(env), () => {})
  const ingest = { self: ['false'], env: {}, checkSource: async () => {} }
  const shown = { og, limit: 8, knownSources: async () => [], ingest, memory: null }
  const answer = await openWebSite(shown, null).answer(new Request('http://127.0.0.1:1/libraries'))
  const text = await answer.text()
  expect(text).toContain('words only so far: 7 % by meaning')
  expect(text).toContain('action="/libraries/resume"')
})
