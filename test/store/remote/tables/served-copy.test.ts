import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyStore } from '../../../../src/library/copy.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { readStoreHealth } from '../../../../src/store/check.ts'
import { createGeneration } from '../../../../src/store/generation.ts'
import { loadLance } from '../../../../src/store/lance.ts'
import { rowSumsFile } from '../../../../src/store/integrity/row-sums.ts'
import type { OpenGeneration } from '../../../../src/store/reading.ts'
import { readEntries, type Generation } from '../../../../src/store/registry.ts'
import { hashEmbedder } from '../../../support/hash-embedder.ts'
import { openRemotes } from '../../../support/remotes.ts'
import { openServedStores } from '../../../support/servers/served-stores.ts'
import { chunkRow, generationNamed, openLive, pageRow, publish } from '../../../support/store.ts'
import { openEach } from '../../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og served copy'))
const stores = openEach(() => openServedStores('db'))
const builder = openEach(() => stores().machine('builder'))
const reader = openEach(() => stores().machine('reader'))
const to = () => join(temp().path, 'to')

const embedder = hashEmbedder()
const { dimensions } = embedder.fingerprint

/** Writes a generation in this number of fragments. */
async function write(fragments: number, hash = 'one'): Promise<Generation> {
  using writer = await createGeneration(builder().folder)
  for (let i = 0; i < fragments; i++) {
    const texts = [0, 1, 2].map((k) => `text ${i} of ${hash}, ${k}: the lamp is lit`)
    await writer.appendPages(texts.map((text, k) => pageRow(`page ${i}.${k}`, text)))
    const block = await embedder.embed(texts)
    const rows = texts.map((text, k) => chunkRow(`page ${i}.${k}`, text))
    await writer.appendChunks(rows, { block, dimensions })
  }
  await writer.finish()
  const count = 3 * fragments
  const generation = generationNamed(writer.id, {
    pages: count,
    chunks: count,
    fingerprint: embedder.fingerprint,
    contentHash: hash,
  })
  await publish(builder().folder, 'lib', generation)
  return generation
}

/** Returns lines such as `lib copied`. */
async function copied(into = to()): Promise<string[]> {
  const all = { from: reader().folder, to: into, lockTimeoutMs: 60_000, pick: <T>(it: T) => it }
  return (await Array.fromAsync(copyStore(all))).map(
    ({ library, status, problem }) =>
      `${library} ${status}${problem ? `: ${problem.message}` : ''}`,
  )
}

const rowsOf = (open: OpenGeneration) => Array.fromAsync(open.chunkRows())
const idOf = async () => (await readEntries(to()))[0]?.live.id

test('copies rows from a service with their ids, as they were written', async () => {
  const { id } = await write(4)
  // The service returns the rows in another order.
  await stores().host.change('chunks', { where: "url LIKE '%.1'", values: {} })
  expect(await copied()).toEqual(['lib copied'])
  const [here] = await openLive(builder().folder, 'lib')
  const [there] = await openLive(to(), 'lib')
  using _here = here!
  using _there = there!
  expect(await rowsOf(there!)).toEqual(await rowsOf(here!))
  const found = await there!.fullText(['lamp'], 50)
  expect(found).toEqual(await here!.fullText(['lamp'], 50))
  const ids = found.map(({ rowId }) => rowId)
  expect(await there!.embeddings(ids)).toEqual(await here!.embeddings(ids))
  expect(await there!.page('page 2.1')).toEqual(await here!.page('page 2.1'))
  const own = (await idOf())!
  expect(own).not.toBe(id)
  for (const name of ['pages', 'chunks'] as const) {
    const [sums, written] = await Promise.all([
      Bun.file(join(to(), 'generations', own, rowSumsFile(name))).bytes(),
      Bun.file(join(builder().folder, 'generations', id, rowSumsFile(name))).bytes(),
    ])
    expect(sums).toEqual(written)
  }
  expect((await readStoreHealth(to(), { isDeep: true })).broken).toEqual([])
  expect(await copied()).toEqual(['lib unchanged'])
  await write(1, 'two')
  expect(await copied()).toEqual(['lib copied'])
  expect((await readEntries(to()))[0]).toMatchObject({ previous: { id: own }, live: { pages: 3 } })
})

test('copies a generation from a service into a bucket only once', async () => {
  await using remotes = await openRemotes()
  await write(2)
  expect(await copied(remotes.one.folder)).toEqual(['lib copied'])
  expect(await copied(remotes.one.folder)).toEqual(['lib unchanged'])
  const [open] = await openLive(remotes.two.folder, 'lib')
  using _ = open!
  expect((await open!.page('page 1.2'))?.text).toStartWith('text 1 of one, 2')
  expect((await readStoreHealth(remotes.two.folder, { isDeep: true })).broken).toEqual([])
})

test('resumes an interrupted copy after the last fragment', async () => {
  const { id } = await write(3)
  const queries = () => stores().host.asked.filter((it) => /chunks\/query/.test(it)).length
  stores().host.fault = (asked) =>
    /chunks\/query/.test(asked) ? new Response('sk_ is bad', { status: 400 }) : null
  expect(await copied()).toEqual([
    'lib failed: Cannot read store db://docs: the service answers 400',
  ])
  expect([await readEntries(to()), readdirSync(join(to(), 'copying'))]).toEqual([[], [id]])
  stores().host.fault = null
  stores().host.asked = []
  // Restores the state of a run that was killed after copying two fragments of chunks.
  const whole = await (await loadLance()).connect(join(builder().folder, 'generations', id))
  const { schema, batches } = await (await whole.openTable('chunks')).query().toArrow()
  const [first, second] = batches.map((batch) => ({
    schema,
    batches: [batch],
    numRows: batch.numRows,
  }))
  const partly = await (await loadLance()).connect(join(to(), 'copying', id))
  await (await partly.createTable('chunks', first!)).add(second!)
  expect(await copied()).toEqual(['lib copied'])
  expect(stores().host.asked.filter((it) => /pages\/query/.test(it))).toEqual([])
  expect(stores().host.asked.find((it) => /chunks\/query/.test(it))).toContain(
    `og_row >= ${2n << 32n} AND og_row <= ${(2n << 32n) + 2n}`,
  )
  expect([queries(), readdirSync(join(to(), 'copying'))]).toEqual([1, []])
  expect((await readStoreHealth(to(), { isDeep: true })).broken).toEqual([])
})

test('copies again if a power cut has damaged the partial copy', async () => {
  const { id } = await write(1)
  const versions = join(to(), 'copying', id, 'chunks.lance', '_versions')
  mkdirSync(versions, { recursive: true })
  writeFileSync(join(versions, '1.manifest'), '')
  await expect(copied()).rejects.toThrow()
  expect(await copied()).toEqual(['lib copied'])
  expect((await readStoreHealth(to(), { isDeep: true })).broken).toEqual([])
})

test('reports rows that the service lost or changed, and copies nothing', async () => {
  await write(2)
  await stores().host.change('pages', { where: "url = 'page 1.0'", values: { text: 'other' } })
  expect(await copied()).toEqual([
    'lib failed: Cannot read library "lib" version "1": a row of pages.lance has changed since it was written',
  ])
  await stores().host.change('pages', { where: "url = 'page 1.0'", values: null })
  expect(await copied()).toEqual([
    'lib failed: Cannot read library "lib" version "1": ' +
      'pages lacks rows that were written, or has some twice',
  ])
  expect([await readEntries(to()), readdirSync(join(to(), 'copying'))]).toEqual([[], []])
})
