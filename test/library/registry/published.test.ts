import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { indexText, type RegistryPack } from '../../../src/library/registry/index-format.ts'
import { readPublishedRegistry, seedRegistry } from '../../../src/library/registry/published.ts'
import { newMinisignKeys, parseSecretKey, signIndex } from '../../../src/platform/minisign.ts'
import { serveFolder } from '../../support/pack/server.ts'
import { openEach } from '../../support/run/dispose.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

let site = ''
let local = ''
const temp = openEach(() => createTempFolder('og-seed'))
beforeEach(() => {
  ;[site, local] = [join(temp().path, 'site'), join(temp().path, 'local')]
  for (const path of [site, local]) mkdirSync(path)
})

/** Writes packs and an expired index of them. */
function publish(folder: string, serial: number, packs: Record<string, string>): void {
  const rows = Object.entries(packs).map(([path, text]): RegistryPack => {
    writeFileSync(join(folder, path), text)
    return {
      library: 'a',
      version: '1',
      title: 'a',
      license: null,
      path,
      size: text.length,
      sha256: sha256(text),
      manifest: sha256(text),
      indexedAt: '2026-01-01T00:00:00.000Z',
      pages: 1,
      chunks: 1,
      model: null,
      yanked: false,
    }
  })
  const times = { time: '2026-01-01T00:00:00.000Z', expires: '2026-02-01T00:00:00.000Z' }
  writeFileSync(join(folder, 'index.json'), indexText({ serial, ...times, packs: rows }))
}

async function seeded(url = site, key: string | null = null): Promise<number> {
  const { signal } = new AbortController()
  return seedRegistry(local, (await readPublishedRegistry({ url, key }, { signal }))!)
}
const files = () => readdirSync(local).sort()

test('fetches all packs into an empty folder, and none in a second run', async () => {
  publish(site, 7, { 'a-1.ogpack': 'one', 'b-1.ogpack': 'two' })
  using server = await serveFolder(site)
  expect(await seeded(server.url)).toBe(2)
  expect(files()).toEqual(['a-1.ogpack', 'b-1.ogpack', 'index.json'])
  expect(readFileSync(join(local, 'b-1.ogpack'), 'utf8')).toBe('two')
  expect(await seeded(server.url)).toBe(0)
})

test('deletes removed packs from an older folder, and keeps packs that no index lists', async () => {
  publish(site, 7, { 'a-2.ogpack': 'new' })
  publish(local, 6, { 'a-1.ogpack': 'old', 'a-2.ogpack': 'another' })
  writeFileSync(join(local, 'c-1.ogpack'), 'of a killed run')
  expect(await seeded()).toBe(1)
  expect(files()).toEqual(['a-2.ogpack', 'c-1.ogpack', 'index.json'])
  expect(readFileSync(join(local, 'a-2.ogpack'), 'utf8')).toBe('new')
})

test('fetches only the packs that a newer folder lists but lacks', async () => {
  publish(site, 7, { 'a-1.ogpack': 'one', 'b-1.ogpack': 'removed since' })
  publish(local, 8, { 'a-1.ogpack': 'one', 'c-1.ogpack': 'three' })
  const index = readFileSync(join(local, 'index.json'), 'utf8')
  rmSync(join(local, 'a-1.ogpack'))
  expect(await seeded()).toBe(1)
  expect(files()).toEqual(['a-1.ogpack', 'c-1.ogpack', 'index.json'])
  expect(readFileSync(join(local, 'index.json'), 'utf8')).toBe(index)
})

test('rejects a pack whose hash differs from the index, and keeps the old index', async () => {
  publish(site, 7, { 'a-1.ogpack': 'one' })
  writeFileSync(join(site, 'a-1.ogpack'), 'two')
  await expect(seeded()).rejects.toThrow('a-1.ogpack is not the pack that its index names')
  expect(files()).not.toContain('index.json')
})

test("accepts only an index signed with the publisher's key", async () => {
  publish(site, 7, { 'a-1.ogpack': 'one' })
  const [own, other] = [newMinisignKeys(), newMinisignKeys()]
  const line = (text: string) => text.split('\n')[1]!
  await expect(seeded(site, line(own.publicKey))).rejects.toThrow('it is not signed')
  const text = readFileSync(join(site, 'index.json'))
  const signature = signIndex(parseSecretKey(own.secretKey), text, { comment: 'serial 7' })
  writeFileSync(join(site, 'index.json.minisig'), signature)
  await expect(seeded(site, line(other.publicKey))).rejects.toThrow('Cannot use registry')
  expect(await seeded(site, line(own.publicKey))).toBe(1)
  expect(files()).toContain('index.json.minisig')
})

test('starts empty if no registry is published, and throws for any other error', async () => {
  const { signal } = new AbortController()
  using server = await serveFolder(site)
  for (const url of [server.url, site]) {
    expect(await readPublishedRegistry({ url, key: null }, { signal })).toBeNull()
  }
  using down = serveLocal(() => new Response('', { status: 403 }))
  await expect(
    readPublishedRegistry({ url: down.url.href, key: null }, { signal }),
  ).rejects.toThrow('server answered 403')
})
