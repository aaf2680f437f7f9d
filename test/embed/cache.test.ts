import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clearEmbeddingCache, openEmbeddingCache } from '../../src/embed/cache.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { startScript } from '../support/child.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { openEach } from '../support/run/dispose.ts'

const embedder = hashEmbedder()
const texts = ["it's", 'a\nb', '', 'emoji 🚀', 'nul \0 inside', 'x'.repeat(100_000)]

const temp = openEach(() => createTempFolder("og cache 'ü"))
const path = () => join(temp().path, 'embeddings.sqlite')

/** Checks which of these texts are cached, and that their embeddings are correct. */
async function check(wanted: string[], expected: boolean[], of = embedder) {
  using cache = openEmbeddingCache(path(), of)
  const found = cache.read(wanted)
  expect(found.map((embedding) => embedding !== null)).toEqual(expected)
  for (const [i, embedding] of found.entries()) {
    if (embedding !== null) expect(embedding).toEqual(await of.embed([wanted[i]!]))
  }
}

async function write(wanted: string[]) {
  using cache = openEmbeddingCache(path(), embedder)
  cache.write(wanted, await embedder.embed(wanted))
}

test('returns the same bits after the cache is reopened', async () => {
  await check(
    texts,
    texts.map(() => false),
  )
  await write(texts)
  await check([...texts, 'another'], [...texts.map(() => true), false])
})

test('accepts a block that is a view of a larger one', async () => {
  using cache = openEmbeddingCache(path(), embedder)
  const block = new Float32Array(1 + 2 * 32)
  block.set(await embedder.embed(['a', 'b']), 1)
  cache.write(['a', 'b'], block.subarray(1))
  await check(['a', 'b'], [true, true])
})

test('separates embeddings of different models, prefixes or arithmetic', async () => {
  await write(['a'])
  const others = [
    { fingerprint: { model: 'other' } },
    { fingerprint: { queryPrefix: '' } },
    { fingerprint: { dimensions: 16 } },
    { arithmetic: 'fp32' },
  ]
  for (const other of others) await check(['a'], [false], hashEmbedder(other))
  await check(['a'], [true])
})

test('accepts writes of two processes at the same time', async () => {
  await using one = startScript('store/cache-writer.ts', [path(), 'one', '200'])
  await using two = startScript('store/cache-writer.ts', [path(), 'two', '200'])
  expect([await one.line(), await two.line()]).toEqual(['written', 'written'])
  const wanted = Array.from({ length: 200 }, (_, i) => [`one ${i}`, `two ${i}`, `common ${i}`])
  await check(
    wanted.flat(),
    wanted.flat().map(() => true),
  )
})

test('keeps written embeddings after kill -9', async () => {
  await using child = startScript('store/cache-writer.ts', [path(), 'one', '10'])
  expect(await child.line()).toBe('written')
  await child.kill()
  await check(['one 0', 'one 9', 'one 10'], [true, true, false])
})

test('replaces a damaged file, or one that is not a database', async () => {
  writeFileSync(path(), 'this is not SQLite, whatever it is called. '.repeat(100))
  await check(['a'], [false])
  await write(['a'])
  const [whole, half] = [readFileSync(path()).length, readFileSync(path()).length / 2]
  writeFileSync(
    path(),
    Buffer.concat([readFileSync(path()).subarray(0, 100), Buffer.alloc(whole, 7)]),
  )
  await check(['a'], [false])
  await write(['a'])
  await check(['a'], [true])
  truncateSync(path(), Math.floor(half / 2))
  await write(['a'])
})

test('recreates a file when a read or write finds hidden damage', async () => {
  for (const first of ['read', 'write']) {
    await write(texts)
    writeFileSync(path(), readFileSync(path()).fill(0xff, 4096))
    using cache = openEmbeddingCache(path(), embedder)
    if (first === 'read') expect(cache.read(texts)).toEqual(texts.map(() => null))
    cache.write(texts, await embedder.embed(texts))
    await check(
      texts,
      texts.map(() => true),
    )
  }
})

test('reports a path that cannot be used', () => {
  mkdirSync(path())
  expect(() => openEmbeddingCache(path(), embedder)).toThrow(
    `Cannot use the embedding cache ${path()}: unable to open database file`,
  )
})

test('keeps the cache below its size limit when pruning', async () => {
  using cache = openEmbeddingCache(path(), embedder)
  cache.write(['a'], await embedder.embed(['a']))
  cache.prune()
  await check(['a'], [true])
})

test('deletes the file when clearing, or only its content if the file is in use', async () => {
  const block = await embedder.embed(['a'])
  const cache = openEmbeddingCache(path(), embedder)
  cache.write(['a'], block)
  clearEmbeddingCache(path())
  expect(cache.read(['a'])).toEqual([null])
  cache.write(['a'], block)
  expect(cache.read(['a'])).toEqual([block])
  cache[Symbol.dispose]()
  clearEmbeddingCache(path())
  expect(readdirSync(temp().path)).toEqual(['locks'])
})
