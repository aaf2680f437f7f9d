import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createBigStore } from '../../scripts/bench/big-store.ts'
import { benchScale } from '../../scripts/bench/bench-scale.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { readEntries } from '../../src/store/registry.ts'
import { serveBucket } from '../support/servers/bucket-server.ts'
import { openLive, publish, writeGeneration } from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'
import { sharedCache } from '../support/run/environment.ts'

const og = join(import.meta.dir, '../../dist/og')
/** The text of a page. Some copies of the page contain changed words. */
const letters = 'abcdefghijklmnopqrst'
const text = [...letters].flatMap((a) => [...letters].map((b) => `word${a}${b}`)).join(' ')

const temp = openEach(() => createTempFolder('og-bench-scale'))

/** Makes a library of twelve chunks. */
async function source(): Promise<string> {
  const folder = join(temp().path, 'from')
  const pages = Array.from({ length: 12 }, (_, i) => [`page${i}`, `${text} number${i}`])
  const generation = await writeGeneration(folder, Object.fromEntries(pages))
  await publish(folder, 'lib', generation)
  return folder
}

test('a large store contains each copy under its own URLs, with some changed words', async () => {
  const from = await source()
  const folder = join(temp().path, 'big')
  await createBigStore(folder, { from, libraries: ['lib'], rows: 30 })
  const [entry] = await readEntries(folder)
  expect(entry!.live).toMatchObject({ chunks: 30, pages: 36 })
  const [open] = await openLive(folder)
  using reading = open!
  expect((await reading.pageHeads()).size).toBe(36)
  const chunks = []
  for await (const rows of reading.chunkRows()) chunks.push(...rows)
  expect(chunks).toHaveLength(30)
  expect(new Set(chunks.map(({ url }) => url)).size).toBe(30)
  expect(chunks[12]!.content).not.toBe(chunks[0]!.content)
  expect(chunks[12]!.content).toHaveLength(chunks[0]!.content.length)
  expect((await reading.fullText(['number3'], 9)).length).toBe(3)
})

test('bench scale reports figures for each size, and leaves no store behind', async () => {
  const [docs, from] = [join(temp().path, 'docs'), join(temp().path, 'from')]
  for (let i = 0; i < 6; i++)
    await Bun.write(join(docs, `p${i}.md`), `# Page ${i}\n\nAbout ${i}.\n`)
  const cache = { OG_CACHE_DIR: sharedCache(process.env) }
  const env = {
    PATH: process.env.PATH,
    HOME: join(temp().path, 'home'),
    OG_DB_PATH: from,
    ...cache,
  }
  const add = Bun.spawnSync([og, 'add', 'lib', '-s', docs, '-v', '1'], { env })
  expect(add.exitCode).toBe(0)
  using bucket = serveBucket()
  const kept = { ...process.env }
  Object.assign(process.env, bucket.env, cache)
  const bench = {
    og,
    from,
    libraries: [],
    work: temp().path,
    bucket: bucket.address,
    minutes: 0.001,
    settleMs: 0,
    isKept: false,
  }
  const { sizes } = await benchScale({ ...bench, sizes: [13], runs: 1, searches: 16 }).finally(
    () => {
      for (const name of Object.keys({ ...bucket.env, ...cache })) delete process.env[name]
      Object.assign(process.env, kept)
    },
  )
  expect(sizes).toHaveLength(1)
  const [one] = sizes
  expect(one).toMatchObject({ size: 13, pages: 18, index: null })
  expect(one!.megabytes).toBeGreaterThan(0.01)
  expect(one!.build!.peakMegabytes).toBeGreaterThan(50)
  for (const { seconds } of [one!.cold, one!.bucket!.empty, one!.bucket!.filled]) {
    expect(seconds.p50).toBeGreaterThan(0)
  }
  expect(one!.one.milliseconds.p50).toBeLessThanOrEqual(one!.one.milliseconds.p99)
  for (const server of [one!, one!.bucket!]) {
    expect(server.sixteen.searchesASecond).toBeGreaterThan(0)
    expect(server.residentMegabytes).toBeGreaterThan(50)
    expect(server.load!.searches).toBeGreaterThan(0)
  }
  expect(existsSync(join(temp().path, 'store-13'))).toBe(false)
})
