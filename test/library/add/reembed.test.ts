import { beforeEach, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  reembedLibraries,
  type ReembedRequest,
  resumeLibraries,
  type ResumeRequest,
} from '../../../src/library/add/reembed.ts'
import { rollbackVersion } from '../../../src/library/rollback.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { changeEntries, readEntries } from '../../../src/store/registry.ts'
import { countWords } from '../../support/count-words.ts'
import { hashEmbedder, type HashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'
import { askBirds, birds, openBirds } from '../../support/following/birds.ts'

const first = hashEmbedder()
const second = hashEmbedder({ fingerprint: { model: 'second', dimensions: 64 } })

const temp = openEach(() => createTempFolder('og-reembed'))
const folder = () => join(temp().path, 'store')
beforeEach(async () => {
  const docs = join(temp().path, 'docs')
  writeFiles(docs, { 'a.md': '# Walrus\n\nA walrus.\n', 'b.md': '# Heron\n\nA heron.\n' })
  using store = openTestStore(folder(), { embedder: first })
  await store.add('Zoo', docs)
  await store.add('Zoo', docs, { version: '2' })
  await store.add('Park', docs)
  // The pages come from the store alone.
  rmSync(docs, { recursive: true })
})

async function reembed(store: TestStore, request: Partial<ReembedRequest> = {}) {
  const wanted = { library: null, version: null, lockTimeoutMs: 1000, ...request }
  return Array.fromAsync(reembedLibraries(store.opened, wanted))
}

async function modelsOf(): Promise<Record<string, string | undefined>> {
  const entries = await readEntries(folder())
  return Object.fromEntries(
    entries.map((it) => [`${it.library} ${it.version}`, it.live.fingerprint?.model]),
  )
}

const withSecond = (others: HashEmbedder[] = []) =>
  openTestStore(folder(), { embedder: second, others })

test('embeds every version of every library with the configured model', async () => {
  using store = withSecond()
  const outcomes = await reembed(store)
  expect(outcomes.map(({ result }) => result)).toMatchObject(
    ['1', '2', '1'].map((version) => ({
      version,
      status: 'reembedded',
      before: 'hash',
      model: 'second',
      pages: 2,
      chunks: 2,
    })),
  )
  const second = 'second'
  expect(await modelsOf()).toEqual({ 'Zoo 1': second, 'Zoo 2': second, 'Park 1': second })
  const [hit] = await store.search('walrus', { mode: 'vector' })
  expect(hit).toMatchObject({ url: 'doc:/a.md', text: expect.stringContaining('A walrus.') })
})

test('reports a page that it cannot cut, and stores that the version is incomplete', async () => {
  using store = withSecond()
  const docs = join(temp().path, 'birds')
  const heron = `# Heron\n\n${'The heron wades. '.repeat(200)}\n`
  writeFiles(docs, { 'a.md': '# Walrus\n\nA walrus.\n', 'b.md': heron })
  using earlier = openTestStore(folder(), { embedder: first })
  await earlier.add('Birds', docs)
  const count = (text: string) => {
    if (text.includes('The heron wades.')) throw new Error('took too long')
    return countWords(text)
  }
  const opened = { ...store.opened, countTokens: async () => count }
  const [outcome] = await reembed({ ...store, opened }, { library: 'Birds' })
  const failed = [{ url: 'doc:/b.md', reason: 'took too long' }]
  expect(outcome!.result).toMatchObject({ status: 'reembedded', chunks: 1, failed })
  const birds = (await readEntries(folder())).find(({ library }) => library === 'Birds')
  expect(birds!.live.failed).toBe(1)
})

test('does not change libraries that were built with the current settings', async () => {
  using store = openTestStore(folder(), { embedder: first })
  const before = await readEntries(folder())
  const outcomes = await reembed(store)
  expect(outcomes.map(({ result }) => result?.status)).toEqual(Array(3).fill('unchanged'))
  expect(await readEntries(folder())).toEqual(before)
})

test('embeds one library or one version again, and can be rolled back', async () => {
  using store = withSecond()
  await reembed(store, { library: 'zoo', version: '2' })
  expect(await modelsOf()).toEqual({ 'Zoo 1': 'hash', 'Zoo 2': 'second', 'Park 1': 'hash' })
  await rollbackVersion(folder(), { library: 'zoo', version: '2', lockTimeoutMs: 1000 })
  await reembed(store, { library: 'park' })
  expect(await modelsOf()).toEqual({ 'Zoo 1': 'hash', 'Zoo 2': 'hash', 'Park 1': 'second' })
})

test('keeps pages of an older parser without embedding them again', async () => {
  using store = withSecond()
  await changeEntries(folder(), (entries) =>
    entries.map((entry) => {
      const chunker = entry.live.chunker.replace(/parser-\w+/, 'parser-old')
      return { ...entry, live: { ...entry.live, chunker } }
    }),
  )
  await reembed(store, { library: 'park' })
  const [park] = (await readEntries(folder())).filter((entry) => entry.library === 'Park')
  expect(park!.live.chunker).toContain('/parser-old/')
  expect(park!.live.fingerprint?.model).toBe('second')
  const [again] = await reembed(store, { library: 'park' })
  expect(again!.result!.status).toBe('unchanged')
})

test('changes nothing and leaves no folder behind if the embedder fails', async () => {
  const broken = hashEmbedder({ fingerprint: { model: 'broken' } })
  broken.embed = async () => {
    throw new Error('out of memory')
  }
  const before = await readEntries(folder())
  using store = openTestStore(folder(), { embedder: broken })
  const outcomes = await reembed(store, { library: 'park' })
  expect(outcomes[0]!.error?.message).toContain('out of memory')
  expect(await readEntries(folder())).toEqual(before)
  const ids = before.map((entry) => entry.live.id).sort()
  expect(readdirSync(join(folder(), 'generations')).sort()).toEqual(ids)
})

test('fails if no model is configured', async () => {
  using store = openTestStore(folder(), { embedder: null })
  await expect(reembed(store)).rejects.toThrow('embeddings.embedding_backend is none')
})

test('searches each library with its own model if that model is on this machine', async () => {
  using made = withSecond()
  await reembed(made, { library: 'park' })
  using store = withSecond([first])
  const hits = await store.search('walrus', { mode: 'vector' })
  expect(new Set(hits.map((hit) => hit.library))).toEqual(new Set(['Zoo', 'Park']))
  expect(hits.slice(0, 2).map((hit) => hit.url)).toEqual(['doc:/a.md', 'doc:/a.md'])
  expect(hits.map((hit) => hit.rank)).toEqual(hits.map((_, i) => i + 1))
})

test('explains how to get the missing model', async () => {
  using store = withSecond()
  const failure = store.search('walrus', { library: 'zoo' })
  await expect(failure).rejects.toThrow(
    'library "Zoo" version "2" was embedded by hash (32 dimensions), which is not on this machine',
  )
  await expect(failure).rejects.toMatchObject({ hint: expect.stringContaining('og reembed Zoo') })
})

const at = openEach(openBirds)

async function resume(store: TestStore, request: Partial<ResumeRequest> = {}) {
  const wanted = { library: null, version: null, lockTimeoutMs: 1000, ...request }
  return Array.fromAsync(resumeLibraries(store.opened, wanted))
}

test('--resume works without the source or the cache', async () => {
  await at().stopAfter(6)
  rmSync(at().docs, { recursive: true })
  for (const name of readdirSync(at().folder).filter((it) => it.startsWith('embeddings.sqlite'))) {
    rmSync(join(at().folder, name))
  }
  using store = at().openWith(hashEmbedder())
  const outcomes = await resume(store)
  expect(outcomes.map(({ result }) => result)).toMatchObject([
    {
      library: 'zoo',
      version: '1',
      status: 'updated',
      pages: birds.pages,
      embedded: birds.chunks - birds.pages,
    },
  ])
  expect((await at().live()).embedded).toBeUndefined()
  expect(await resume(store)).toEqual([])
  const { hits } = await askBirds(store, 'heron 3x4')
  expect(hits[0]!.text).toContain('Part 3x4')
})

test('chunks the stored pages again if the chunk size has changed', async () => {
  await at().stopAfter(6)
  rmSync(at().docs, { recursive: true })
  using store = openTestStore(at().folder, { chunkChars: 200 })
  const [outcome] = await resume(store, { library: 'zoo' })
  expect(outcome).toMatchObject({ error: null, result: { status: 'updated' } })
  const { embedded, chunks } = await at().live()
  expect(embedded).toBeUndefined()
  expect(chunks).toBeGreaterThan(0)
})
