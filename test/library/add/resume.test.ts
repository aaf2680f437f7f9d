import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { resumeLibraries, type ResumeRequest } from '../../../src/library/add/resume.ts'
import { askBirds, birds, openBirds } from '../../support/following/birds.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

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
