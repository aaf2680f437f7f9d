import { expect, test } from 'bun:test'
import { diffRoutes } from '../../../src/web/read/diff-page.ts'
import { diffAddress, findOtherVersions } from '../../../src/web/read/read-page.ts'
import { readAddress } from '../../../src/web/read/page-links.ts'
import { openTestSite } from '../../support/page/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const site = disposeAfterAll(await openTestSite())
await site.add('kitchen', '1.0', { 'pot.md': '# Pot\n\nIt stews.\n\n## Lid\n\nIt is <flat>.\n' })
await site.add('kitchen', '1.1', { 'pot.md': '# Pot\n\nIt stews.\n\n## Lid\n\nIt is round.\n' })
await site.add('kitchen', '2.0', { 'pan.md': '# Pan\n\nIt fries.\n' })

const url = 'doc:/pot.md'
const [old, now] = [
  { version: '1.0', url },
  { version: '1.1', url },
]

test('finds the same page in other versions', async () => {
  const page = (await site.home.og.page({ url, library: 'kitchen', version: '1.1' }))!
  expect(await findOtherVersions(site.home.og, page)).toEqual({
    others: [{ ...old, isNewer: false }],
    nMore: 0,
  })
  const { text } = await site.ask(readAddress({ library: 'kitchen', ...now }))
  const there = readAddress({ library: 'kitchen', ...old }).replaceAll('&', '&amp;')
  expect(text).toContain(`<a class="badge" data-same-place href="${there}">1.0</a>`)
  const compared = diffAddress({ library: 'kitchen', from: old, to: now }).replaceAll('&', '&amp;')
  expect(text).toContain(`<a class="compare" href="${compared}">`)
})

test('compares the older version with the newer one, whichever is shown', async () => {
  const compared = diffAddress({ library: 'kitchen', from: old, to: now }).replaceAll('&', '&amp;')
  for (const shown of [old, now]) {
    const { text } = await site.ask(readAddress({ library: 'kitchen', ...shown }))
    expect(text).toContain(
      `<a class="compare" href="${compared}">compare<span class="unseen"> 1.0 with 1.1</span>`,
    )
  }
})

test('shows the differences side by side, section by section', async () => {
  expect(diffRoutes).toHaveLength(1)
  const { text } = await site.ask(diffAddress({ library: 'kitchen', from: old, to: now }))
  expect(text).toContain('<h2>Pot &gt; Lid <span class="badge changed">changed</span></h2>')
  expect(text).toContain(
    '<td class="was"><del>It is &lt;flat&gt;.</del></td>' +
      '<td class="now"><ins>It is round.</ins></td>',
  )
  expect(text).not.toContain('It stews.')
  const same = await site.ask(diffAddress({ library: 'kitchen', from: now, to: now }))
  expect(same.text).toContain('Both versions are identical.')
})

test('replaces long runs of unchanged lines with a count', async () => {
  const text = (word: string) =>
    `# Pan\n\n${Array.from({ length: 40 }, (_, i) => `Line ${i === 20 ? word : i}\n`).join('')}`
  await site.add('pans', '1', { 'a.md': text('old') })
  await site.add('pans', '2', { 'a.md': text('new') })
  const at = (version: string) => ({ version, url: 'doc:/a.md' })
  const compared = diffAddress({ library: 'pans', from: at('1'), to: at('2') })
  const { text: shown } = await site.ask(compared)
  expect(shown.match(/>\d+ the same</g)).toEqual(['>19 the same<', '>16 the same<'])
  expect(shown).toContain('<td>Line 19</td>')
})

test('reports a page that one version lacks', async () => {
  const none = { version: '2.0', url: 'doc:/none.md' }
  const { status, text } = await site.ask(diffAddress({ library: 'kitchen', from: old, to: none }))
  expect(status).toBe(404)
  expect(text).toContain('No page of kitchen 2.0 has the address &quot;doc:/none.md&quot;')
})
