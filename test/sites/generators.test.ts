import { expect, test } from 'bun:test'
import { siteConfigsAt, partialMatcher, readSite } from '../../src/sites/generators.ts'
import { cpuMs } from '../support/pages/cpu-time.ts'

const emptySite = {
  generator: 'sphinx' as const,
  root: '',
  folders: [''],
  files: [],
  titles: new Map(),
  bases: [],
  variables: new Map(),
}

test('finds the generators that a path may configure', () => {
  expect(siteConfigsAt('docs/book.toml')).toEqual([
    { generator: 'mdbook', path: 'docs/book.toml', root: 'docs' },
  ])
  expect(siteConfigsAt('book.toml.md')).toEqual([])
})

test('records every requested file, even a missing one', async () => {
  const config = { generator: 'mdbook', path: 'book.toml', root: '', text: '' } as const
  const site = await readSite(config, async () => null)
  expect(site?.files).toEqual(['book.toml', 'src/SUMMARY.md'])
  expect(site?.pages).toBeUndefined()
})

test('ignores a configured folder outside the source', async () => {
  const config = { generator: 'mdbook', path: 'book.toml', root: '', text: 'src = "../../x"' }
  expect(await readSite({ ...config, generator: 'mdbook' }, async () => 'x')).toBeNull()
})

test('matches configured globs in linear time and ignores costly ones', () => {
  const site = { partialGlobs: ['*a*a*a*a*a*a*a*ab', 'x/{'.repeat(500), 'parts', 'y/*.inc'] }
  const matches = partialMatcher({ ...emptySite, ...site })
  expect(cpuMs(() => matches(`${'a'.repeat(4000)}.md`))).toBeLessThan(1000)
  expect(['parts/a/b.md', 'y/c.inc'].every(matches)).toBe(true)
  expect(['part.md', 'y/z/c.inc'].some(matches)).toBe(false)
})

test('limits the number of folders that describe a site', async () => {
  const content = Array.from({ length: 5000 }, (_, i) => ({ src: `d${i}` }))
  const text = JSON.stringify({ build: { content } })
  const config = { generator: 'docfx', path: 'docfx.json', root: '', text } as const
  expect((await readSite(config, async () => null))?.folders).toHaveLength(200)
})
