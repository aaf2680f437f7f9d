import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readEntries } from '../../../src/store/registry.ts'
import { askBirds, birds, openBirds, type BirdStore, type SeenLive } from '../../support/following/birds.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import type { TestStore } from '../../support/test-store.ts'

let at: BirdStore
beforeEach(async () => void (at = await openBirds()))
afterEach(() => at[Symbol.asyncDispose]())

test('words first, then the openings, half and all; one state stays', async () => {
  const seen: SeenLive = []
  using store = at.openWith(at.watched(seen))
  const result = await store.add('zoo', at.docs)
  expect(result).toMatchObject({ status: 'added', chunks: birds.chunks, embedded: birds.chunks })
  expect(seen).toEqual([0, birds.pages, expect.any(Number)])
  expect(seen[2]).toBeGreaterThanOrEqual(birds.chunks / 2)
  expect(seen[2]).toBeLessThan(birds.chunks)
  const [entry] = await readEntries(at.folder)
  expect(entry!.live.embedded).toBeUndefined()
  expect(entry!.previous).toBeNull()
  expect(readdirSync(join(at.folder, 'generations'))).toEqual([entry!.live.id])
  const { hits, incomplete } = await askBirds(store, 'heron 3x4')
  expect(hits[0]!.heading).toContain('Part 3x4')
  expect(incomplete).toEqual([])
})

test('it comes out as where all was embedded at once', async () => {
  const rows = async (store: TestStore) => {
    using held = await store.entries((all) => all)
    return Array.fromAsync(held[0]!.open.embeddedChunks(null))
  }
  using store = at.openWith(hashEmbedder())
  await store.add('zoo', at.docs)
  const followed = await rows(store)
  await store.add('zoo', at.docs, { force: true, minHealth: 0, version: '2' })
  const [, second] = await readEntries(at.folder)
  expect(second!.live.chunks).toBe(birds.chunks)
  using other = await store.entries((all) => all.filter(({ version }) => version === '2'))
  expect(await Array.fromAsync(other[0]!.open.embeddedChunks(null))).toEqual(followed)
})
