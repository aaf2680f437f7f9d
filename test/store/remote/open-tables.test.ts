import { expect, test, afterEach, beforeEach, describe } from 'bun:test'
import type { Table } from '@lancedb/lancedb'
import { openTablesOnce, isInTable } from '../../../src/store/remote/open-tables.ts'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'
import { readStoreHealth } from '../../../src/store/check.ts'
import { openEntries } from '../../../src/store/reading.ts'
import type { RemoteBucket } from '../../../src/store/remote-bucket.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { copies, openRemotes, read, type Remotes } from '../../support/remotes.ts'
import { serveKeys } from '../../support/servers/key-server.ts'
import { secret } from '../../support/servers/s3-server.ts'
import { openLive, writeGeneration } from '../../support/store.ts'
import { lacksTables } from '../../../src/store/integrity/manifest.ts'

function counted() {
  const opened: string[] = []
  const closed: string[] = []
  const open = async (name: string) => {
    const id = `${name}-${opened.length}`
    opened.push(id)
    return { id, close: () => void closed.push(id) } as unknown as Table
  }
  return { open, opened, closed }
}

test('opens a table once and closes it at the end', async () => {
  const { open, opened, closed } = counted()
  const { table, close } = openTablesOnce(open)
  expect(await table('chunks')).toBe(await table('chunks'))
  await table('pages')
  expect(opened).toEqual(['chunks-0', 'pages-1'])
  close()
  await Bun.sleep(0)
  expect(closed).toEqual(opened)
})

test('opens a table again after the keys changed, while the old one serves its readers', async () => {
  const { open, opened, closed } = counted()
  let keys = 'one'
  const { table, close } = openTablesOnce(open, async () => keys)
  const first = await table('chunks')
  keys = 'two'
  expect(await table('chunks')).not.toBe(first)
  expect(closed).toEqual([])
  keys = 'three'
  await table('chunks')
  await Bun.sleep(0)
  expect(closed).toEqual(['chunks-0'])
  close()
  await Bun.sleep(0)
  expect(closed.toSorted()).toEqual(opened)
})

test('tries again after opening a table failed', async () => {
  const { open } = counted()
  let isDown = true
  const { table } = openTablesOnce(async (name) => {
    if (isDown) throw new Error('down')
    return open(name)
  })
  await expect(table('chunks')).rejects.toThrow('down')
  isDown = false
  expect(await table('chunks')).toMatchObject({ id: 'chunks-0' })
})

describe('with a cache smaller than the tables', () => {
  let remotes: Remotes
  let small: RemoteBucket
  let id: string
  beforeEach(async () => {
    remotes = await openRemotes()
    const pages = { a: 'the kettle boils', b: 'the lamp is lit' }
    ;({ id } = await writeGeneration(remotes.one.folder, pages, {
      library: 'lib',
      embedder: hashEmbedder(),
    }))
    small = await remotes.machine('small', 1)
  })
  afterEach(() => remotes[Symbol.asyncDispose]())

  const path = () => join(small.folder, 'generations', id)

  test('reads tables larger than the cache from the bucket', async () => {
    const [here] = await openLive(remotes.one.folder, 'lib')
    const [there] = await openLive(small.folder, 'lib')
    using _here = here!
    using _there = there!
    expect(lacksTables(path())).toBe(true)
    expect(existsSync(join(path(), 'chunks.lance'))).toBe(false)
    expect(remotes.server.asked.some((it) => isInTable(it.split(`${id}/`)[1] ?? ''))).toBe(true)
    for (let time = 0; time < 3; time++) {
      const found = await there!.fullText(['kettl'], 5)
      expect(found).toEqual(await here!.fullText(['kettl'], 5))
      const [embedding] = [(await here!.embeddings(found.map(({ rowId }) => rowId)))!]
      const [byBucket, byFile] = await Promise.all(
        [there!, here!].map((it) => it.nearest(embedding, 5)),
      )
      // LanceDB and og's kernels add in a different order.
      const rounded = byFile!.map((hit) => ({ ...hit, score: expect.closeTo(hit.score, 5) }))
      expect(byBucket).toEqual(rounded)
      const ids = found.map(({ rowId }) => rowId)
      expect(await there!.chunks(ids)).toEqual(await here!.chunks(ids))
    }
    expect((await there!.page('b'))?.text).toBe('the lamp is lit')
    expect((await readStoreHealth(small.folder)).broken).toEqual([])
  })

  test('does not show a page that was changed in the bucket', async () => {
    for (const [key, { body, ...kept }] of remotes.server.objects) {
      if (!/pages\.lance\/data\//.test(key)) continue
      const text = Buffer.from(body).toString('latin1').replace('the lamp', 'the lump')
      remotes.server.objects.set(key, {
        ...kept,
        body: new Uint8Array(Buffer.from(text, 'latin1')),
      })
    }
    const [open] = await openLive(small.folder, 'lib')
    using _ = open!
    await expect(open!.page('b')).rejects.toThrow(/^Cannot read library "lib" version "1": .*pages/)
  })

  test('reports a refusal of the bucket in one line without keys', async () => {
    const [open] = await openLive(small.folder, 'lib')
    using _ = open!
    remotes.server.fault = (asked) =>
      asked.includes('.lance') ? remotes.server.refused(403, 'AccessDenied') : null
    const error = await open!.page('a').catch((it) => it)
    expect(error.message).toBe(
      `Cannot read library "lib" version "1" in ${remotes.server.address}: it answers 403`,
    )
    expect(Bun.inspect(error)).not.toContain(secret)
  })

  test('copies the whole table for a builder, and readers then use that copy', async () => {
    expect(await read(small, 'lib')).toBe('the kettle boils')
    const kernels = openKernels(null)
    const pick = <T>(all: T[]) => all
    const { opened } = await openEntries(small.folder, kernels, {
      pick,
      openIds: new Set(),
      isWhole: true,
    })
    using _ = opened[0]!
    expect(lacksTables(path())).toBe(false)
    expect(copies(small)).toEqual([id])
    remotes.server.asked = []
    expect(await read(small, 'lib')).toBe('the kettle boils')
    expect(remotes.server.asked.filter((it) => it.includes(id))).toEqual([])
  })
})

test("keeps reading tables in the bucket after a role's keys are renewed", async () => {
  await using remotes = await openRemotes()
  using keys = serveKeys()
  const { server } = remotes
  // The table is larger than the part that one read fetches.
  const pages = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `p${i}`,
      `kettle ${i} ${randomBytes(15_000).toString('hex')}`,
    ]),
  )
  const { id } = await writeGeneration(remotes.one.folder, pages, {
    library: 'lib',
    embedder: null,
  })
  const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...env } = server.access.env
  Object.assign(server.access, {
    env: { ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${keys.url}/v1/credentials` },
  })
  server.sessionToken = keys.token
  keys.seconds = 200
  const small = await remotes.machine('small', 1)
  const [open] = await openLive(small.folder, 'lib')
  using _open = open!
  expect(lacksTables(join(small.folder, 'generations', id))).toBe(true)
  expect((await open!.page('p1'))?.text).toStartWith('kettle 1 ')
  server.sessionToken = keys.token = 'two'
  server.asked = []
  for (const i of [9, 20, 38]) {
    expect((await open!.page(`p${i}`))?.text).toStartWith(`kettle ${i} `)
  }
  expect(server.asked.some((it) => it.includes('pages.lance'))).toBe(true)
})
