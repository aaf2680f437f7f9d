import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'
import { searchNearest } from '../../../src/store/chunks/chunk-search.ts'
import { appendChunks } from '../../../src/store/chunks/chunk-table.ts'
import {
  bestScores,
  embeddingsInBlock,
  nearestInBlock,
  readVectorBlock,
  rowsInBlock,
} from '../../../src/store/chunks/vector-block.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { hashEmbedder, type HashEmbedder } from '../../support/hash-embedder.ts'
import { chunkRow } from '../../support/store.ts'

const texts = Array.from({ length: 1500 }, (_, i) => `word${i} of topic${i % 40}`)
const asked = ['word7 of topic7', 'word1499', 'topic3', 'neither']

function embedded(embedder: HashEmbedder): Promise<Float32Array[]> {
  return Promise.all(asked.map((text) => embedder.embedQuery(text)))
}

/** A table of the texts in two fragments, and its embedder. */
async function tableOf(folder: string) {
  const embedder = hashEmbedder()
  const dimensions = embedder.fingerprint.dimensions
  const database = await (await loadLance()).connect(folder)
  const rows = texts.map((text, i) => chunkRow(`page ${i}`, text))
  const embeddings = async (from: number, to?: number) => ({
    block: await embedder.embed(texts.slice(from, to)),
    dimensions,
  })
  const first = await appendChunks(
    { database, table: null },
    rows.slice(0, 900),
    await embeddings(0, 900),
  )
  const table = await appendChunks(
    { database, table: first },
    rows.slice(900),
    await embeddings(900),
  )
  return { embedder, dimensions, table, queries: await embedded(embedder) }
}

test('finds the same nearest chunk in memory, in one pass and with LanceDB', async () => {
  await using temp = await createTempFolder('og vectors ')
  const { table, queries, dimensions } = await tableOf(temp.path)
  const kernels = openKernels(null)
  const block = await readVectorBlock(table, kernels, { rows: texts.length, dimensions })
  const best = await bestScores(kernels, table, queries)
  expect(best).toHaveLength(asked.length)
  for (const [i, embedding] of queries.entries()) {
    const [byLance] = await searchNearest(table, embedding, { limit: 1 })
    const [inBlock] = nearestInBlock(kernels, block, { embedding, limit: 1 })
    expect(inBlock!.score).toBeCloseTo(byLance!.score, 5)
    expect(best[i]).toBe(inBlock!.score)
  }
  expect(nearestInBlock(kernels, block, { embedding: queries[0]!, limit: 1 })[0]!.url).toBe(
    'page 7',
  )
  expect(await bestScores(kernels, table, [])).toEqual([])
  table.close()
})

test('finds rows by their ids, in the order of the ids', async () => {
  await using temp = await createTempFolder('og vectors ')
  const { table, embedder, dimensions } = await tableOf(temp.path)
  const block = await readVectorBlock(table, openKernels(null), { rows: texts.length, dimensions })
  const places = [1499, 0, 899, 900, 3, 3]
  const rows = rowsInBlock(
    block,
    places.map((at) => block.rowIds[at]!),
  )
  expect(rows).toEqual(places)
  expect(embeddingsInBlock(block, rows!)).toEqual(
    await embedder.embed(places.map((at) => texts[at]!)),
  )
  expect(rowsInBlock(block, [block.rowIds[0]!, 1n << 60n])).toBeNull()
  table.close()
})
