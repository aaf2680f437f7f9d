import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { lampPages, openPackWorld, packParts, writeLampPack } from '../../support/pack/packs.ts'
import { writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-write-pack'))

const wish = { library: 'lamp', version: null, vectors: 'f16', license: null } as const

test('packs the same generation into the same bytes, and writes the file atomically', async () => {
  const first = await writeLampPack(temp().path, { vectors: 'f16' })
  using world = openPackWorld(join(temp().path, 'made'))
  const folder = join(temp().path, 'packs')
  mkdirSync(folder)
  const { path, bytes } = await world.packs.write({ ...wish, to: folder })
  expect(path).toBe(join(folder, 'lamp-1.ogpack'))
  expect(readdirSync(folder)).toEqual(['lamp-1.ogpack'])
  expect(readFileSync(path)).toEqual(readFileSync(first))
  expect(bytes).toBe(readFileSync(path).length)
})

test('changes only the members that contain a changed page', async () => {
  const first = packParts(await writeLampPack(temp().path)).manifest
  const grown = { ...lampPages, 'p6.md': `${lampPages['p6.md']}\n## New\n\nA globe.\n` }
  const { manifest } = packParts(await writeLampPack(join(temp().path, 'b'), { pages: grown }))
  const known = new Set(first.members.map(({ sha256 }) => sha256))
  const changed = manifest.members.filter(({ sha256 }) => !known.has(sha256))
  expect(changed.map(({ kind }) => kind).sort()).toEqual(['embeddings', 'pages'])
  expect(manifest.title).toBe('Lamp')
})

test('writes the licence first, and its name into the manifest', async () => {
  await writeLampPack(temp().path)
  using world = openPackWorld(join(temp().path, 'made'))
  const to = join(temp().path, 'x.ogpack')
  await world.packs.write({ ...wish, to, license: { id: 'MIT', text: 'As is.\n' } })
  const { manifest, contents } = packParts(to)
  expect([manifest.license, manifest.members[0]!.kind]).toEqual(['MIT', 'license'])
  expect(contents[0]!.toString()).toBe('As is.\n')
})

test('packs the licence that was stored when the library was indexed', async () => {
  const docs = join(temp().path, 'docs')
  writeFiles(docs, { ...lampPages, LICENSE: 'Permission to use, copy, modify, and sell.' })
  using world = openPackWorld(join(temp().path, 'made'))
  const to = join(temp().path, 'x.ogpack')
  const packed = async (license: 'kept' | null = 'kept') => {
    await world.packs.write({ ...wish, to, license })
    const {
      manifest: { license: id, members },
      contents,
    } = packParts(to)
    return members[0]!.kind === 'license' ? [id, contents[0]!.toString()] : [id]
  }
  await world.store.add('lamp', docs)
  // The licence is stored, so og does not read the source again.
  rmSync(join(docs, 'LICENSE'))
  const text = 'Permission to use, copy, modify, and sell.'
  expect(await packed()).toEqual(['ISC', text])
  expect(await packed(null)).toEqual([null])
  await packed()
  using other = openPackWorld(join(temp().path, 'other'))
  await other.packs.add({ path: to, library: null, lockTimeoutMs: 10_000 })
  await other.packs.write({ ...wish, to: join(temp().path, 'y.ogpack'), license: 'kept' })
  expect(readFileSync(join(temp().path, 'y.ogpack'))).toEqual(readFileSync(to))
  writeFiles(docs, { 'p1.md': '# Page 1\n\nNow without.\n' })
  await world.store.add('lamp', docs)
  expect(await packed()).toEqual([null])
})

test('does not reuse the licence of another source', async () => {
  const [docs, others] = [join(temp().path, 'docs'), join(temp().path, 'others')]
  writeFiles(docs, { ...lampPages, LICENSE: 'Permission to use, copy, modify, and sell.' })
  writeFiles(others, { ...lampPages, 'p1.md': '# Page 1\n\nOf somebody else.\n' })
  using world = openPackWorld(join(temp().path, 'made'))
  await world.store.add('lamp', docs)
  await world.store.add('lamp', others)
  const to = join(temp().path, 'x.ogpack')
  await world.packs.write({ ...wish, to, license: 'kept' })
  expect(packParts(to).manifest.license).toBeNull()
})

test('rejects a damaged library', async () => {
  writeFiles(join(temp().path, 'docs'), lampPages)
  using world = openPackWorld(join(temp().path, 'made'))
  await world.store.add('lamp', join(temp().path, 'docs'))
  const [entry] = await readEntries(world.store.folder)
  const path = join(world.store.folder, 'generations', entry!.live.id, 'vocabulary.txt')
  writeFileSync(path, readFileSync(path).fill(0x78, 3, 4))
  const to = join(temp().path, 'x.ogpack')
  await expect(world.packs.write({ ...wish, to })).rejects.toThrow('vocabulary.txt')
  expect(readdirSync(temp().path)).not.toContain('x.ogpack')
})

test('reports a path that cannot be written, and leaves no file behind', async () => {
  await writeLampPack(temp().path)
  using world = openPackWorld(join(temp().path, 'made'))
  const file = join(temp().path, 'file')
  writeFileSync(file, '')
  chmodSync(file, 0o644)
  await expect(world.packs.write({ ...wish, to: join(file, 'x.ogpack') })).rejects.toThrow(
    `Cannot write pack "${file}/x.ogpack"`,
  )
  await expect(world.packs.write({ ...wish, to: join(file, 'none/') })).rejects.toThrow(
    'Cannot create folder "',
  )
})
