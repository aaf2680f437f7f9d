import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../src/document/growth.ts'
import { docusaurus } from '../../src/sites/docusaurus.ts'
import { siteConfigsAt, readSite, type GeneratorName } from '../../src/sites/generators.ts'
import { docbook } from '../../src/sites/docbook.ts'
import { jekyll } from '../../src/sites/jekyll.ts'
import { rowGenerators } from '../../src/sites/site-rows.ts'
import { quarto } from '../../src/sites/quarto.ts'

const { fumadocs, gitbook, mintlify, nuxt, rmarkdown, starlight, vitepress } = rowGenerators

const files: Record<string, string> = {
  'docs/SUMMARY.md': '* [Start](start.md)\n',
  'web/side.js': "module.exports = { docs: ['intro', { Basics: ['use/b', 'use/a'] }] }",
}

/**
 * Returns the site that a configuration file describes, or null if it does not configure that
 * generator.
 */
async function site(generator: GeneratorName, path: string, text: string) {
  const config = siteConfigsAt(path).find((it) => it.generator === generator)
  const read = async (other: string) => files[other] ?? null
  return config === undefined ? null : await readSite({ ...config, text }, read)
}

const text = (generator: { toMarkup?: typeof jekyll.toMarkup }, source: string, variables = {}) =>
  generator.toMarkup?.(source, {
    path: 'a.md',
    growth: growthLimitFor(source.length),
    site: {
      generator: 'jekyll',
      root: '',
      path: 'a.md',
      bases: [],
      title: null,
      isShared: false,
      variables: new Map(Object.entries(variables)),
    },
  })

test('Docusaurus: reads the folders that its configuration lists, and skips partials', async () => {
  const found = await site(
    'docusaurus',
    'website/docusaurus.config.ts',
    "docs: { path: '../docs' }, blog: { path: `blog` }",
  )
  expect(found?.folders).toEqual(['website', 'docs', 'website/blog'])
  for (const path of ['docs/_a.mdx', 'docs/x/_a.md', 'docs/_parts/a.md']) {
    expect(found?.partials?.test(path)).toBe(true)
  }
  expect(found?.partials?.test('docs/a_b.md')).toBe(false)
  expect(docusaurus.rootOf('docusaurus.config.json')).toBeNull()
})

