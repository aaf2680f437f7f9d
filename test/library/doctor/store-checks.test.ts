import { beforeEach, expect, test } from 'bun:test'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openEmbeddingCache } from '../../../src/embed/cache.ts'
import { addLibrary } from '../../../src/library/add/add.ts'
import { chunkerOf } from '../../../src/library/recipe.ts'
import {
  storeChecks,
  vectorChecks,
  type BuildSettings,
} from '../../../src/library/doctor/store-checks.ts'
import type { Check } from '../../../src/platform/check.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'
import type { Entry } from '../../../src/store/registry.ts'
import { openBirds } from '../../support/following/birds.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const chunking = { chunkChars: undefined, overlapChars: undefined }
const own = hashEmbedder()
const recipe: BuildSettings = { chunking, embedder: () => own, hasModel: async () => false }

const temp = disposeAfterAll(await createTempFolder('og-store-checks'))
const made = join(temp.path, 'made')
const store = join(temp.path, 'store')
const docs = join(temp.path, "it's docs")
mkdirSync(docs)
writeFileSync(join(docs, 'a.md'), '# One\n\nFirst page.\n\n## Two\n\nMore of it.\n')
writeFileSync(join(docs, 'b.md'), '# Three\n\nSecond page.\n')
await addLibraries({ Ray: '2.0', sound: '1.0' }, docs)
beforeEach(() => {
  rmSync(store, { recursive: true, force: true })
  cpSync(made, store, { recursive: true })
})

async function addLibraries(versions: Record<string, string>, docs: string) {
  await using embedder = hashEmbedder()
  using cache = openEmbeddingCache(join(temp.path, 'embeddings.sqlite'), embedder)
  const opened = {
    folder: made,
    kernels: openKernels(null),
    chunking,
    fingerprint: embedder.fingerprint,
    embedder: async () => embedder,
    ownEmbedder: async () => null,
    embedding: async () => ({ embedder, cache }),
    countTokens: async () => (text: string) => text.split(/\s+/).length,
    isEnglishWord: async () => false,
    isMadeBySettings: () => true,
  }
  const source = { kind: 'local_path', path: docs } as const
  for (const [library, version] of Object.entries(versions)) {
    await addLibrary(opened, { library, version, source, lockTimeoutMs: 1000 })
  }
}

/** Compares the failed checks, and the checks that have a hint. */
async function check(expected: Partial<Check>[], settings: BuildSettings = recipe) {
  const checks = await storeChecks(store, settings)
  const remarkable = checks.filter(({ ok, hint }) => !ok || hint !== undefined)
  expect(remarkable).toEqual(expected.map((it) => expect.objectContaining(it)))
}

function liveOf(library: string): { id: string; path: string } {
  const entry = registry().entries.find((it) => it.library === library)!
  return { id: entry.live.id, path: join(store, 'generations', entry.live.id) }
}

function registry(): { format: number; entries: Entry[] } {
  return JSON.parse(readFileSync(join(store, 'registry.json'), 'utf8'))
}

function changeEntry(library: string, change: (entry: Entry) => void): void {
  const changed = registry()
  change(changed.entries.find((it) => it.library === library)!)
  writeFileSync(join(store, 'registry.json'), JSON.stringify(changed))
}

const containing = (text: string) => expect.stringContaining(text) as unknown as string
const damaged = { name: 'store', ok: false, detail: containing('1 of 2 library versions') }
const again = () => `og add Ray -s '${join(temp.path, "it'\\''s docs")}' -v 2.0`
const replaced = () => `og remove Ray -v 2.0 -y && ${again()}`

test('finds no problem in an undamaged store', async () => {
  await check([])
  const [first] = await storeChecks(store, recipe)
  const counts = '2 library versions, 4 pages, 4 chunks, all readable'
  expect(first?.detail).toBe(`${store}, format 1: ${counts}`)
})

test('reports a missing folder', async () => {
  const { id, path } = liveOf('Ray')
  rmSync(path, { recursive: true })
  const detail = `its folder generations/${id} is missing`
  await check([damaged, { name: 'Ray 2.0', ok: false, detail, hint: replaced() }])
})

test('reports a truncated file of a table', async () => {
  const folder = join(liveOf('Ray').path, 'chunks.lance', 'data')
  truncateSync(join(folder, readdirSync(folder)[0]!), 100)
  const unread = containing('it cannot be read: ')
  await check([damaged, { name: 'Ray 2.0', ok: false, detail: unread, hint: replaced() }])
})

test('reports a missing table', async () => {
  rmSync(join(liveOf('Ray').path, 'pages.lance'), { recursive: true })
  const detail = "it cannot be read: Table 'pages' was not found"
  await check([damaged, { name: 'Ray 2.0', ok: false, detail }])
})

test('reports a newer version of a table that another program has left incomplete', async () => {
  const versions = join(liveOf('Ray').path, 'chunks.lance', '_versions')
  // LanceDB numbers versions in descending order.
  writeFileSync(join(versions, '18446744073709551600.manifest'), 'torn')
  const unread = containing('it cannot be read: ')
  await check([damaged, { name: 'Ray 2.0', ok: false, detail: unread, hint: replaced() }])
})

