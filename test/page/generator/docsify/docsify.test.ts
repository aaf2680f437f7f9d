import { expect, test } from 'bun:test'
import { partialMatcher } from '../../../../src/page/generator/generators.ts'
import { siteOf, sitePage, siteText, type SiteSource } from '../../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'docsify',
  config: 'docs/_sidebar.md',
  root: 'docs',
  files: {
    'docs/_sidebar.md': '- Start\n\n  - [Use it](use.md "How to use")\n  - [Set up](setup.md)\n',
    'docs/use.md': '# Use :id=use\n\nText\n',
    'docs/part.md': 'Part.\n',
    'docs/a.js': 'a()\n/// [demo]\nb()\n/// [demo]\nc()\n',
  },
}
const check = async (text: string, expected: string) =>
  expect((await siteText(source, text, 'docs/a.md')).trim()).toBe(expected)

test('reads the order of the pages from the sidebar, which is no page', async () => {
  const site = await siteOf(source)
  expect(site.order).toEqual(['docs/use.md', 'docs/setup.md'])
  const isPart = partialMatcher(site)
  expect(['docs/_sidebar.md', 'docs/_coverpage.md', 'docs/use.md'].map(isPart)).toEqual([
    true,
    true,
    false,
  ])
  expect((await sitePage(source, 'docs/use.md')).title).toBe('Use')
})

test('converts callouts, and removes the options of links and headings', async () => {
  await check('?> Mind *this*.', '> **Tip:** Mind *this*.')
  await check('!> Never.', '> **Important:** Never.')
  await check("[a](b.md ':ignore title')", '[a](b.md)')
  await check('[a](b.md "Title")', '[a](b.md "Title")')
  await check("`[a](b.md ':ignore')`", "`[a](b.md ':ignore')`")
  await check('## A {docsify-ignore}', '## A')
  await check('```\n?> a\n```', '```\n?> a\n```')
})

test('includes files as text and as code', async () => {
  await check("[part](part.md ':include')", 'Part.')
  await check(
    "[a](a.js ':include :type=code')",
    '```js\na()\n/// [demo]\nb()\n/// [demo]\nc()\n```',
  )
  await check("[a](a.js ':include :type=code js :fragment=demo')", '```js\nb()\n```')
  await check("[a](b.mp4 ':include :type=video')", '[a](b.mp4)')
})
