import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openLiveState, type IntactState } from '../../../src/library/add/live-state.ts'
import { chunkKey, copyChunks, emptyCopyResult } from '../../../src/library/add/copy.ts'
import type { PreparedChunk } from '../../../src/library/add/cut-page.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { publish, writeGeneration } from '../../support/store.ts'
import { openTestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og copy chunks'))
const store = openEach(() => openTestStore(join(temp().path, 'store')))

const texts = { 'doc:/a': 'the heron', 'doc:/b': 'the stork', 'doc:/c': 'the crane' }

/** Opens the state of a library with these pages before an update. */
async function before(pages: Record<string, string>) {
  await writeGeneration(store().folder, pages, { library: 'birds' })
  const [entry] = await readEntries(store().folder)
  const update = await openLiveState(store().opened, entry!)
  if (update.kind !== 'update') throw new Error('nothing is there')
  return update
}

/**
 * Returns hashes that mark the pages in `changed` as changed and omit the pages in `gone`.
 */
function hashesOf({ states }: IntactState, { changed = [], gone = [] }: Record<string, string[]>) {
  return new Map(
    [...states].flatMap(([url, { hash }]) =>
      gone.includes(url) ? [] : [[url, changed.includes(url) ? 'another' : hash] as const],
    ),
  )
}

const prepared = (text: string) => ({ text }) as PreparedChunk

/** Returns for each text whether its embedding can be reused. */
async function known(
  recall: (some: PreparedChunk[]) => Promise<(Float32Array | null)[]>,
  of: string[],
) {
  const embeddings = await recall(of.map(prepared))
  const block = await (await store().opened.embedder())!.embed(of)
  embeddings.forEach(
    (one, i) => one && expect([...one]).toEqual([...block.subarray(i * 32, i * 32 + 32)]),
  )
  return embeddings.map((one) => one !== null)
}

test('copies the chunks of unchanged pages, and reuses embeddings of the others', async () => {
  using update = await before(texts)
  using writer = await createGeneration(store().folder)
  const hashes = hashesOf(update, { changed: ['doc:/b'], gone: ['doc:/c'] })
  const { urls, chunks, recall } = await copyChunks(writer, update, hashes)
  expect([[...urls], chunks]).toEqual([['doc:/a'], 1])
  expect(await known(recall, ['the heron', 'the stork', 'the crane', 'the rook'])).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test('copies all chunks if no page has changed, and none if every page has', async () => {
  using update = await before(texts)
  for (const [changed, count] of [
    [[], 3],
    [Object.keys(texts), 0],
  ] as const) {
    using writer = await createGeneration(store().folder)
    const hashes = hashesOf(update, { changed: [...changed] })
    const { urls, chunks } = await copyChunks(writer, update, hashes)
    expect([urls.size, chunks]).toEqual([count, count])
  }
})

test('copies rows and embeddings unchanged, so that they pass verification', async () => {
  using update = await before(texts)
  using writer = await createGeneration(store().folder)
  await copyChunks(writer, update, hashesOf(update, {}))
  await writer.appendPages(await Array.fromAsync(update.open.pages()).then((all) => all.flat()))
  await writer.finish()
  const { live } = update.entry
  const [entry] = await readEntries(store().folder)
  await publish(store().folder, 'again', { ...live, id: writer.id })
  const copy = (await openLiveState(
    store().opened,
    (await readEntries(store().folder)).find(({ library }) => library === 'again')!,
  )) as IntactState & Disposable
  using _copy = copy
  const rows = async ({ open }: IntactState) => (await Array.fromAsync(open.chunkRows())).flat()
  const vectors = async ({ open }: IntactState) =>
    (await Array.fromAsync(open.embeddedChunks(null))).map(({ embedding }) => [...embedding])
  expect(entry!.library).toBe('birds')
  expect(await rows(copy)).toEqual(await rows(update))
  expect(await vectors(copy)).toEqual(await vectors(update))
})

test('copies no chunk if more than a thousand pages have changed, but reuses all embeddings', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 1002 }, (_, i) => [`doc:/${i}`, `bird ${i}`]),
  )
  using update = await before(many)
  using writer = await createGeneration(store().folder)
  const but = (n: number) => hashesOf(update, { changed: Object.keys(many).slice(n) })
  const { urls, chunks, recall } = await copyChunks(writer, update, but(1))
  expect([urls.size, chunks]).toEqual([0, 0])
  expect(await known(recall, ['bird 0', 'bird 1001', 'none'])).toEqual([true, true, false])
  expect((await copyChunks(writer, update, but(2))).urls.size).toBe(2)
})

test('reuses no embedding without a previous generation', async () => {
  expect(await emptyCopyResult.recall([prepared('the heron')])).toEqual([])
})

test('creates distinct keys if the same text is split differently into title, heading and content', () => {
  const keys = [
    ['a', 'b', 'c'],
    ['ab', '', 'c'],
    ['a', '', 'bc'],
    ['', 'b', 'c'],
    ['a', 'b', 'C'],
  ].map(([title, heading, content]) =>
    chunkKey({ title: title!, heading: heading!, content: content! }),
  )
  expect(new Set(keys).size).toBe(5)
  // Packs contain this key, so it must not change.
  expect(keys[0]).toBe('fa1844c2988ad15ab7b49e0ece09684500fad94df916859fb9a43ff85f5bb477')
})
