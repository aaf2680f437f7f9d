import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { searchNearest } from '../../../src/store/chunks/chunk-search.ts'
import { appendChunks } from '../../../src/store/chunks/chunk-table.ts'
import {
  minRecall,
  readVectorIndex,
  vectorIndexName,
  writeVectorIndex,
  openVectorSearch,
} from '../../../src/store/chunks/vector-index.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow, generationNamed, kernels } from '../../support/store.ts'

const dimensions = 32
/** Row addresses are not in memory. */
const urls = () => null
const count = 1500

/**
 * Points of length 1 around 30 centres, the same in each run; the last `zeros` of them are zero.
 */
function points({ zeros = 0 } = {}): Float32Array {
  let state = 7
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5
  const centres = Array.from({ length: 30 }, () => Array.from({ length: dimensions }, random))
  const block = new Float32Array(count * dimensions)
  for (let row = 0; row < count - zeros; row++) {
    const point = centres[row % 30]!.map((value) => value + 0.4 * random())
    const length = Math.hypot(...point)
    block.set(
      point.map((value) => value / length),
      row * dimensions,
    )
  }
  return block
}

async function tableOf(folder: string, block: Float32Array) {
  const database = await (await loadLance()).connect(folder)
  const rows = Array.from({ length: count }, (_, i) => chunkRow(`page ${i % 100}`, `text ${i}`))
  return appendChunks({ database, table: null }, rows, { block, dimensions })
}

test('finds the nearest chunks of a large table by its index, with their exact cosines', async () => {
  await using temp = await createTempFolder('og index ')
  const block = points()
  const table = await tableOf(temp.path, block)
  await writeVectorIndex(temp.path, table, count)
  expect(await readVectorIndex(temp.path)).toBeNull()
  await writeVectorIndex(temp.path, table, count - 1)
  const index = (await readVectorIndex(temp.path))!
  expect(index.recall).toBeGreaterThanOrEqual(minRecall)
  expect(index.recall).toBeLessThanOrEqual(1)
  const embedding = block.slice(0, dimensions)
  const exact = await searchNearest(table, embedding, { limit: 5 })
  const found = await searchNearest(table, embedding, { limit: 5, probes: index.probes })
  expect(found.map(({ rowId }) => rowId)).toEqual(exact.map(({ rowId }) => rowId))
  found.forEach(({ score }, i) => expect(score).toBeCloseTo(exact[i]!.score, 5))
  expect(found[0]!.score).toBeCloseTo(1, 5)
  table.close()
})

test('ignores rows without an embedding', async () => {
  await using temp = await createTempFolder('og index ')
  const table = await tableOf(temp.path, points({ zeros: 600 }))
  await writeVectorIndex(temp.path, table, 1000)
  expect(await readVectorIndex(temp.path)).toBeNull()
  await writeVectorIndex(temp.path, table, 800)
  // The index parts start at random rows, so with few rows the recall is sometimes only 0.94.
  expect((await readVectorIndex(temp.path))!.recall).toBeGreaterThanOrEqual(0.9)
  table.close()
})

test('ignores an index with a low recall or another format', async () => {
  await using temp = await createTempFolder('og index ')
  const block = points()
  const table = await tableOf(temp.path, block)
  await writeVectorIndex(temp.path, table, 1000)
  const generation = generationNamed('g', { chunks: count })
  const open = async () => table
  const asking = (recall: number) =>
    openVectorSearch(generation, kernels, {
      open,
      urls,
      index: async () => ({ probes: 1, recall }),
    })
  const embedding = block.slice(0, dimensions).map((value, i) => value + block[dimensions + i]!)
  const exact = await searchNearest(table, embedding, { limit: 300 })
  expect(await asking(0.94).nearest(embedding, 300)).toEqual(exact)
  expect(await asking(0.95).nearest(embedding, 300)).not.toEqual(exact)
  const path = `${temp.path}/${vectorIndexName}`
  await Bun.write(path, (await Bun.file(path).text()).replace('"format":1', '"format":2'))
  expect(await readVectorIndex(temp.path)).toBeNull()
  table.close()
})

