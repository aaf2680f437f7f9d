import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { listStoredVersions } from '../../src/library/stored-versions.ts'
import { openBirds } from '../support/following/birds.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { writeFiles } from '../support/repository.ts'
import { openHome } from '../support/run-og.ts'
import { homePaths } from '../support/run/home-paths.ts'

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
