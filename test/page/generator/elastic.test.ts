import { expect, test } from 'bun:test'
import { partialMatcher } from '../../../src/page/generator/generators.ts'
import { siteOf, siteText, type SiteSource } from '../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'elastic',
  config: 'docs/docset.yml',
  root: 'docs',
  files: {
    'docs/docset.yml': `project: Kettle
exclude: ['old/*.md']
toc:
  - file: index.md
  - toc: guide
  - folder: api
    children: [{file: a.md}, {hidden: b.md}]
subs:
  kettle: Red Kettle
`,
    'docs/guide/toc.yml': 'toc:\n  - file: boil.md\n    children: [{file: steam/out.md}]\n',
    'docs/_snippets/heat.md': 'Heat the {{kettle}}.\n',
  },
}

test('reads the order of nested tables of contents, substitutions and partials', async () => {
  const site = await siteOf(source)
  expect(site.order).toEqual([
    'docs/index.md',
    'docs/guide/boil.md',
    'docs/guide/steam/out.md',
    'docs/api/a.md',
    'docs/api/b.md',
  ])
  const isPartial = partialMatcher(site)
  expect(['docs/_snippets/heat.md', 'docs/old/x.md'].every(isPartial)).toBe(true)
  expect(isPartial('docs/guide/boil.md')).toBe(false)
})

async function check(text: string, expected: string): Promise<void> {
  expect(await siteText(source, text, 'docs/guide/boil.md')).toBe(expected)
}

test('fills in substitutions of the site and of the page, also in code that asks for them', async () => {
  await check('The {{kettle}}, {{product.apm}} and {{other}}', 'The Red Kettle, apm and {{other}}')
  await check(
    '---\nsub:\n  size: 2 l\n---\n```sh subs=true\nboil {{size}}\n```\n\n```sh\n{{size}}\n```',
    '```sh subs=true\nboil 2 l\n```\n\n```sh\n{{size}}\n```',
  )
})

test('expands snippets, and removes comments', async () => {
  await check('% no\n:::{include} /_snippets/heat.md\n:::\n', 'Heat the Red Kettle.\n')
})

test('turns names in brackets into anchors, and names links without text by their file', async () => {
  await check(
    '## Boil [boil-it]\n\n[](docs-content://a/set-up.md#x)',
    '## Boil {#boil-it}\n\n[set up](docs-content://a/set-up.md#x)',
  )
})