test('reports embeddings that have another length than the registry says', async () => {
  changeEntry('Ray', (entry) => (entry.live.fingerprint!.dimensions = 64))
  const checks = await storeChecks(store, recipe)
  expect(checks.slice(0, 2)).toEqual([
    expect.objectContaining(damaged),
    expect.objectContaining({ name: 'Ray 2.0', ok: false, detail: containing('dimension: 64') }),
  ])
})

test('reports counts that differ from the registry', async () => {
  changeEntry('Ray', (entry) => (entry.live.pages = 7))
  const detail = 'it holds 2 pages and 2 chunks, the registry says 7 and 2'
  await check([damaged, { name: 'Ray 2.0', ok: false, detail }])
})

test('reports embeddings of another model, unless that model is on this machine', async () => {
  const anew = 'og reembed Ray'
  changeEntry('Ray', (entry) => (entry.live.fingerprint!.model = 'other'))
  await check([
    { name: 'made by these settings', ok: false, detail: '1 of 2; 1 cannot be searched' },
    { name: 'Ray 2.0', ok: false, detail: containing('embedded by other, 32'), hint: anew },
  ])
  const served = { ...recipe, hasModel: async () => true }
  const detail = containing('queried with its own model: embedded by other')
  await check([{ name: 'Ray 2.0', ok: true, detail, hint: anew }], served)
})

test('names public names that the index lacks, and the command that adds them', async () => {
  const group = { reason: 'dependency' as const, from: 'npm:zod', count: 1, names: ['kit.z'] }
  const names = { declared: 4, missing: 1, groups: [group] }
  changeEntry('Ray', (entry) => (entry.live.names = names))
  const detail = '3 of 4 public names; missing: 1 declared in npm:zod, which was not read (kit.z)'
  await check([{ name: 'names of Ray 2.0', ok: true, detail, hint: 'og add npm:zod' }])
})

test('accepts another chunker, other arithmetic or a library without embeddings', async () => {
  changeEntry('Ray', (entry) => Object.assign(entry.live, { chunker: 'old', arithmetic: 'fp16' }))
  const differences = containing(`chunker old, now ${chunkerOf(chunking)}`)
  await check([{ name: 'Ray 2.0', ok: true, detail: differences, hint: again() }])
  await check([{ name: 'Ray 2.0', ok: true, detail: containing('fp16, now hash') }])
  const none = containing('now no embeddings')
  const without = { ...recipe, embedder: () => null }
  const expected = ['Ray 2.0', 'sound 1.0'].map((name) => ({ name, ok: true, detail: none }))
  await check(expected, without)
})

test('does not report which engine has embedded the library', async () => {
  const arithmetic = `native-${own.arithmetic}`
  changeEntry('Ray', (entry) => Object.assign(entry.live, { chunker: 'old', arithmetic }))
  const difference = `chunker old, now ${chunkerOf(chunking)}`
  const detail = `usable as it is, but built differently: ${difference}`
  await check([{ name: 'Ray 2.0', ok: true, detail }])
})

test('still checks everything else if the settings name an unknown model', async () => {
  const broken = {
    ...recipe,
    embedder() {
      throw new Error('no such model')
    },
  }
  await check([{ name: 'made by these settings', ok: false, detail: 'no such model' }], broken)
})

test('reports a folder that no registry entry refers to', async () => {
  mkdirSync(join(store, 'generations', 'left-over'))
  await check([{ name: 'unused data', ok: true, detail: containing('1 folders') }])
  rmSync(join(store, 'registry.json'))
  await check([
    { name: 'store', ok: false, detail: containing('is missing'), hint: containing('--repair') },
  ])
})

test('reports an unreadable registry', async () => {
  writeFileSync(join(store, 'registry.json'), '{"format":99,"entries":[]}')
  const detail = containing('its format is 99')
  await check([{ name: 'store', ok: false, detail, hint: 'install a newer og' }])
})

test('reports a partly embedded library, and how to continue', async () => {
  await using at = await openBirds()
  await at.stopAfter(6)
  const checks = await storeChecks(at.folder, recipe)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  expect(checks.find(({ name }) => name === 'zoo 1')).toMatchObject({
    detail: '7 % of its passages are embedded; full-text search finds all',
    hint: 'og add --resume zoo',
  })
})

test("reports the recall of a large library's vector index, and how to replace the index", () => {
  const entry = { library: 'lib', version: '1' } as Entry
  const said = (index: { probes: number; recall: number } | null) =>
    vectorChecks([{ entry, index }])[0]!
  expect(said({ probes: 9, recall: 0.9831 })).toEqual({
    name: 'vectors of lib 1',
    ok: true,
    detail: 'its index finds 98.3 % of the ten nearest',
  })
  expect(said({ probes: 9, recall: 0.9 }).detail).toContain('less than 95 %: exact search is used')
  expect(said(null)).toMatchObject({ ok: true, hint: 'og reembed lib rebuilds it' })
})
