import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { reindexLibrary } from '../../../src/library/reindex/reindex.ts'
import { rollbackVersion } from '../../../src/library/rollback.ts'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { readVectorIndex } from '../../../src/store/chunks/vector-index.ts'
import { findGenerationFault } from '../../../src/store/integrity/generation-check.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { changeEntries, readEntries, type Entry } from '../../../src/store/registry.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'

let temp: TempFolder
let store: TestStore
/** The path of a copy of the live generation's chunk table. */
let table = ''
const pages = 300

beforeEach(async () => {
  temp = await createTempFolder('og-reindex')
  const docs = join(temp.path, 'docs')
  const names = Array.from({ length: pages }, (_, i) => `n${i}`)
  const text = (i: number) => `# Page ${i}\n\nWord${i % 40} and term${i % 7} of number${i}.\n`
  writeFiles(docs, Object.fromEntries(names.map((name, i) => [`${name}.md`, text(i)])))
  store = openTestStore(join(temp.path, 'store'), { embedder: hashEmbedder() })
  await store.add('Zoo', docs)
  table = await copyOfLive('copy')
})
afterEach(async () => {
  store[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

const live = async (): Promise<Entry> => (await readEntries(store.folder))[0]!
const pathOf = (id: string) => join(store.folder, 'generations', id)

async function copyOfLive(name: string): Promise<string> {
  const copy = join(temp.path, name, 'chunks.lance')
  cpSync(join(pathOf((await live()).live.id), 'chunks.lance'), copy, { recursive: true })
  return copy
}

/** Builds the index as another program would. */
async function buildIndex({
  distanceType = 'dot',
  numPartitions = 4,
}: {
  distanceType?: 'dot' | 'cosine'
  numPartitions?: number
} = {}): Promise<void> {
  const { connect, Index } = await loadLance()
  const database = await connect(join(table, '..'))
  const chunks = await database.openTable('chunks')
  const config = Index.ivfPq({ distanceType, numPartitions, numSubVectors: 16 })
  await chunks.createIndex('vector', { config })
  chunks.close()
  database.close()
}

const reindex = (from = table) =>
  reindexLibrary(store.opened, { library: 'zoo', version: null, table: from, lockTimeoutMs: 1000 })

/** Checks that the index is rejected and that nothing changes. */
async function expectRefusal(message: RegExp): Promise<void> {
  const before = await live()
  await expect(reindex()).rejects.toThrow(message)
  expect(await live()).toEqual(before)
  expect(readdirSync(join(store.folder, 'generations'))).toEqual([before.live.id])
}

test('measures and publishes an index built elsewhere, and can be rolled back', async () => {
  const before = await live()
  const found = async () =>
    (await store.search('word3 term3', { mode: 'vector' })).map(({ url }) => url)
  const expected = await found()
  await buildIndex()
  // Rows and embeddings come from the store, so the copy does not need its data.
  rmSync(join(table, 'data'), { recursive: true })
  const result = await reindex()
  expect(result).toMatchObject({ library: 'Zoo', version: '1', status: 'indexed', chunks: pages })
  const now = await live()
  expect(now).toMatchObject({ version: '1', previous: { id: before.live.id } })
  expect(now.live.id).not.toBe(before.live.id)
  expect(await findGenerationFault(store.folder, now.live.id)).toBeNull()
  const index = (await readVectorIndex(pathOf(now.live.id)))!
  expect(index.recall).toBe(result.recall)
  expect(index.recall).toBeGreaterThanOrEqual(0.95)
  expect(await found()).toEqual(expected)
  await rollbackVersion(store.folder, { library: 'zoo', version: null, lockTimeoutMs: 1000 })
  expect((await live()).live.id).toBe(before.live.id)
})

test('rejects a table without an index, or with an index that og cannot use', async () => {
  await expectRefusal(/it has no index of "vector"; nothing was changed/)
  await buildIndex({ distanceType: 'cosine' })
  await expectRefusal(/its distance is cosine/)
})

test('rejects an index that finds too few chunks', async () => {
  await buildIndex({ numPartitions: 150 })
  await expectRefusal(/of the ten nearest chunks it finds the share 0\.\d+, limit 0\.95/)
})

test('rejects an index of a copy with missing rows', async () => {
  const { connect } = await loadLance()
  const database = await connect(join(table, '..'))
  const chunks = await database.openTable('chunks')
  await chunks.delete("url = 'doc:/n3.md'")
  await buildIndex()
  chunks.close()
  database.close()
  await expectRefusal(/Cannot use the vector index of/)
})

test('rejects a library that is not embedded, or only in part', async () => {
  await buildIndex()
  await changeEntries(store.folder, ([entry]) => [
    { ...entry!, live: { ...entry!.live, embedded: 5 } },
  ])
  await expectRefusal(/not all of it is embedded yet/)
  await changeEntries(store.folder, ([entry]) => [
    { ...entry!, live: { ...entry!.live, embedded: undefined, fingerprint: null } },
  ])
  await expectRefusal(/it has no embeddings/)
})
