import { expect, test } from 'bun:test'
import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLiveState, type IntactState } from '../../../src/library/add/live-state.ts'
import { chunkerOf } from '../../../src/library/recipe.ts'
import {
  isSameCommit,
  isSameOrigin,
  isUpToDate,
  usablePages,
  hasSameContent,
} from '../../../src/library/add/up-to-date.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { ResolvedSource } from '../../../src/source/source.ts'
import { readEntries, type Generation } from '../../../src/store/registry.ts'
import type { Source } from '../../../src/store/source.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { generationNamed, publish, writeGeneration } from '../../support/store.ts'
import { openTestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og standing'))
const store = openEach(() => openTestStore(join(temp().path, 'store')))

const chunking = { chunkChars: undefined, overlapChars: undefined }
const source: Source = { kind: 'git_repo', url: 'https://e.org/a.git', docsPaths: ['docs'] }
const resolved: ResolvedSource = { source, version: 'v1', ref: 'v1', commit: 'c0ffee' }
const made: Partial<Generation> = {
  source,
  ref: 'v1',
  commit: 'c0ffee',
  chunker: chunkerOf(chunking),
  arithmetic: 'hash',
  contentHash: 'h',
  fingerprint: hashEmbedder().fingerprint,
}

/** Publishes a generation of the commit in `made`, built with the current settings. */
async function written(more: Partial<Generation> = {}): Promise<Generation> {
  const { id, pages, chunks } = await writeGeneration(store().folder, { 'doc:/a': 'a heron' })
  const live = generationNamed(id, { ...made, pages, chunks, ...more })
  await publish(store().folder, 'birds', live)
  return live
}

const plan = (more: Partial<ResolvedSource> = {}) => ({
  context: store().opened,
  resolved: { ...resolved, ...more },
})

test('recognises the same commit only with the same paths and parsers', async () => {
  const live = generationNamed('x', made)
  const check = (more: Partial<Generation>, now: Partial<ResolvedSource> = {}) =>
    isSameCommit(plan(now), { ...live, ...more })
  expect(check({})).toBe(true)
  expect(check({ failed: 0 })).toBe(true)
  expect(check({ failed: 1 })).toBe(false)
  expect(check({ commit: 'beef' })).toBe(false)
  expect(check({ commit: null }, { commit: null })).toBe(false)
  expect(check({}, { source: { ...source, docsPaths: ['docs', 'more'] } })).toBe(false)
  expect(check({ chunker: '1' })).toBe(false)
  // Another spelling of the ref selects the same pages.
  expect(check({}, { ref: 'main', version: 'latest' })).toBe(true)
})

test('accepts a generation only if its files are undamaged', async () => {
  const live = await written()
  expect(await isUpToDate(plan(), live)).toBe(true)
  expect(await isUpToDate(plan({ commit: 'beef' }), live)).toBe(false)
  const folder = join(store().folder, 'generations', live.id)
  const [file] = readdirSync(join(folder, 'chunks.lance', 'data'))
  appendFileSync(join(folder, 'chunks.lance', 'data', file!), 'x')
  expect(await isUpToDate(plan(), live)).toBe(false)
  rmSync(folder, { recursive: true })
  expect(await isUpToDate(plan(), live)).toBe(false)
})

test('rejects a generation with other settings, or one that cannot be checked', async () => {
  const live = await written()
  expect(await isUpToDate(plan(), { ...live, embedded: 1 })).toBe(false)
  using other = openTestStore(store().folder, { chunkChars: 100 })
  expect(await isUpToDate({ ...plan(), context: other.opened }, live)).toBe(false)
  const folder = join(store().folder, 'generations', live.id)
  const manifest = readdirSync(folder).find((name) => name.includes('manifest'))!
  rmSync(join(folder, manifest))
  expect(await isUpToDate(plan(), live)).toBe(false)
})

test('compares the pages of a source with the stored ones if the store is intact', async () => {
  const live = await written()
  const [entry] = await readEntries(store().folder)
  using before = (await openLiveState(store().opened, entry!)) as IntactState & Disposable
  const check = (contentHash: string, more: Partial<IntactState> = {}) =>
    hasSameContent(plan(), { ...before, ...more }, { contentHash })
  expect(check('h')).toBe(true)
  expect(check('other')).toBe(false)
  expect(check('h', { rest: 'damaged' })).toBe(false)
  expect(check('h', { entry: { ...entry!, live: { ...live, embedded: 1 } } })).toBe(false)
  rmSync(join(store().folder, 'generations', live.id), { recursive: true })
  expect(check('h')).toBe(false)
})

test('uses validators only for pages of the same origin and the same parsers', async () => {
  await written()
  const [entry] = await readEntries(store().folder)
  using before = (await openLiveState(store().opened, entry!)) as IntactState & Disposable
  const states = new Map([
    ['doc:/a', { hash: 'h', validator: '"tag"' }],
    ['doc:/b', { hash: 'h', validator: '' }],
  ])
  const check = (from: Source, live: Partial<Generation> = {}) => [
    ...usablePages(
      { ...before, states, entry: { ...entry!, live: { ...entry!.live, ...live } } },
      from,
    ),
  ]
  expect(check(source)).toEqual([['doc:/a', '"tag"']])
  expect(check({ ...source, docsPaths: [] })).toHaveLength(1)
  expect(check({ ...source, url: 'https://e.org/b.git' })).toEqual([])
  expect(check(source, { chunker: '1' })).toEqual([])
})

test('compares origins by kind, address and languages, but not by selected paths', () => {
  const site = {
    kind: 'sitemap',
    url: 'https://e.org/s.xml',
    filterKeywords: [],
    languages: ['en'],
  }
  expect(isSameOrigin(site, { ...site, filterKeywords: ['guide'], exclude: ['x'] })).toBe(true)
  // The validators of a site contain its languages, so its origin does not depend on them.
  expect(isSameOrigin(site, { ...site, languages: ['de'] })).toBe(true)
  expect(isSameOrigin(site, { ...site, url: 'https://e.org/t.xml' })).toBe(false)
  expect(isSameOrigin(site, { ...site, kind: 'llms_txt' })).toBe(false)
  const folder = { kind: 'local_path', path: '/docs', baseUrl: 'doc:/' }
  expect(isSameOrigin(folder, { ...folder, languages: [] })).toBe(true)
  expect(isSameOrigin(folder, { ...folder, languages: ['de'] })).toBe(false)
  expect(isSameOrigin(folder, { ...folder, path: '/other' })).toBe(false)
  expect(isSameOrigin(folder, { ...folder, baseUrl: undefined })).toBe(false)
})
