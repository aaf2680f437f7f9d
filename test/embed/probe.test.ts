import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { embeddingKey, deleteUnusedEmbeddings, openEmbeddingCache } from '../../src/embed/cache.ts'
import {
  isCacheOfModel,
  isSameModel,
  probedFingerprint,
  signsOfEmbedding,
  withProbe,
} from '../../src/embed/probe.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'

/** Returns numbers around zero that depend on the seed. */
function vectorOf(seed: number, length = 384): Float32Array {
  let state = seed
  return Float32Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31 - 0.5
  })
}

const isOne = (a: Float32Array, b: Float32Array) =>
  isSameModel({ probe: signsOfEmbedding(a), dimensions: a.length }, { probe: signsOfEmbedding(b) })

test('treats another precision as the same model, and other numbers as a different model', () => {
  const a = vectorOf(1)
  const rounded = a.map((x, i) => Math.round(x * 15) / 15 + 0.02 * vectorOf(2)[i]!)
  expect(isOne(a, a)).toBe(true)
  expect(isOne(a, rounded)).toBe(true)
  for (let seed = 2; seed < 50; seed++) expect(isOne(a, vectorOf(seed))).toBe(false)
  expect(isOne(vectorOf(1, 8), vectorOf(1, 8))).toBe(true)
  expect(isOne(vectorOf(1, 256), vectorOf(1, 128))).toBe(false)
})

test('assumes the same model for embeddings without a probe', () => {
  expect(isSameModel({ dimensions: 8 }, { probe: 'ff' })).toBe(true)
  expect(isSameModel({ probe: '00', dimensions: 8 }, {})).toBe(true)
})

test('returns the same embeddings with and without a probe', async () => {
  const plain = hashEmbedder()
  await using probed = withProbe(plain)
  expect(await probedFingerprint(plain)).toEqual(plain.fingerprint)
  expect(await probedFingerprint(probed)).toEqual({
    ...plain.fingerprint,
    probe: expect.stringMatching(/^[0-9a-f]+$/),
  })
  expect(await probed.embed(['text'])).toEqual(await plain.embed(['text']))
})

test('probes an endpoint again after ten minutes, because its model may have changed', async () => {
  let [seed, now, asked] = [1, 0, 0]
  await using probed = withProbe(
    {
      ...hashEmbedder(),
      async embedQuery() {
        asked++
        return vectorOf(seed, 32)
      },
    },
    () => now,
  )
  const first = await probed.probe!()
  seed = 2
  now = 9 * 60_000
  expect(await probed.probe!()).toBe(first)
  expect(asked).toBe(1)
  now = 11 * 60_000
  expect(await Promise.all([probed.probe!(), probed.probe!()])).toEqual([
    signsOfEmbedding(vectorOf(2, 32)),
    signsOfEmbedding(vectorOf(2, 32)),
  ])
  expect(asked).toBe(2)
})

test('remembers the owner of a cache after the cache is pruned', async () => {
  await using temp = await createTempFolder('og-probe')
  const path = join(temp.path, 'embeddings.sqlite')
  const own = hashEmbedder()
  const negated = (block: Float32Array) => block.map((x) => -x)
  const other = {
    ...own,
    embed: async (texts: string[]) => negated(await own.embed(texts)),
    embedQuery: async (text: string) => negated(await own.embedQuery(text)),
  }
  const isOf = async (embedder: typeof own) => {
    using cache = openEmbeddingCache(path, own)
    return await isCacheOfModel(cache, withProbe(embedder))
  }
  expect(await isOf(own)).toBe(true)
  const cache = openEmbeddingCache(path, own)
  cache.write(['a', 'b'], await own.embed(['a', 'b']))
  cache[Symbol.dispose]()
  deleteUnusedEmbeddings(path, new Set([embeddingKey(own, 'a')]), { isDry: false })
  expect(await isOf(other)).toBe(false)
  expect(await isOf(own)).toBe(true)
})
