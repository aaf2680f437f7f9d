import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Ranked } from '../../../../src/store/chunks/chunk-search.ts'
import { readStoreHealth } from '../../../../src/store/check.ts'
import type { OpenGeneration } from '../../../../src/store/reading.ts'
import { changeEntries, readEntries, type Generation } from '../../../../src/store/registry.ts'
import type { Remote } from '../../../../src/store/remote/attached.ts'
import { openTableHost } from '../../../../src/store/remote/tables/table-host.ts'
import { graceMs } from '../../../../src/store/remote/remote-sweep.ts'
import { apiKey } from '../../../support/servers/table-server.ts'
import { hashEmbedder } from '../../../support/hash-embedder.ts'
import { openLive, writeGeneration } from '../../../support/store.ts'
import { openServedStores, type ServedStores } from '../../../support/servers/served-stores.ts'

let stores: ServedStores
let builder: Remote
beforeEach(async () => {
  stores = await openServedStores()
  builder = await stores.machine('builder')
})
afterEach(() => stores[Symbol.asyncDispose]())

const pages = { a: 'the kettle boils', b: 'the lamp is lit', c: 'a kettle and a lamp' }
const write = (): Promise<Generation> =>
  writeGeneration(builder.folder, pages, { library: 'lib', embedder: hashEmbedder() })
const named = ({ id }: Generation, ...names: string[]) => names.map((it) => `og_${id}_${it}`)

/** Scores differ in their last digit: one of the two is computed in memory. */
function alike(asked: Ranked[], own: Ranked[]): void {
  expect(asked.map(({ rowId, url }) => ({ rowId, url })))
    .toEqual(own.map(({ rowId, url }) => ({ rowId, url })))
  asked.forEach(({ score }, i) => expect(score).toBeCloseTo(own[i]!.score, 5))
}

test('a service is asked for what a folder would answer, and has the tables alone', async () => {
  const generation = await write()
  expect(await stores.host.tables()).toEqual(named(generation, 'chunks', 'pages'))
  expect([...stores.bucket.objects.keys()].filter((it) => it.includes('.lance/'))).toEqual([])
  const reader = await stores.machine('reader')
  const [here] = await openLive(builder.folder, 'lib')
  const [there] = await openLive(reader.folder, 'lib')
  using _here = here!
  using _there = there!
  for (const terms of [['kettl'], ['kettl', 'lamp']]) {
    for (const kind of ['fullText', 'fullTextOfAll'] as const) {
      alike(await there![kind](terms, 5), await here![kind](terms, 5))
    }
  }
  const all = await here!.fullText(['kettl', 'lamp'], 5)
  const ids = all.map(({ rowId }) => rowId)
  const embeddings = (await here!.embeddings(ids))!
  expect(await there!.embeddings(ids)).toEqual(embeddings)
  const embedding = embeddings.subarray(0, embeddings.length / ids.length)
  alike(await there!.nearest(embedding, 5), await here!.nearest(embedding, 5))
  const [few, own] = [there!, here!].map((it) => it.within(new Set(['b', 'c'])))
  alike(await few!.nearest(embedding, 5), await own!.nearest(embedding, 5))
  expect(await there!.chunks(ids)).toEqual(await here!.chunks(ids))
  expect(await there!.page('b')).toEqual(await here!.page('b'))
  expect(await there!.pageHeads()).toEqual(await here!.pageHeads())
  const rowsOf = (open: OpenGeneration) => Array.fromAsync(open.chunkRows())
  expect(await rowsOf(there!)).toEqual(await rowsOf(here!))
  expect((await readStoreHealth(reader.folder, { isDeep: true })).broken).toEqual([])
  expect(existsSync(join(reader.folder, 'generations', generation.id, 'chunks.lance'))).toBe(false)
})

test('rows that the service numbers anew, loses or changes', async () => {
  const generation = await write()
  const reader = await stores.machine('reader')
  await stores.host.change('pages', { where: "url <> 'none'", values: {} })
  const [open] = await openLive(reader.folder, 'lib')
  using _ = open!
  expect((await open!.page('b'))?.text).toBe('the lamp is lit')
  await stores.host.change('pages', { where: "url = 'b'", values: { text: 'the lamp is red' } })
  await expect(open!.page('b')).rejects.toThrow('a row of pages.lance is not what was written')
  const problem = async (isDeep: boolean) =>
    (await readStoreHealth(reader.folder, { isDeep })).broken[0]?.problem
  expect(await problem(false)).toBeUndefined()
  expect(await problem(true)).toBe('a row of pages.lance is not what was written')
  await stores.host.change('chunks', { where: "url = 'b'", values: null })
  const [chunks] = named(generation, 'chunks')
  expect(await problem(false)).toBe(
    `in the bucket table ${chunks} of db://docs has 2 rows, 3 were written`)
})

test('what was refused or broke off is gone on with, and nobody saw it', async () => {
  stores.host.fault = (asked) =>
    asked.includes('create_index') ? new Response('sk_ is bad', { status: 400 }) : null
  const error = await write().catch((it) => it)
  expect(error.message).toBe('Cannot write store db://docs: the service answers 400')
  expect(await readEntries(builder.folder)).toEqual([])
  stores.host.fault = null
  await write()
  const [open] = await openLive((await stores.machine('reader')).folder, 'lib')
  using _ = open!
  expect(await open!.fullText(['kettl'], 5)).toHaveLength(2)
})

test('rows that the service has taken twice are not published', async () => {
  stores.host.isTwice = true
  const error = await write().catch((it) => it)
  expect(error.message).toMatch(/^Cannot publish table og_\S+: it has 6 rows, 3 were sent$/)
  expect(await readEntries(builder.folder)).toEqual([])
})

test('tables of what was removed go after an hour', async () => {
  await write()
  await changeEntries(builder.folder, () => [])
  expect(await stores.host.tables()).toHaveLength(2)
  stores.bucket.aheadMs = graceMs + 60_000
  await builder.refresh('now')
  await builder.sweep()
  expect(await stores.host.tables()).toEqual([])
})

test('a wrong key, none, and a bucket whose tables lie elsewhere', async () => {
  await write()
  const [open] = await openLive((await stores.machine('wrong', 'sk_other')).folder, 'lib')
  using _ = open!
  const error = await open!.page('a').catch((it) => it)
  expect(error.message).toBe('Cannot read store db://docs: the service answers 401')
  expect(error.message + error.hint).not.toContain(apiKey)
  const keyless = openTableHost({
    place: 'db://docs', endpoint: null, region: null, apiKey: undefined, ready: async () => {},
  })
  await expect(keyless.drop('id')).rejects.toThrow('there is no key for it')
  const dropAt = (endpoint: string) => openTableHost({
    place: 'db://docs', endpoint, region: null, apiKey, ready: async () => {},
  }).drop('id')
  await expect(dropAt('http://a')).rejects.toThrow('a key is not sent by http')
  await expect(dropAt('a')).rejects.toThrow('Cannot use store.tables_endpoint: it must be an http')
  const { openRemote } = await import('../../../../src/store/remote/open-remote.ts')
  const { address, access } = stores.bucket
  const plain = await openRemote({
    address, access, cachePath: join(builder.folder, 'plain'), cacheBytes: 1e9, warn() {},
  })
  await expect(readEntries(plain.folder)).rejects
    .toThrow('Cannot use store s3://docs/team: its tables lie in db://docs')
})
