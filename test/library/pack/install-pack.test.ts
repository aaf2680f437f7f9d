import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { installPack } from '../../../src/library/pack/install-pack.ts'
import type { Pack } from '../../../src/library/pack/read-pack.ts'
import { rollbackVersion } from '../../../src/library/rollback.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { findGenerationFault } from '../../../src/store/file-checks.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import {
  lampPages,
  openPackWorld,
  packParts,
  writeLampPack,
  writeParts,
  type PackWorld,
} from '../../support/pack/packs.ts'
import { writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-install'))

const wish = { library: null, lockTimeoutMs: 1000 }
const grownPages = { ...lampPages, 'p3.md': '# Page 3\n\nA mantle of gauze.\n' }

/** Opens another store, to which packs are added. */
function elsewhere(options: Parameters<typeof openPackWorld>[1] = {}): PackWorld {
  return openPackWorld(join(temp().path, 'elsewhere'), options)
}

test('returns the same hits as the library from which the pack was made, without embedding', async () => {
  const path = await writeLampPack(temp().path)
  const embedder = hashEmbedder()
  using world = elsewhere({ embedder })
  const result = await world.packs.add({ ...wish, path })
  expect(result).toMatchObject({
    library: 'lamp',
    version: '1',
    status: 'added',
    pages: 14,
    embedded: 0,
    failed: [],
    diff: { added: 14, modified: 0, deleted: 0, unchanged: 0 },
  })
  expect(embedder.embedded).toEqual([])
  using made = openPackWorld(join(temp().path, 'made'))
  for (const query of ['wick7', 'what do I know of flame3?', 'how to make light']) {
    const [here, there] = [await world.store.search(query), await made.store.search(query)]
    expect(here.length).toBeGreaterThan(0)
    expect(here.map(shown)).toEqual(there.map(shown))
  }
  const { folder } = world.store
  const [entry] = await readEntries(folder)
  expect(entry!.live).toMatchObject({ pack: { place: path }, source: { path: 'docs' } })
  expect(await findGenerationFault(folder, entry!.live.id)).toBe(null)
})

const shown = ({ url, heading, text, startLine, endLine, score }: Record<string, unknown>) => ({
  url,
  heading,
  text,
  startLine,
  endLine,
  score: (score as number).toFixed(3),
})

test('ignores an identical pack, and installs a different one as an update that can be undone', async () => {
  const path = await writeLampPack(temp().path)
  using world = elsewhere()
  await world.packs.add({ ...wish, path })
  expect(await world.packs.add({ ...wish, path })).toMatchObject({ status: 'unchanged' })
  const second = await writeLampPack(join(temp().path, 'second'), { pages: grownPages })
  expect(await world.packs.add({ ...wish, path: second })).toMatchObject({
    status: 'updated',
    diff: { added: 0, modified: 1, deleted: 0, unchanged: 13 },
  })
  expect((await world.store.search('mantle of gauze'))[0]?.url).toBe('doc:/p3.md')
  const { folder } = world.store
  await rollbackVersion(folder, { library: 'lamp', version: null, lockTimeoutMs: 1000 })
  expect((await world.store.search('flame3'))[0]?.url).toBe('doc:/p3.md')
})

test('lists the public names that the API reference in a pack lacks', async () => {
  const code = { 'lamp/__init__.py': '__all__ = ["light", "burn"]\ndef light(): ...\n' }
  const path = await writeLampPack(temp().path, {
    pages: { ...lampPages, ...code, 'setup.py': '' },
  })
  using world = elsewhere()
  await world.packs.add({ ...wish, path })
  const [entry] = await readEntries(world.store.folder)
  expect(entry!.live.names).toEqual({
    declared: 2,
    missing: 1,
    groups: [{ reason: 'undeclared', from: '', count: 1, names: ['lamp.burn'] }],
  })
})

test('installs a pack under another name', async () => {
  const path = await writeLampPack(temp().path)
  using world = elsewhere()
  expect(await world.packs.add({ ...wish, path, library: 'Torch' })).toMatchObject({
    library: 'Torch',
    version: '1',
  })
})

test('embeds again if the pack used another model', async () => {
  const path = await writeLampPack(temp().path)
  const embedder = hashEmbedder({ fingerprint: { model: 'other', dimensions: 48 } })
  using world = elsewhere({ embedder })
  const { embedded, chunks } = await world.packs.add({ ...wish, path })
  expect(embedded).toBe(chunks)
  const [entry] = await readEntries(world.store.folder)
  expect(entry!.live.fingerprint).toEqual(embedder.fingerprint)
})

test('chunks again for other chunk sizes, and reuses embeddings of the same texts', async () => {
  const path = await writeLampPack(temp().path)
  using world = elsewhere({ chunkChars: 40 })
  const { embedded, chunks } = await world.packs.add({ ...wish, path })
  expect(embedded).toBeGreaterThan(0)
  expect(embedded).toBeLessThan(chunks)
})

test('embeds a pack without embeddings, unless embeddings are switched off', async () => {
  const path = await writeLampPack(temp().path, { vectors: 'none' })
  using world = elsewhere()
  const { embedded, chunks } = await world.packs.add({ ...wish, path })
  expect(embedded).toBe(chunks)
  using plain = openPackWorld(join(temp().path, 'plain'), { embedder: null })
  const whole = await writeLampPack(join(temp().path, 'whole'))
  expect(await plain.packs.add({ ...wish, path: whole })).toMatchObject({ embedded: 0 })
  expect((await plain.store.search('wick5'))[0]?.url).toBe('doc:/p5.md')
  const [entry] = await readEntries(plain.store.folder)
  expect(entry!.live.fingerprint).toBe(null)
})

test('approximately restores f16 and int8 embeddings, and packs them into the same bytes again', async () => {
  for (const vectors of ['f16', 'int8'] as const) {
    const folder = join(temp().path, vectors)
    const path = await writeLampPack(folder, { vectors })
    using world = openPackWorld(join(folder, 'elsewhere'))
    await world.packs.add({ ...wish, path })
    const query = 'Page 9: This page tells of wick9 and oil.'
    expect((await world.store.search(query, { mode: 'vector' }))[0]?.url).toBe('doc:/p9.md')
    const to = join(folder, 'again.ogpack')
    await world.packs.write({ library: 'lamp', version: null, to, vectors, license: null })
    expect(packParts(to).manifest.members).toEqual(packParts(path).manifest.members)
  }
})

test('forgets the pack after an update from the source', async () => {
  const path = await writeLampPack(temp().path)
  using world = elsewhere()
  await world.packs.add({ ...wish, path })
  const docs = join(temp().path, 'docs')
  writeFiles(docs, { 'p4.md': '# Page 4\n\nA chimney of glass.\n' })
  expect(await world.store.add('lamp', docs)).toMatchObject({
    status: 'updated',
    embedded: 1,
    diff: { added: 0, modified: 1, deleted: 0, unchanged: 13 },
  })
  const [entry] = await readEntries(world.store.folder)
  expect(entry!.live.pack).toBeUndefined()
})

test('recomputes index terms of another analyser, and rejects wrong terms of the current one', async () => {
  const path = await writeLampPack(temp().path)
  const { manifest, contents } = packParts(path)
  const spoilt = contents.map((content, i) =>
    manifest.members[i]!.kind !== 'pages'
      ? content
      : Buffer.from(content.toString().replace(/(\d,)"[^"]*"\]/g, '$1"zzz"]')),
  )
  const found = async (chunker: string) => {
    using world = openPackWorld(join(temp().path, sanitised(chunker)))
    const to = join(temp().path, 'other.ogpack')
    const changed = writeParts(to, { manifest: { ...manifest, chunker }, contents: spoilt })
    await world.packs.add({ ...wish, path: changed })
    return (await world.store.search('wick5', { mode: 'full-text' }))[0]?.url
  }
  await expect(found(manifest.chunker)).rejects.toThrow(
    'the index terms of a chunk are not those of its text',
  )
  expect(await found(manifest.chunker.replace(/terms-\d+/, 'terms-0'))).toBe('doc:/p5.md')
})

const sanitised = (name: string) => name.replaceAll('/', '-')

test('keeps the old version if a pack fails halfway, and leaves no data behind', async () => {
  const path = await writeLampPack(temp().path)
  using world = elsewhere()
  await world.packs.add({ ...wish, path })
  const { folder } = world.store
  const before = await readEntries(folder)
  const second = await writeLampPack(join(temp().path, 'second'), { pages: grownPages })
  const parts = packParts(second)
  const last = parts.manifest.members.findLastIndex(({ kind }) => kind === 'pages')
  parts.contents[last] = Buffer.from(parts.contents[last]!.toString().replace('oil', 'gas'))
  writeParts(second, parts)
  await expect(world.packs.add({ ...wish, path: second })).rejects.toThrow(/Cannot use pack/)
  expect(await readEntries(folder)).toEqual(before)
  const generations = await Array.fromAsync(
    new Bun.Glob('*/lease').scan(join(folder, 'generations')),
  )
  expect(generations.length).toBe(1)
})

test('rejects a pack that is replaced while og waits for the lock', async () => {
  using world = elsewhere()
  const { manifest } = packParts(await writeLampPack(temp().path))
  const pack = {
    what: '"x"',
    sha256: 'b',
    manifest,
    [Symbol.dispose]: () => {},
  } as unknown as Pack & Disposable
  const open = async () => pack
  const head = { manifest, sha256: 'a' }
  await expect(
    installPack(world.store.opened, { ...wish, place: 'x', head, open }),
  ).rejects.toThrow('Cannot use pack "x": it has changed meanwhile')
})
