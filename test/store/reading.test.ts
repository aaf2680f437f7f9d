import { expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { createGeneration } from '../../src/store/generation.ts'
import { openEntries } from '../../src/store/reading.ts'
import { startScript } from '../support/child.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import {
  chunkRow,
  generationNamed,
  kernels,
  openLive,
  publish,
  writeGeneration,
} from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og reading 'ü"))
const folder = () => join(temp().path, 'store')

const embedder = hashEmbedder()

test('finds the same chunks with vectors in memory as with LanceDB', async () => {
  const text = (i: number) => `word${i} word${i % 7}`
  const rows = Array.from({ length: 700 }, (_, i) => chunkRow(`page ${i % 70}`, text(i)))
  using writer = await createGeneration(folder())
  const { fingerprint } = embedder
  for (const part of [rows.slice(0, 512), rows.slice(512)]) {
    const block = await embedder.embed(part.map(({ content }) => content))
    await writer.appendChunks(part, { block, dimensions: fingerprint.dimensions })
  }
  await writer.finish()
  const generation = generationNamed(writer.id, { chunks: rows.length, fingerprint })
  await publish(folder(), 'lib', generation)
  const [open] = await openLive(folder())
  for (const query of ['word3', 'word699 word6', 'else']) {
    const embedding = await embedder.embedQuery(query)
    const [fresh] = await openLive(folder())
    const byLance = await fresh!.nearest(embedding, 20)
    await open!.nearest(embedding, 20)
    const byKernel = await open!.nearest(embedding, 20)
    expect(byKernel.map(({ rowId, url }) => ({ rowId, url }))).toEqual(
      byLance.map(({ rowId, url }) => ({ rowId, url })),
    )
    byKernel.forEach(({ score }, i) => expect(score).toBeCloseTo(byLance[i]!.score, 5))
    const [best] = await open!.chunks([byKernel[0]!.rowId])
    if (query !== 'else') expect(best!.content).toContain(query.split(' ')[0]!)
    fresh![Symbol.dispose]()
  }
  open![Symbol.dispose]()
})

test('accepts a limit above the number of rows', async () => {
  await writeGeneration(folder(), { a: 'one', b: 'two' }, { library: 'lib' })
  const [open] = await openLive(folder())
  const embedding = await embedder.embedQuery('one')
  for (let turn = 0; turn < 2; turn++) {
    const found = await open!.nearest(embedding, 100)
    expect(found.map(({ url }) => url)).toEqual(['a', 'b'])
  }
  open![Symbol.dispose]()
})

test('opens no generation twice, and reports removed ones', async () => {
  const old = await writeGeneration(folder(), { a: 'one' }, { library: 'lib' })
  const pick = <T>(entries: T[]) => entries
  const first = await openEntries(folder(), kernels, { pick, openIds: new Set() })
  expect(first.opened.map(({ generation }) => generation.id)).toEqual([old.id])
  const same = await openEntries(folder(), kernels, { pick, openIds: new Set([old.id]) })
  expect({ opened: same.opened, gone: same.gone }).toEqual({ opened: [], gone: [] })
  const { id } = await writeGeneration(folder(), { a: 'two' }, { library: 'lib' })
  const next = await openEntries(folder(), kernels, { pick, openIds: new Set([old.id]) })
  expect(next.gone).toEqual([old.id])
  expect(next.opened.map(({ generation }) => generation.id)).toEqual([id])
  for (const open of [...first.opened, ...next.opened]) open[Symbol.dispose]()
})

test('reads a store that was copied, moved, or is read-only', async () => {
  await writeGeneration(folder(), { a: 'one' }, { library: 'lib' })
  const elsewhere = join(temp().path, 'a copy')
  cpSync(folder(), elsewhere, { recursive: true })
  renameSync(folder(), join(temp().path, 'moved'))
  rmSync(join(temp().path, 'moved', 'locks'), { recursive: true })
  for (const place of [elsewhere, join(temp().path, 'moved')]) {
    forbidWriting(place)
    const before = listing(place)
    await using child = startScript('store/generation-holder.ts', ['read', place], {
      obeyModes: true,
    })
    await child.line()
    child.write('\n')
    expect(JSON.parse((await child.line())!).text).toBe('one')
    await child.kill()
    expect(listing(place)).toEqual(before)
  }
})

test('fails on a missing table instead of returning no hits', async () => {
  const { id } = await writeGeneration(folder(), { a: 'one' }, { library: 'lib' })
  rmSync(join(folder(), 'generations', id, 'chunks.lance'), { recursive: true })
  mkdirSync(join(folder(), 'generations', id, 'chunks.lance'))
  const [open] = await openLive(folder())
  await expect(open!.fullText(['one'], 1)).rejects.toThrow()
  expect((await open!.page('a'))!.text).toBe('one')
  open![Symbol.dispose]()
})

function listing(place: string): string[] {
  return (readdirSync(place, { recursive: true }) as string[]).sort()
}

function forbidWriting(place: string): void {
  for (const name of ['', ...listing(place)]) {
    const path = join(place, name)
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444)
  }
}