test('finds pages that are all far from the query, whether few or many', async () => {
  await using temp = await createTempFolder('og index ')
  const block = points()
  const database = await (await loadLance()).connect(temp.path)
  const rows = Array.from({ length: count }, (_, i) => chunkRow(`page ${i}`, `text ${i}`))
  const table = await appendChunks({ database, table: null }, rows, { block, dimensions })
  await writeVectorIndex(temp.path, table, 1000)
  const generation = generationNamed('g', { chunks: count })
  const index = async () => ({ probes: 1, recall: 1 })
  const vectors = openVectorSearch(generation, kernels, { open: async () => table, urls, index })
  const embedding = block.slice(0, dimensions)
  const everywhere = await searchNearest(table, embedding, { limit: count })
  const all = everywhere.map(({ url }) => url)
  const farOf = async (pages: string[]) =>
    (await vectors.nearest(embedding, 10, { urls: new Set(pages), all })).map(({ url }) => url)
  expect(await farOf(all.slice(-30))).toEqual(all.slice(-30, -20))
  // If there are more rows than the search ranks by exact embeddings, it may miss some.
  const ofMany = await farOf(all.slice(-1200))
  expect(ofMany).toHaveLength(10)
  const best = all.slice(-1200).slice(0, 10)
  expect(ofMany.filter((url) => best.includes(url)).length).toBeGreaterThanOrEqual(5)
  const every = async () => ({ probes: 100, recall: 1 })
  const open = async () => table
  const inAllParts = openVectorSearch(generation, kernels, { open, urls, index: every })
  const near = await inAllParts.nearest(embedding, 3, { urls: new Set(all.slice(0, 1200)), all })
  expect([near.length, near[0]!.url]).toEqual([3, all[0]!])
  table.close()
})

test('searches again after a failed read of the embeddings or of the index', async () => {
  await using temp = await createTempFolder('og index ')
  const block = points()
  const table = await tableOf(temp.path, block)
  const generation = generationNamed('g', { chunks: count })
  const embedding = block.slice(0, dimensions)
  const failingOnce = <T>(failingCall: number, value: T) => {
    let calls = 0
    return async () => {
      if (++calls === failingCall) throw new Error('too many open files')
      return value
    }
  }
  // The first search does not read the embeddings into memory.
  const inMemory = { open: failingOnce(2, table), urls, index: null }
  const indexed = {
    open: async () => table,
    urls,
    index: failingOnce(1, { probes: 100, recall: 1 }),
  }
  for (const [source, nBefore] of [
    [inMemory, 1],
    [indexed, 0],
  ] as const) {
    const { nearest } = openVectorSearch(generation, kernels, source)
    for (let i = 0; i < nBefore; i++) await nearest(embedding, 1)
    await expect(nearest(embedding, 1)).rejects.toThrow('too many open files')
    expect(await nearest(embedding, 1)).toHaveLength(1)
  }
  table.close()
})

test('finds the nearest chunks among few or many pages', async () => {
  await using temp = await createTempFolder('og index ')
  const block = points()
  const table = await tableOf(temp.path, block)
  await writeVectorIndex(temp.path, table, 1000)
  const index = () => readVectorIndex(temp.path)
  const open = async () => table
  const generation = generationNamed('g', { chunks: count })
  const vectors = openVectorSearch(generation, kernels, { open, urls, index })
  const all = Array.from({ length: 100 }, (_, i) => `page ${i}`)
  const embedding = block.slice(0, dimensions)
  for (const wanted of [['page 7', 'page 30'], all.slice(1), []]) {
    const pages = new Set(wanted)
    const everywhere = await searchNearest(table, embedding, { limit: count })
    const expected = everywhere.filter(({ url }) => pages.has(url)).slice(0, 10)
    const found = await vectors.nearest(embedding, 10, { urls: pages, all })
    expect(found.map(({ url }) => url)).toEqual(expected.map(({ url }) => url))
  }
  const words = { ...generation, embedded: 0 }
  expect(
    await openVectorSearch(words, kernels, { open, urls, index }).nearest(embedding, 10),
  ).toEqual([])
  table.close()
})
