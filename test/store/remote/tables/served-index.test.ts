import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createGeneration } from '../../../../src/store/generation.ts'
import { readEntries } from '../../../../src/store/registry.ts'
import { minRecall, readVectorIndex } from '../../../../src/store/chunks/vector-index.ts'
import { servedIndexName } from '../../../../src/store/remote/bucket-table.ts'
import { hashEmbedder } from '../../../support/hash-embedder.ts'
import { openServedStores } from '../../../support/servers/served-stores.ts'
import { chunkRow, generationNamed, openLive, pageRow, publish } from '../../../support/store.ts'
import { openEach } from '../../../support/run/dispose.ts'

const dimensions = 32
const count = 600

const stores = openEach(() => openServedStores('db', { indexRows: count - 1 }))

/** Points of length 1 around 20 centres, the same in each run. */
function points(): Float32Array {
  let state = 7
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5
  const centres = Array.from({ length: 20 }, () => Array.from({ length: dimensions }, random))
  return Float32Array.from(
    Array.from({ length: count }, (_, row) => {
      const point = centres[row % 20]!.map((value) => value + 0.3 * random())
      const length = Math.hypot(...point)
      return point.map((value) => value / length)
    }).flat(),
  )
}

/** Publishes a library with this number of points. @returns its id */
async function write(): Promise<string> {
  const { folder } = await stores().machine('builder')
  using writer = await createGeneration(folder)
  await writer.appendPages([pageRow('page', 'text')])
  const rows = Array.from({ length: count }, (_, i) => chunkRow('page', `text ${i}`))
  await writer.appendChunks(rows, { block: points(), dimensions })
  await writer.finish()
  const fingerprint = { ...hashEmbedder().fingerprint, dimensions }
  await publish(folder, 'lib', generationNamed(writer.id, { pages: 1, chunks: count, fingerprint }))
  return writer.id
}

const asked = (what: RegExp) => stores().host.asked.filter((it) => what.test(it))

/** Returns the vector queries that a reader sends to the service, and their hits. */
async function nearest() {
  const { folder } = await stores().machine('reader')
  const [open] = await openLive(folder, 'lib')
  using _ = open!
  stores().host.asked = []
  const hits = await open!.nearest(points().subarray(0, dimensions), 5)
  const [query] = asked(/chunks\/query/)
  return { hits, body: JSON.parse(query!.slice(query!.indexOf('{'))) }
}

test('lets a service index the vectors of a large table, and uses the index if its recall is high', async () => {
  const id = await write()
  const [request] = asked(/create_index.*"vector"/)
  expect(JSON.parse(request!.slice(request!.indexOf('{')))).toMatchObject({
    column: 'vector',
    index_type: 'IVF_RQ',
    metric_type: 'dot',
    num_partitions: 24,
    num_bits: 1,
  })
  expect(asked(/vector_idx\/stats/)).not.toEqual([])
  const { hits, body } = await nearest()
  const path = join((await stores().machine('reader')).folder, 'generations', id)
  const index = (await readVectorIndex(path, undefined, servedIndexName))!
  expect(index.recall).toBeGreaterThan(0.8)
  const isGood = index.recall >= minRecall
  expect(body).toMatchObject(
    isGood ? { nprobes: index.probes, refine_factor: 1 } : { bypass_vector_index: true },
  )
  expect(hits[0]!.score).toBeCloseTo(1, 4)
  expect(stores().warned).toEqual([])
})

test.each(['{"form', '<!doctype html>\n'])(
  'fetches the description of the index again if the answer was %j',
  async (answer) => {
    const id = await write()
    let cuts = 0
    stores().bucket.fault = (it) =>
      it.startsWith('GET ') && it.endsWith(servedIndexName) && cuts++ === 0
        ? new Response(answer)
        : null
    const { hits } = await nearest()
    expect([hits.length, cuts]).toEqual([5, 2])
    const path = join((await stores().machine('reader')).folder, 'generations', id)
    expect(await readVectorIndex(path, undefined, servedIndexName)).not.toBeNull()
  },
)

test('uses exact search if the recall is too low', async () => {
  stores().host.isBlind = true
  const id = await write()
  const { hits, body } = await nearest()
  const path = join((await stores().machine('reader')).folder, 'generations', id)
  const index = (await readVectorIndex(path, undefined, servedIndexName))!
  expect(index.recall).toBeLessThan(minRecall)
  expect(body).toMatchObject({ bypass_vector_index: true })
  expect(hits[0]!.score).toBeCloseTo(1, 4)
})

test('handles a service that supports only the second kind of index, no index, or fails', async () => {
  const refusing = (kinds: RegExp, status: number) => (it: string) =>
    it.includes('create_index') && kinds.test(it) ? new Response('sk_', { status }) : null
  stores().host.fault = refusing(/IVF_RQ/, 400)
  await write()
  expect(asked(/create_index.*IVF_PQ/)).toHaveLength(1)
  expect(stores().warned).toEqual([])
  stores().host.fault = refusing(/IVF_/, 501)
  const id = await write()
  expect(stores().warned).toEqual([
    `db://docs has no index of the vectors of og_${id}_chunks: ` +
      'it builds none of the kinds that og asks for; exact search is used',
  ])
  const { hits, body } = await nearest()
  expect([hits.length, body.bypass_vector_index]).toEqual([5, true])
  const { folder } = await stores().machine('reader')
  expect(existsSync(join(folder, 'generations', id, servedIndexName))).toBe(false)
  stores().host.fault = refusing(/IVF_/, 403)
  const error = await write().catch((it) => it)
  expect(error.message).toBe('Cannot write store db://docs: the service answers 403')
  expect((await readEntries(folder))[0]!.live.id).toBe(id)
})
