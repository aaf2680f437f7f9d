import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRemotePack } from '../../../src/library/pack/fetch-pack.ts'
import { findReusableMembers } from '../../../src/library/pack/packs.ts'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { openPackWorld, packParts, writeLampPack } from '../../support/pack/packs.ts'
import { servePack, type PackServer } from '../../support/pack/server.ts'
import { openEach } from '../../support/run/dispose.ts'

let shared: TempFolder
/** A pack of `manyPages`. */
let manyPack: string
beforeAll(async () => {
  shared = await createTempFolder('og-fetch-pack')
  manyPack = await writeLampPack(shared.path, { pages: manyPages })
})
afterAll(async () => shared[Symbol.asyncDispose]())
const temp = openEach(() => createTempFolder('og-fetch-pack'))

const wish = { library: null, lockTimeoutMs: 1000 }

/** A library of many pages, so that one page is only a small part of it. */
const manyPages = Object.fromEntries(
  Array.from({ length: 160 }, (_, i) => [
    `p${i}.md`,
    `# Page ${i}\n\n${words(i)}\n\n## More of ${i}\n\n${words(i + 1000)}\n`,
  ]),
)

/** Returns text that does not compress well. */
function words(seed: number): string {
  return Array.from({ length: 60 }, (_, i) => Bun.hash(`${seed} ${i}`).toString(36)).join(' ')
}

test('adds a pack from the web, and leaves no downloaded file behind', async () => {
  using server = await servePack(await writeLampPack(temp().path))
  using world = openPackWorld(join(temp().path, 'elsewhere'))
  expect(await world.packs.add({ ...wish, path: server.url })).toMatchObject({ pages: 14 })
  const [entry] = await readEntries(world.store.folder)
  expect(entry!.live.pack!.place).toBe(server.url)
  expect(readdirSync(join(world.store.folder, 'packs'))).toEqual([])
  // The second add requests only the manifest.
  server.sent.length = 0
  expect(await world.packs.add({ ...wish, path: server.url })).toMatchObject({
    status: 'unchanged',
  })
  expect(server.sent.length).toBe(1)
})

test('fetches only the changed parts of a newer pack', async () => {
  const first = await writeLampPack(temp().path, { pages: manyPages, vectors: 'f16' })
  const grown = { ...manyPages }
  for (const i of [3, 40, 77, 111, 150]) {
    grown[`p${i}.md`] += '\n## New\n\nA shade of brass.\n'
  }
  const second = await writeLampPack(join(temp().path, 'b'), { pages: grown, vectors: 'f16' })
  using server = await servePack(first)
  using world = openPackWorld(join(temp().path, 'elsewhere'))
  await world.packs.add({ ...wish, path: server.url })
  server.serve(second)
  server.sent.length = 0
  expect(await world.packs.add({ ...wish, path: server.url })).toMatchObject({
    status: 'updated',
    embedded: 0,
    diff: { modified: 5, unchanged: 155 },
  })
  const whole = readFileSync(second).length
  expect(total(server)).toBeLessThan(whole * 0.5)
  expect((await world.store.search('shade of brass')).length).toBeGreaterThan(0)
})

test('resumes an interrupted download, and detects a pack that has changed in the meantime', async () => {
  const size = readFileSync(manyPack).length
  using server = await servePack(manyPack)
  const folder = join(temp().path, 'partial')
  const request = { folder, memberHere: () => null }
  const remote = await openRemotePack(server.url, {})
  server.breakAfter = Math.round(size / 2)
  {
    using fetched = await remote.fetch(request)
    expect(fetched.manifest.members.map((it) => fetched.content(it).length)).toEqual(
      fetched.manifest.members.map((it) => it.size),
    )
  }
  // The requests are the manifest, the interrupted one, and at least one more.
  expect(server.sent.length).toBeGreaterThan(2)
  server.sent.length = 0
  using again = await (await openRemotePack(server.url, {})).fetch(request)
  expect(again.fetchedBytes).toBeLessThanOrEqual(32_768)
  for (const member of again.manifest.members) again.content(member)
  again.forget()
  expect(existsSync(folder) && readdirSync(folder)).toEqual([])
})

test('fetches from a server that supports neither ranges nor ETags', async () => {
  for (const plain of [{ hasRanges: false }, { hasEtag: false }]) {
    using server = await servePack(manyPack, plain)
    using world = openPackWorld(join(temp().path, JSON.stringify(plain)))
    expect(await world.packs.add({ ...wish, path: server.url })).toMatchObject({ pages: 160 })
  }
})

test('reports every invalid response in one line', async () => {
  using server = await servePack(manyPack)
  const request = { folder: join(temp().path, 'partial'), memberHere: () => null }
  const remote = await openRemotePack(server.url, {})
  server.serve(await writeLampPack(join(temp().path, 'b')))
  await expect(remote.fetch(request)).rejects.toThrow('it has changed while it was fetched')
  await expect(openRemotePack(server.url, { sha256: 'a'.repeat(64) })).rejects.toThrow(
    'the registry lists a different pack',
  )
  await expect(openRemotePack(`${server.url}x`, {})).rejects.toThrow('server answered 404')
})

test('finds the pack members that match the live generation', async () => {
  const path = await writeLampPack(temp().path)
  using world = openPackWorld(join(temp().path, 'made'))
  const [entry] = await readEntries(world.store.folder)
  const { manifest } = packParts(path)
  await using known = await findReusableMembers(world.store.entries, entry!, manifest)
  expect(manifest.members.map((it) => known(it)?.length)).toEqual(
    manifest.members.map(({ size }) => size),
  )
  await using none = await findReusableMembers(world.store.entries, null, manifest)
  expect(none(manifest.members[0]!)).toBe(null)
})

function total({ sent }: PackServer): number {
  return sent.reduce((sum, bytes) => sum + bytes, 0)
}
