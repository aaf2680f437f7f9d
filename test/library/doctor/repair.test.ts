import { beforeEach, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { listLibraries } from '../../../src/library/list.ts'
import { findFullPage } from '../../../src/library/page.ts'
import { repairStore } from '../../../src/library/doctor/repair.ts'
import { reembedLibraries } from '../../../src/library/add/reembed.ts'
import { rollbackVersion, removeVersion } from '../../../src/library/rollback.ts'
import { searchLibraries } from '../../../src/library/search/search.ts'
import { storeChecks, type BuildSettings } from '../../../src/library/doctor/store-checks.ts'
import { OgError } from '../../../src/platform/error.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const topics = ['walrus', 'heron', 'badger', 'lynx']
const texts = Object.fromEntries(
  topics.map((topic) => [
    `${topic}.md`,
    `# The ${topic}\n\nA ${topic} sleeps.\n\n## Food of it\n\nIt eats what a ${topic} finds.\n`,
  ]),
)
const sound = { 'otter.md': '# The otter\n\nAn otter sleeps beside the walrus.\n' }
const known = Object.values({ ...texts, ...sound }).join('\n')
const docs = () => join(temp.path, 'docs')

const temp = disposeAfterAll(await createTempFolder('og-repair'))
const made = join(temp.path, 'made')
const folder = join(temp.path, 'store')
writeFiles(docs(), texts)
writeFiles(join(temp.path, 'sound'), sound)
using store = openTestStore(made)
await store.add('bad', docs())
await store.add('good', join(temp.path, 'sound'))
beforeEach(restore)

function restore(): void {
  rmSync(folder, { recursive: true, force: true })
  cpSync(made, folder, { recursive: true })
}

const recipe: BuildSettings = {
  chunking: { chunkChars: undefined, overlapChars: undefined },
  embedder: () => hashEmbedder(),
  hasModel: async () => false,
}

async function faults(isDeep = true): Promise<string[]> {
  const checks = await storeChecks(folder, recipe, { isDeep })
  return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
}

async function liveId(library: string): Promise<string> {
  return (await readEntries(folder)).find((entry) => entry.library === library)!.live.id
}

const query = { query: 'a walrus sleeps', library: null, version: null, limit: 20 }

/** Checks that an error has one line that tells the user what to do. */
function checkError(error: unknown): void {
  expect(error).toBeInstanceOf(OgError)
  const { message, hint } = error as OgError
  checkLine(`${message}; ${hint}`)
}

function checkLine(line: string): void {
  expect(line).not.toMatch(/\n|\.rs\b|panic|internal:|undefined|\[object/)
}

/** Checks that each returned line belongs to a page, and that the other library still answers. */
async function checkAnswers(store: TestStore, whole: string): Promise<boolean> {
  const found = await searchLibraries(store.opened, store.entries, query)
  for (const { problem } of found.broken) checkLine(problem)
  expect(found.hits.some(({ library }) => library === 'good')).toBe(true)
  for (const hit of found.hits) {
    for (const line of hit.text.split('\n')) expect(known).toContain(line)
    expect(known).toContain(`# ${hit.title}\n`)
  }
  const alone = await searchLibraries(store.opened, store.entries, {
    ...query,
    library: 'bad',
  }).catch(checkError)
  const page = await findFullPage(store.entries, {
    url: 'doc:/heron.md',
    library: null,
    version: null,
  }).catch(checkError)
  if (page) expect(page.text).toBe(texts['heron.md']!)
  expect((await listLibraries(folder)).map(({ library }) => library)).toEqual(['bad', 'good'])
  const isNamed = found.broken.some(({ library }) => library === 'bad')
  return isNamed || !alone || !page || JSON.stringify(urlsOf(found)) !== whole
}

const urlsOf = ({ hits }: { hits: { url: string; text: string }[] }) =>
  hits.map(({ url, text }) => [url, text])

type Harm = (bytes: Buffer) => Buffer | null

const flipped =
  (share: number): Harm =>
  (bytes) => {
    const copy = Buffer.from(bytes)
    copy[Math.floor(share * (copy.length - 1))]! ^= 4
    return copy
  }
const harms: Record<string, Harm> = {
  'cut to half': (bytes) => bytes.subarray(0, bytes.length >> 1),
  emptied: () => Buffer.alloc(0),
  deleted: () => null,
  'a bit flipped at its beginning': flipped(0.02),
  'a bit flipped in the middle': flipped(0.47),
  'a bit flipped at its end': flipped(0.97),
}

function harm(path: string, change: Harm): boolean {
  const bytes = readFileSync(path)
  const harmed = change(bytes)
  if (harmed === null) rmSync(path)
  else writeFileSync(path, harmed)
  return harmed === null || !harmed.equals(bytes)
}

test.each(Object.entries(harms))(
  'detects damage to every file of a library: %s',
  async (_, change) => {
    const id = await liveId('bad')
    const root = join('generations', id)
    const files = (readdirSync(join(folder, root), { recursive: true }) as string[]).filter(
      (path) => statSync(join(folder, root, path)).isFile(),
    )
    expect(files.length).toBeGreaterThan(15)
    using first = openTestStore(folder)
    const whole = JSON.stringify(urlsOf(await searchLibraries(first.opened, first.entries, query)))
    for (const path of files) {
      restore()
      if (!harm(join(folder, root, path), change)) continue
      using store = openTestStore(folder)
      const isNoticed = await checkAnswers(store, whole)
      const found = await faults()
      for (const line of found) checkLine(line)
      expect([path, found.length > 0]).toEqual([path, true])
      if (path === 'entry.json') expect(isNoticed).toBe(false)
      await store.add('bad', docs())
      using again = openTestStore(folder)
      expect([path, await faults()]).toEqual([path, []])
      const answer = await searchLibraries(again.opened, again.entries, query)
      expect([path, JSON.stringify(urlsOf(answer))]).toEqual([path, whole])
      expect(answer.broken).toEqual([])
    }
  },
)

async function repaired(): Promise<string[]> {
  using store = openTestStore(folder)
  const lines = await Array.fromAsync(repairStore(store.opened, { lockTimeoutMs: 5000 }))
  return lines.map(({ line, ok }) => `${ok ? 'ok' : 'no'} ${line}`)
}

async function live(): Promise<string[]> {
  return (await readEntries(folder)).map(
    ({ library, version, live, previous }) =>
      `${library} ${version} ${live.id} ${previous?.id ?? '-'}`,
  )
}

test('leaves an undamaged store unchanged, and does not restore a removed version', async () => {
  await removeVersion(folder, { library: 'good', version: '1', lockTimeoutMs: 5000 })
  const before = await live()
  expect(await repaired()).toEqual([])
  expect(await live()).toEqual(before)
})

const registries: Record<string, string | null> = {
  lost: null,
  cut: '{"format": 1, "ent',
  'of another kind': '[]',
  'with a wrong entry': '{"format": 1, "entries": [null]}',
  'with a path for an id': '',
}

test.each(Object.entries(registries))('rebuilds a registry that is %s', async (_, text) => {
  const path = join(folder, 'registry.json')
  writeFileSync(join(docs(), 'extra.md'), '# Extra\n\nOne more.\n')
  using store = openTestStore(folder)
  await store.add('bad', docs())
  rmSync(join(docs(), 'extra.md'))
  const before = await live()
  expect(before[0]).not.toEndWith(' -')
  const old = readFileSync(path, 'utf8')
  rmSync(path)
  const wrong = text === '' ? old.replace(/"id": "[^"]+"/, '"id": "../../x"') : text
  if (wrong !== null) writeFileSync(path, wrong)
  const asking = searchLibraries(store.opened, store.entries, query)
  checkError(await asking.catch((error) => error))
  // A writer that continued would delete all data of the lost entries.
  checkError(await store.add('new', docs()).catch((error) => error))
  expect((await faults()).join()).toContain('registry.json')
  const lines = await repaired()
  expect(lines.join('\n')).toContain('what was removed and not yet deleted can be back')
  expect((await live()).sort()).toEqual(before.sort())
  const kept = readdirSync(folder).filter((name) => name.startsWith('registry.json.damaged-'))
  expect(kept.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(
    wrong === null ? [] : [wrong],
  )
  expect(await faults()).toEqual([])
})

test('moves aside a registry that is a folder', async () => {
  rmSync(join(folder, 'registry.json'))
  mkdirSync(join(folder, 'registry.json'))
  checkError(await readEntries(folder).catch((error) => error))
  await repaired()
  expect(await faults()).toEqual([])
  expect((await live()).length).toBe(2)
})

test('corrects a registry entry that names another library than its generation', async () => {
  const path = join(folder, 'registry.json')
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"bad"', '"bae"'))
  expect((await faults(false)).join()).toContain('is of library "bad" version "1"')
  expect(await repaired()).toEqual(['ok bae 1: its generation says bad 1; renamed to that'])
  expect(await faults()).toEqual([])
})

test('rebuilds from stored pages if they are undamaged, or otherwise from the source', async () => {
  const path = join(folder, 'generations', await liveId('bad'))
  const rowsOf = (table: string) => {
    const inside = join(path, `${table}.lance`, 'data')
    return join(inside, readdirSync(inside)[0]!)
  }
  writeFileSync(rowsOf('chunks'), '')
  const [line] = await repaired()
  expect(line).toMatch(/^ok bad 1: it cannot be read: chunks\..* 0 bytes.* 4 stored pages$/)
  expect(await faults()).toEqual([])
  expect((await live())[0]).toEndWith(' -')
  restore()
  writeFileSync(rowsOf('pages'), '')
  expect((await repaired())[0]).toMatch(/^ok bad 1: .*rebuilt from its source, 4 pages$/)
  expect(await faults()).toEqual([])
})

test('reports a library that cannot be repaired, and repairs the next one', async () => {
  for (const library of ['bad', 'good']) {
    const path = join(folder, 'generations', await liveId(library))
    rmSync(join(path, library === 'bad' ? 'pages.lance' : 'page-index.bin'), { recursive: true })
  }
  cpSync(docs(), join(temp.path, 'aside'), { recursive: true })
  rmSync(docs(), { recursive: true })
  const [bad, good] = await repaired()
  cpSync(join(temp.path, 'aside'), docs(), { recursive: true })
  expect(bad).toMatch(/^no bad 1: .*not repaired: /)
  expect(good).toMatch(/^ok good 1: .*page-index\.bin is missing; rebuilt from its 1 stored/)
})

test('recreates a missing or overwritten lease', async () => {
  const lease = join(folder, 'generations', await liveId('bad'), 'lease')
  for (const spoil of [() => rmSync(lease), () => writeFileSync(lease, 'x'.repeat(2000))]) {
    restore()
    spoil()
    using store = openTestStore(folder)
    await checkAnswers(store, '')
    expect((await repaired())[0]).toMatch(/^ok bad 1: .*lease.*recreated$/)
    expect(await faults()).toEqual([])
  }
})

test('rewrites the damaged description of a generation', async () => {
  writeFileSync(join(folder, 'generations', await liveId('bad'), 'entry.json'), '{')
  expect(await repaired()).toEqual(['ok bad 1: entry.json is missing or damaged; recreated'])
  expect(await faults()).toEqual([])
})

test('rebuilds a generation that is missing or a plain file', async () => {
  const path = join(folder, 'generations', await liveId('bad'))
  for (const spoil of [() => {}, () => writeFileSync(path, 'x')]) {
    restore()
    rmSync(path, { recursive: true })
    spoil()
    using store = openTestStore(folder)
    await checkAnswers(store, '')
    for (const line of await faults()) checkLine(line)
    expect((await repaired())[0]).toMatch(/^ok bad 1: .*rebuilt from its source/)
    expect(await faults()).toEqual([])
  }
})

test('drops a damaged previous generation, and refuses to roll back to it', async () => {
  using store = openTestStore(folder)
  const before = await liveId('bad')
  await store.add('bad', join(temp.path, 'sound'), { force: true })
  rmSync(join(folder, 'generations', before, 'chunks.lance'), { recursive: true })
  const request = { library: 'bad', version: null, lockTimeoutMs: 5000 }
  const error = await rollbackVersion(folder, request).catch((thrown) => thrown)
  checkError(error)
  expect(error.message).toContain("Table 'chunks' was not found; nothing was changed")
  expect(await repaired()).toEqual([
    'ok bad 1: the previous state was damaged and has been dropped',
  ])
  expect(existsSync(join(folder, 'generations', before))).toBe(false)
})

test('rebuilds a damaged library from its pages with reembed', async () => {
  writeFileSync(join(folder, 'generations', await liveId('bad'), 'page-index.bin'), '')
  using store = openTestStore(folder)
  const request = { library: 'bad', version: null, lockTimeoutMs: 5000 }
  const [outcome] = await Array.fromAsync(reembedLibraries(store.opened, request))
  expect(outcome!.result).toMatchObject({ status: 'reembedded', embedded: 0 })
  expect(await faults()).toEqual([])
})
