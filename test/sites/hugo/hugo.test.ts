import { expect, test } from 'bun:test'
import { partialMatcher, readSite } from '../../../src/sites/generators.ts'
import { hugo } from '../../../src/sites/hugo/hugo.ts'

const none = async () => null
const read = (path: string, text: string) =>
  readSite({ generator: 'hugo', path, root: hugo.rootOf(path)!, text }, none)

test('recognises a Hugo configuration by its file name or its keys', async () => {
  expect(hugo.rootOf('site/config/_default/hugo.toml')).toBe('site')
  expect(hugo.rootOf('docs/hugo.yaml')).toBe('docs')
  expect(hugo.rootOf('docs/other.toml')).toBeNull()
  expect(await read('config.yaml', 'database: x')).toBeNull()
  expect(await read('config.toml', 'not [ toml')).toBeNull()
  // Zola
  expect(await read('config.toml', 'base_url = "x"\ntaxonomies = []')).toBeNull()
  expect(await read('config.toml', 'baseURL = "x"')).not.toBeNull()
})

test("recognises the pages of Grafana's products without a configuration", async () => {
  expect(hugo.rootOf('docs/sources/_index.md')).toBe('docs/sources')
  const site = await read('docs/sources/_index.md', '---\ntitle: Loki\n---\n')
  expect([site?.folders, site?.bases]).toEqual([['docs/sources'], ['docs/sources']])
  expect(site?.partials?.test('docs/sources/shared/a.md')).toBe(true)
})

test('reads the content folder and the parameters', async () => {
  const site = await read(
    'docs/hugo.toml',
    'contentDir = "pages"\n[params]\nversion = "v1"\n[params.a]\nB = 2\n',
  )
  const templates = ['docs/layouts', 'docs/archetypes', 'docs/themes']
  expect(site?.folders).toEqual(['docs/pages', ...templates])
  expect([...site!.variables]).toEqual([
    ['version', 'v1'],
    ['a.b', '2'],
  ])
  expect(site?.bases).toContain('docs/pages/en/examples')
  const isPartial = partialMatcher(site!)
  expect(isPartial('docs/pages/_common/a.md')).toBe(true)
  expect(isPartial('docs/layouts/_shortcodes/a.html')).toBe(true)
  expect(isPartial('docs/pages/_index.md')).toBe(false)
})
