import { expect, test } from 'bun:test'
import { configsAt, readSite } from '../../../src/page/generator/generators.ts'

test('finds the generators that a path may configure', () => {
  expect(configsAt('docs/book.toml')).toEqual([
    { generator: 'mdbook', path: 'docs/book.toml', root: 'docs' },
  ])
  expect(configsAt('book.toml.md')).toEqual([])
})

test('notes every file that was asked for, also a missing one', async () => {
  const config = { generator: 'mdbook', path: 'book.toml', root: '', text: '' } as const
  const site = await readSite(config, async () => null)
  expect(site?.files).toEqual(['book.toml', 'src/SUMMARY.md'])
  expect(site?.pages).toBeUndefined()
})

test('ignores a configured folder outside of the source', async () => {
  const config = { generator: 'mdbook', path: 'book.toml', root: '', text: 'src = "../../x"' }
  expect(await readSite({ ...config, generator: 'mdbook' }, async () => 'x')).toBeNull()
})
