import { expect, test } from 'bun:test'
import { partialMatcher } from '../../../src/sites/generators.ts'
import { siteOf, sitePage, siteText, type SiteSource } from '../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'mkdocs',
  config: 'mkdocs.yml',
  files: {
    'mkdocs.yml': `site_name: Tool
docs_dir: docs/source
exclude_docs: |
  drafts/
nav:
  - Home: index.md
  - Guide:
      - Reading files: guide/io.md
      - Overview: guide/a.md
      - Overview: guide/b.md
theme:
  custom_dir: docs/source/_theme
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
  - pymdownx.snippets:
      base_path: [".", "docs/source/src"]
plugins:
  - search
  - macros
extra:
  release: 1.4
  links: {forum: "https://forum.example.org"}
`,
    'docs/source/guide/io.md': '## Reading\n\n## Writing\n',
    'docs/source/guide/a.md': '# About a\n',
    'docs/source/guide/b.md': 'No heading\n',
    'docs/source/src/python/io.py':
      '# --8<-- [start:read]\nimport tool\n# --8<-- [end:read]\nx = 1\n',
    'docs/source/src/rust/io.rs': '// --8<-- [start:read]\nuse tool;\n// --8<-- [end:read]\n',
    'README.md': 'Intro\n<!--start-->\n# Tool\ntext\n<!--end-->\nrest\n',
  },
}

const shown = (text: string) => siteText(source, text, 'docs/source/page.md')

test('reads titles, snippet folders and partials from the configuration', async () => {
  const site = await siteOf(source)
  expect(site.folders).toEqual(['docs/source'])
  expect(site.titles.get('docs/source/guide/io.md')).toBe('Reading files')
  expect(site.bases).toEqual(['', 'docs/source/src', 'docs/source'])
  const isPartial = partialMatcher(site)
  const partials = ['src/x.md', '_theme/404.html', 'drafts/a.md', 'guide/drafts/a.md']
  for (const path of partials) expect(isPartial(`docs/source/${path}`)).toBe(true)
  expect(isPartial('docs/source/guide/io.md')).toBe(false)
})

test('uses the navigation title, unless several pages share it', async () => {
  const titleOf = async (path: string) => (await sitePage(source, `docs/source/${path}`)).title
  expect(await titleOf('guide/io.md')).toBe('Reading files')
  expect(await titleOf('guide/a.md')).toBe('About a')
  expect(await titleOf('guide/b.md')).toBe('Overview')
})

test('lists the pages of the navigation in order, with and without a title', async () => {
  const nav = 'nav: [index.md, {Guide: [guide/b.md, {About: guide/a.md}]}]\n'
  const config = { generator: 'mkdocs', config: 'mkdocs.yml', root: '' } as const
  const site = await siteOf({ ...config, files: { 'mkdocs.yml': nav } })
  expect(site.order).toEqual(['docs/index.md', 'docs/guide/b.md', 'docs/guide/a.md'])
})

test('inherits settings from another file', async () => {
  const files = {
    'site/mkdocs.yml': 'INHERIT: ../base.yml\nnav: [{Start: a.md}]\n',
    'base.yml': 'docs_dir: text\nnav: [{Other: a.md}]\n',
  }
  const own = { generator: 'mkdocs', config: 'site/mkdocs.yml', root: 'site', files } as const
  const site = await siteOf(own)
  expect(site.titles.get('site/text/a.md')).toBe('Start')
  expect(site.files).toEqual(['site/mkdocs.yml', 'base.yml'])
})

test('ignores a configuration file that is not YAML', async () => {
  const files = { 'mkdocs.yml': '- a\n- b' }
  await expect(siteOf({ ...source, files })).rejects.toThrow('no site')
})

test('includes a section of a file in a snippet folder', async () => {
  expect(await shown('```python\n--8<-- "python/io.py:read"\n```\n')).toBe(
    '```python\nimport tool\n```\n',
  )
})

test('removes code that is run for its output if the page has already shown it', async () => {
  const code = '```python\nimport x\n```\n'
  expect(await shown(`${code}\n\`\`\`python exec="on" result="text"\nimport x\n\`\`\`\n`)).toBe(
    `${code}\n`,
  )
  expect(await shown('```python exec="on"\nimport y\n```\n')).toBe('```python\nimport y\n```\n')
})

test('fills in configured variables and keeps unknown ones', async () => {
  expect(await shown('Release {{ release }} at {{links.forum}}, {{ other }}.\n')).toBe(
    'Release 1.4 at https://forum.example.org, {{ other }}.\n',
  )
})

test('removes icons and attribute lists, and keeps braces in prose', async () => {
  expect(await shown(':material-api: [Docs](x.md){ .md-button } and {a, b} :wave:\n')).toBe(
    '[Docs](x.md) and {a, b} :wave:\n',
  )
  expect(await shown('# Title {#id}\n\n{: .table }\n')).toBe('# Title {#id}\n\n\n')
})

test('shows the name of a mkdocstrings object whose source is unavailable', async () => {
  expect(await shown('::: tool.io.read\n    options:\n      x: 1\n\nText\n')).toBe(
    '`tool.io.read` (API reference, not included)\n\n\nText\n',
  )
})

test('includes part of a Markdown file with adjusted heading levels', async () => {
  const directive =
    '{% include-markdown "../../README.md" start="<!--start-->" end="<!--end-->" heading-offset=1 %}'
  expect((await shown(`${directive}\n`)).trim()).toBe('## Tool\ntext')
})

test('turns a tab without content into a line of text', async () => {
  expect(await shown('=== "Python"\nText\n')).toBe('Python:\n\nText\n')
})