test('reads the order of pages from the sidebars of configurations that are programs', async () => {
  const orders = {
    'web/docusaurus.config.js': "path: '../docs', sidebarPath: require.resolve('./side.js')",
    'docs/.vitepress/config.ts':
      "nav: [{ link: '/x' }], sidebar: [{ link: '/intro' }, { link: '/use/b' }, { link: '/use/a' }]",
    'astro.config.mjs': "starlight({ sidebar: ['intro', { slug: 'use/b' }, { link: '/use/a/' }] })",
    'docs/docs.json': '{"navigation": {"pages": ["intro", "use/b", "use/a"]}}',
  }
  const pages = ['x', 'use/a', 'intro', 'use/b'].flatMap((name) =>
    ['docs/', 'src/content/docs/'].map((folder) => `${folder}${name}`),
  )
  for (const [path, written] of Object.entries(orders)) {
    const [config] = siteConfigsAt(path)
    const order = (await site(config!.generator, path, written))?.order ?? []
    const names = order.filter((it) => pages.includes(it)).map((it) => it.replace(/^.*docs\//, ''))
    expect(names).toEqual(['intro', 'use/b', 'use/a'])
  }
})

test('VitePress: uses the folder above its configuration folder', async () => {
  expect((await site('vitepress', 'docs/.vitepress/config.mts', ''))?.folders).toEqual(['docs'])
  expect(vitepress.rootOf('docs/config.ts')).toBeNull()
})

test('Nuxt Content and Starlight: recognises their own syntax', async () => {
  expect((await site('nuxt', 'nuxt.config.ts', "modules: ['@nuxt/content']"))?.folders).toEqual([
    'content',
  ])
  expect(await site('nuxt', 'nuxt.config.ts', 'modules: []')).toBeNull()
  expect((await site('starlight', 'a/astro.config.mjs', 'starlight()'))?.folders).toEqual([
    'a/src/content',
  ])
  expect(await site('starlight', 'a/astro.config.mjs', '')).toBeNull()
  expect([nuxt.name, starlight.name]).toEqual(['Nuxt Content', 'Starlight'])
})

test('GitBook: reads titles from SUMMARY.md', async () => {
  const found = await site('gitbook', '.gitbook.yaml', 'root: ./docs/\n')
  expect([...found!.titles]).toEqual([['docs/start.md', 'Start']])
  expect(gitbook.rootOf('x/book.json')).toBe('x')
  expect(await site('gitbook', 'book.json', '[{"name": "title"}]')).toBeNull()
})

test('DocBook: reads entities', async () => {
  const found = await site('docbook', 'a/b.ent', '<!ENTITY x "1"><!ENTITY y SYSTEM "y.xml">')
  expect([...found!.variables]).toEqual([['x', '1']])
  expect(await site('docbook', 'b.ent', '')).toBeNull()
  expect(['a/b.ent', 'a/b.ent.in', 'b.entry'].map(docbook.rootOf)).toEqual(['a', 'a', null])
})

test('Mintlify: skips snippets', async () => {
  const found = await site('mintlify', 'docs/docs.json', '{"navigation": []}')
  expect(found?.partials?.test('docs/snippets/a.mdx')).toBe(true)
  expect(await site('mintlify', 'docs.json', '{"name": "x"}')).toBeNull()
  expect(mintlify.rootOf('a/mint.json')).toBe('a')
})

test('Quarto: shows values and includes', async () => {
  const found = await site('quarto', '_quarto.yml', 'project:\n  type: book\nversion: 1.2\n')
  expect(found?.variables.get('version')).toBe('1.2')
  expect(text(quarto, 'v{{< meta version >}} {{< video x >}}', { version: '1' })).toBe('v1 x')
  const include = quarto.includes?.(['{{< include _a.qmd >}}'], {
    line: 0,
    fence: null,
    formatOf: () => 'markdown',
  })
  expect(include?.target).toBe('_a.qmd')
})

test('Quarto: keeps the language of fences with attributes, and removes cell options', () => {
  const source =
    '```{python}\n#| echo: false\nrun()\n```\n\n``` {.bash filename="Terminal"}\nls\n```\n\n```js\n1\n```'
  expect(text(quarto, source)).toBe('```python\nrun()\n```\n\n```bash\nls\n```\n\n```js\n1\n```')
})

test('Quarto: removes blocks that web pages hide', () => {
  const hidden = '::: {.content-hidden}\na\n\n::: note\nb\n:::\n:::\n'
  const visible = '::: {.content-visible when-format="html"}\nc\n:::\n'
  const print = '::: {.content-visible when-format="pdf"}\nd\n:::\n'
  expect(text(quarto, `${hidden}${visible}${print}e`)).toBe(`${visible}e`)
  const others = '::: {.content-hidden unless-format="html"}\nf\n:::\n::: {.content-hidden}\ng\n'
  expect(text(quarto, others)).toBe(others)
})

test('Jekyll: removes control tags, which have no text', () => {
  const source =
    '{% assign x = 1 %}\n{% for y in z %}\n- One {% if y %}two{% endif %}\n{% endfor %}\n\n`{% for %}`'
  expect(text(jekyll, source)).toBe('- One two\n\n`{% for %}`')
})

test('Jekyll: shows site values and included parts in Markdown', async () => {
  const found = await site('jekyll', '_config.yml', 'title: Kettle\n')
  expect(found?.bases).toEqual(['_includes', ''])
  expect(await site('jekyll', '_config.yml', 'sphinx: {}')).toBeNull()
  expect(text(jekyll, '{{ site.title }} {{ page.x }}', { title: 'Kettle' })).toBe(
    'Kettle {{ page.x }}',
  )
  const include = jekyll.includes?.(['{% include a/b.md %}'], {
    line: 0,
    fence: null,
    formatOf: () => 'markdown',
  })
  expect(include?.target).toBe('a/b.md')
})

test('Fumadocs: looks up included files from the folder of its configuration', async () => {
  const path = 'apps/docs/source.config.ts'
  const config = "import { defineDocs } from 'fumadocs-mdx/config'"
  expect(fumadocs.name).toBe('Fumadocs')
  expect(await site('fumadocs', path, config)).toMatchObject({
    folders: ['apps/docs/content'],
    bases: ['apps/docs'],
  })
  expect(await site('fumadocs', path, 'export {}')).toBeNull()
})

test('Fumadocs: reads the id and the marks at the end of a heading', () => {
  expect(text(fumadocs, '## Boil [#heat] [toc]\n### Pour [step]\n## [Cup](#a)')).toBe(
    '## Boil {#heat}\n### Pour\n## [Cup](#a)',
  )
})

test('R Markdown: recognises packages and books, and shows cells as code', async () => {
  expect(['DESCRIPTION', 'a/_bookdown.yml'].map(rmarkdown.rootOf)).toEqual(['', 'a'])
  expect(rmarkdown.rootOf('a/DESCRIPTION.md')).toBeNull()
  expect(await site('rmarkdown', 'DESCRIPTION', 'A lamp.\n')).toBeNull()
  expect(await site('rmarkdown', 'DESCRIPTION', 'Package: lamp\n')).not.toBeNull()
  const shown = (source: string) => text(rmarkdown, source)?.trim()
  expect(shown('```{r name, fig.width = 4}\nf(x)\n```')).toBe('```r\nf(x)\n```')
  expect(shown('```{r setup, include = FALSE}\nf(x)\n```\n\nText')).toBe('Text')
  expect(shown('See \\@ref(use), `\\@ref(a)`.')).toBe('See use, `\\@ref(a)`.')
})
