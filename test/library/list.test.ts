import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listLibraries, displayVersion, listStoredVersions } from '../../src/library/list.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Source } from '../../src/store/source.ts'
import { changeEntries } from '../../src/store/registry.ts'
import { entryOf, generationNamed } from '../support/store.ts'
import { openBirds } from '../support/following/birds.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { writeFiles } from '../support/repository.ts'
import { openHome } from '../support/run-og.ts'
import { homePaths } from '../support/run/home-paths.ts'

test('lists versions by library and number from the registry alone (W-53)', async () => {
  await using temp = await createTempFolder('og list')
  const names = ['b 1.10', 'b 1.9', 'A latest', 'b latest', 'c 1', 'B-2 1']
  await changeEntries(temp.path, () =>
    names.map((name) => {
      const [library, version] = name.split(' ')
      return entryOf(library!, generationNamed(name), version)
    }),
  )
  const listed = await listLibraries(temp.path)
  expect(listed.map(({ library, version }) => `${library} ${version}`)).toEqual([
    'A latest',
    'b 1.9',
    'b 1.10',
    'b latest',
    'B-2 1',
    'c 1',
  ])
})

test('lists a version with its counts and its source', async () => {
  await using temp = await createTempFolder('og list')
  const source: Source = { kind: 'git_repo', url: 'https://example.org/a.git', docsPaths: ['docs'] }
  const live = generationNamed('g', { pages: 3, chunks: 7, source, ref: 'v1', commit: 'c0ffee' })
  await changeEntries(temp.path, () => [entryOf('Lib', live)])
  expect(await listLibraries(temp.path)).toEqual([
    {
      library: 'Lib',
      version: '1',
      pages: 3,
      chunks: 7,
      source,
      ref: 'v1',
      commit: 'c0ffee',
      tag: null,
      indexedAt: live.indexedAt,
      incomplete: null,
      pack: null,
    },
  ])
})

test('shows latest with the tag of its commit, or otherwise the commit', () => {
  const at = (version: string, tag: string | null, commit: string | null = '1a2b3c4d5e6f') =>
    displayVersion({ version, tag, commit })
  expect(at('latest', '0.115.2')).toBe('latest (0.115.2)')
  expect(at('latest', null)).toBe('latest (g1a2b3c4)')
  expect(at('latest', null, null)).toBe('latest')
  expect(at('main', '0.115.2')).toBe('main')
})

test('returns an empty list for a missing store, and creates none', async () => {
  await using temp = await createTempFolder('og list')
  expect(await listLibraries(join(temp.path, 'store'))).toEqual([])
  expect(existsSync(join(temp.path, 'store'))).toBe(false)
})

test('lists the size of a library version and its changed settings', async () => {
  using home = openHome()
  writeFiles(join(home.path, 'docs'), { 'a.md': '# A\n\nText.\n' })
  await home.run(['add', 'a', '-s', join(home.path, 'docs'), '-v', '1'])
  const store = join(home.path, homePaths.store)
  const chunking = { chunkChars: undefined, overlapChars: undefined }
  const [fresh] = await listStoredVersions(store, { chunking, embedder: null })
  expect(fresh).toMatchObject({ library: 'a', version: '1', pages: 1, previous: null, stale: [] })
  expect(fresh!.bytes).toBeGreaterThan(1000)
  const small = { ...chunking, chunkChars: 9 }
  const [other] = await listStoredVersions(store, { chunking: small, embedder: null })
  expect(other!.stale).toEqual([{ what: 'cut otherwise', remedy: 'og update' }])
})

test('reports how much of a library version is embedded', async () => {
  await using at = await openBirds()
  await at.stopAfter(6)
  const chunking = { chunkChars: 120, overlapChars: undefined }
  const [held] = await listStoredVersions(at.folder, { chunking, embedder: hashEmbedder() })
  expect(held!.stale).toEqual([{ what: '7 % embedded', remedy: 'og add --resume' }])
  expect(held!.embedded).toBe('7 %')
})
