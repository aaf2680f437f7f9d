import { expect, test } from 'bun:test'
import { readSite } from '../../src/sites/generators.ts'
import { siteOf, sitePage, siteText, type SiteSource } from '../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'antora',
  config: 'docs/antora.yml',
  root: 'docs',
  files: {
    'docs/antora.yml': `name: tool
version: true
nav:
- modules/ROOT/nav.adoc
asciidoc:
  attributes:
    url-site: https://tool.example.org@
`,
    'antora-playbook.yml': 'asciidoc: {attributes: {product: Tool, url-site: x}}\n',
    'docs/modules/ROOT/nav.adoc': `* xref:index.adoc[Welcome]
** xref:reference:a/b.adoc#top[Reading, role=x]
** xref:c.adoc[]
`,
    'docs/modules/reference/partials/note.adoc': 'A shared note of {product}.\n',
    'docs/modules/ROOT/examples/run.sh': 'run\n',
  },
}

const path = 'docs/modules/reference/pages/a/b.adoc'
const shown = (text: string) => siteText(source, text, path)

test('sets the attributes of the component', async () => {
  const config = 'name: tool\ntitle: The Tool\nversion: "1.2"\n'
  const site = { ...source, files: { 'docs/antora.yml': config } }
  expect(await siteText(site, '{page-component-title} {page-version}\n', path)).toBe(
    'The Tool 1.2\n',
  )
})

test('reads titles, attributes and partials', async () => {
  const site = await siteOf(source)
  expect([...site.titles]).toEqual([
    ['docs/modules/ROOT/pages/index.adoc', 'Welcome'],
    [path, 'Reading'],
  ])
  expect(site.variables.get('url-site')).toBe('https://tool.example.org')
  expect(site.variables.get('product')).toBe('Tool')
  const isPartial = (below: string) => site.partials!.test(`docs/modules/${below}`)
  expect(site.partials!.test('docs/nav.adoc')).toBe(true)
  expect(['ROOT/nav.adoc', 'a/partials/x.adoc', 'a/pages/_x.adoc'].every(isPartial)).toBe(true)
  expect(['a/pages/b/_x.adoc', 'a/pages/includes/x.adoc'].every(isPartial)).toBe(true)
  expect(isPartial('a/pages/nav/x.adoc')).toBe(false)
})

test('searches the code folders nearest to the component first', async () => {
  const paths = ['z/src/main/java/x/docs', 'docs/src/main/java/x/docs']
  const text = source.files['docs/antora.yml']!
  const config = {
    generator: 'antora',
    path: 'docs/antora.yml',
    root: 'docs',
    text,
    paths,
  } as const
  const site = await readSite({ ...config, paths }, async () => null)
  expect(site?.bases).toEqual(['docs', 'docs/src/main/java/x/docs', 'z/src/main/java/x/docs'])
})

test('reads attributes from Gradle build properties, and fills in their values', async () => {
  const root = 'manual/src/docs/antora'
  const text = `name: tool\n`
  const files: Record<string, string> = {
    'gradle.properties': 'version=2.1.0\ngraalVersion = 25\nnativeBuildToolsVersion=1.1\n',
    'manual/gradle.properties': 'graalVersion=24\n',
    'settings.gradle': 'rootProject.name="my-tool-build"\n',
    'b/src/main/resources/x/antora/antora-asciidoc-attributes.properties':
      '# links\nurl-graal=https://graal.example/{version-graal}/{url-graal}\n',
  }
  const config = { generator: 'antora', path: `${root}/antora.yml`, root, text } as const
  const paths = ['b/src/main/resources/x/antora']
  const site = await readSite({ ...config, paths }, async (path) => files[path] ?? null)
  expect(Object.fromEntries(site!.variables)).toMatchObject({
    'version-my-tool': '2.1.0',
    'version-native-build-tools': '1.1',
    'version-graal': '24',
    'url-graal': 'https://graal.example/24/{url-graal}',
  })
  expect(site!.bases).toEqual([root, 'manual/src/main'])
})

test('bounds the growth of attributes that refer to each other', async () => {
  const attributes = ['a', 'b', 'c', 'd'].map((name, at, all) => {
    return `    ${name}: "${`{${all[at + 1] ?? 'x'}}`.repeat(300)}"`
  })
  const files = {
    'docs/antora.yml': `name: t\nasciidoc:\n  attributes:\n${attributes.join('\n')}\n    x: ${'long '.repeat(300)}\n`,
  }
  const site = await siteOf({ ...source, files })
  expect([...site.variables.values()].every((value) => value.length <= 2000)).toBe(true)
})

test('ignores a file that does not describe a component', async () => {
  const files = { 'docs/antora.yml': 'title: x' }
  await expect(siteOf({ ...source, files })).rejects.toThrow('no site')
})

test('includes partials and examples of the same module and of others', async () => {
  expect(await shown('include::partial$note.adoc[]\n')).toBe('A shared note of Tool.\n')
  expect(await shown('include::reference:partial$note.adoc[]\n')).toContain('shared note')
  expect(await shown('----\ninclude::ROOT:example$run.sh[]\n----\n')).toContain('```\nrun\n```')
  expect(await shown('include::partial$gone.adoc[]\n')).toContain(
    '(The source lacks the file modules/reference/partials/gone.adoc, which the site shows here.)',
  )
})

test('includes project resources that Gradle copies next to the examples', async () => {
  const root = 'manual/src/docs/antora'
  const files = {
    [`${root}/antora.yml`]: 'name: tool\n',
    'manual/src/main/resources/graphql/schema.graphqls': 'type Query\n',
  }
  const text = 'include::ROOT:example$resources/graphql/schema.graphqls[]\n'
  const page = `${root}/modules/a/pages/b.adoc`
  const config = `${root}/antora.yml`
  expect(await siteText({ generator: 'antora', config, root, files }, text, page)).toBe(
    'type Query\n',
  )
})

test('fills in attributes of the component, also in headings and links', async () => {
  const page = await sitePage(
    { ...source, files: { ...source.files, [path]: '= {product} Guide\n\n{url-site}/x[Site]\n' } },
    path,
  )
  expect(page.title).toBe('Reading')
  expect(page.text).toBe('# Tool Guide\n\n[Site](https://tool.example.org/x)\n')
})
