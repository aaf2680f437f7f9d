import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readEntries } from '../../../src/store/registry.ts'
import { askBirds, birds, openBirds, type SeenLive } from '../../support/following/birds.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles } from '../../support/repository.ts'
import type { TestStore } from '../../support/test-store.ts'
import { until } from '../../support/until.ts'
import { openEach } from '../../support/run/dispose.ts'

const at = openEach(openBirds)

test('publishes text first, then the first chunks, half of them and all, in a single generation', async () => {
  const seen: SeenLive = []
  const embedder = at().watched(seen)
  // Waits for the publication of each step, which goes on while later chunks are embedded.
  const steps = [birds.pages, birds.chunks / 2]
  const embed = async (texts: string[]) => {
    const due = steps.findLast((count) => embedder.embedded.length >= count) ?? 0
    const isPublished = async () => ((await at().live()).embedded ?? 0) >= due
    if (due > 0) await until(`${due} embeddings are published`, isPublished)
    return embedder.embed(texts)
  }
  using store = at().openWith({ ...embedder, embed })
  writeFiles(at().docs, { LICENSE: 'As is.' })
  const result = await store.add('zoo', at().docs)
  expect(result).toMatchObject({ status: 'added', chunks: birds.chunks, embedded: birds.chunks })
  expect(seen).toEqual([0, ...steps])
  const [entry] = await readEntries(at().folder)
  expect(entry!.live.embedded).toBeUndefined()
  expect(entry!.previous).toBeNull()
  expect(readdirSync(join(at().folder, 'generations'))).toEqual([entry!.live.id])
  using held = await store.entries((all) => all)
  expect(await held[0]!.open.license()).toBe('As is.')
  const { hits, incomplete } = await askBirds(store, 'heron 3x4')
  expect(hits[0]!.text).toContain('Part 3x4')
  expect(incomplete).toEqual([])
})

test('gives the same result as embedding everything at once, even for repeated samples', async () => {
  const rows = async (store: TestStore) => {
    using held = await store.entries((all) => all)
    return await Array.fromAsync(held[0]!.open.embeddedChunks(null))
  }
  const code = Array.from({ length: 12 }, (_, i) => `heron.wade(${i}, 'reeds')`).join('\n')
  const sample = (name: string) => `Of ${name}:\n\n\`\`\`\n${code}\n\`\`\`\n\n`
  writeFiles(at().docs, { 'samples.md': ['wading', 'fishing', 'resting'].map(sample).join('') })
  const embedder = hashEmbedder()
  using store = at().openWith(embedder)
  await store.add('zoo', at().docs)
  const followed = await rows(store)
  expect(embedder.embedded.join().split("heron.wade(7, 'reeds')")).toHaveLength(2)
  expect(followed.length).toBeGreaterThan(embedder.embedded.length)
  await store.add('zoo', at().docs, { force: true, minHealth: 0, version: '2' })
  const [, second] = await readEntries(at().folder)
  expect(second!.live.chunks).toBe(followed.length)
  using other = await store.entries((all) => all.filter(({ version }) => version === '2'))
  expect(await Array.fromAsync(other[0]!.open.embeddedChunks(null))).toEqual(followed)
})

test('embeds guides first, then symbols with a sentence, and bare signatures last', async () => {
  const symbols = Array.from({ length: 340 }, (_, i) => [
    `/** Counts the herons of pond ${i}. */\nexport declare function count${i}(pond: number): number`,
    `export declare function bare${i}(pond: number): number`,
  ])
  writeFiles(at().docs, {
    'package.json': JSON.stringify({ name: 'ponds', version: '1.0.0', types: 'index.d.ts' }),
    'index.d.ts': symbols.flat().join('\n'),
  })
  const embedder = hashEmbedder()
  using store = at().openWith(embedder)
  const source = { kind: 'local_path', path: at().docs, baseUrl: 'doc:/', api: 'with' } as const
  await store.add('zoo', at().docs, { source })
  const kinds = embedder.embedded.map((text) =>
    /heron \d+x/.test(text) ? 'guide' : text.includes('Counts the herons') ? 'sentence' : 'bare',
  )
  const half = kinds.slice(0, Math.ceil(kinds.length / 2))
  expect(half.slice(0, birds.chunks)).toEqual(Array(birds.chunks).fill('guide'))
  expect(half).not.toContain('bare')
  expect(kinds.filter((kind) => kind === 'bare').length).toBeGreaterThanOrEqual(340)
})
