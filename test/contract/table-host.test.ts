/**
 * Tests that a service or a catalog that hosts the tables of a store returns the same answers as a
 * folder.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ChunkHit } from '../../src/store/chunks/chunk-search.ts'
import { readStoreHealth } from '../../src/store/check.ts'
import type { OpenGeneration } from '../../src/store/reading.ts'
import { changeEntries, readEntries, type Generation } from '../../src/store/registry.ts'
import type { RemoteBucket } from '../../src/store/remote/remote-bucket.ts'
import { graceMs } from '../../src/store/remote/remote-sweep.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import type { CatalogServer } from '../support/servers/catalog-server.ts'
import { openServedStores, type ServedStores } from '../support/servers/served-stores.ts'
import type { TableServer } from '../support/servers/table-server.ts'
import { openLive, writeGeneration } from '../support/store.ts'

/** Scores differ in the last digit, because one of them is computed in memory. */
function alike(asked: ChunkHit[], own: ChunkHit[]): void {
  expect(asked.map(({ rowId, url }) => ({ rowId, url }))).toEqual(
    own.map(({ rowId, url }) => ({ rowId, url })),
  )
  asked.forEach(({ score }, i) => expect(score).toBeCloseTo(own[i]!.score, 5))
}

describe.each(['db', 'rest'] as const)('%s', (kind) => {
  let stores: ServedStores<TableServer | CatalogServer>
  let builder: RemoteBucket
  beforeEach(async () => {
    stores = await openServedStores(kind)
    builder = await stores.machine('builder')
  })
  afterEach(() => stores[Symbol.asyncDispose]())

  const pages = { a: 'the kettle boils', b: 'the lamp is lit', c: 'a kettle and a lamp' }
  const write = (): Promise<Generation> =>
    writeGeneration(builder.folder, pages, { library: 'lib', embedder: hashEmbedder() })

  test('returns the same answers as a folder, and sends the table service only tables', async () => {
    const generation = await write()
    expect(await stores.host.tables()).toEqual([
      `og_${generation.id}_chunks`,
      `og_${generation.id}_pages`,
    ])
    const files = [...stores.bucket.objects.keys()].filter((it) => it.includes('.lance/'))
    expect(files.filter((it) => it.startsWith('generations/'))).toEqual([])
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
    expect(existsSync(join(reader.folder, 'generations', generation.id, 'chunks.lance'))).toBe(
      false,
    )
  })

  test('resumes after a rejected or interrupted write, and never disturbs readers', async () => {
    stores.host.fault = (asked) =>
      /create_index|chunks.declare/.test(asked) ? new Response('sk_ is bad', { status: 400 }) : null
    const error = await write().catch((it) => it)
    expect(error.message).toBe(`Cannot write store ${stores.place}: the service answers 400`)
    expect(await readEntries(builder.folder)).toEqual([])
    stores.host.fault = null
    await write()
    const [open] = await openLive((await stores.machine('reader')).folder, 'lib')
    using _ = open!
    expect(await open!.fullText(['kettl'], 5)).toHaveLength(2)
  })

  test('deletes the tables of removed versions after an hour', async () => {
    await write()
    await changeEntries(builder.folder, () => [])
    expect(await stores.host.tables()).toHaveLength(2)
    stores.bucket.aheadMs = graceMs + 60_000
    await builder.refresh('now')
    await builder.sweep()
    expect(await stores.host.tables()).toEqual([])
  })
})
