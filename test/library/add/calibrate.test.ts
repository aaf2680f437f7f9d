import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { unrelatedQueries, sampleHeadings } from '../../../src/library/add/calibrate.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { hashEmbedder, type HashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-calibrate'))

const words = ['boiler', 'lamp', 'gear', 'valve', 'crank', 'piston', 'wick', 'flue', 'tap', 'bolt']
const pageText = (i: number) => {
  const subject = `${words[i % 10]} ${words[(i * 3 + 1) % 10]} number${i}`
  return `# Mending ${subject}\n\nMending ${subject}.\n`
}

function files(pages: number) {
  return Object.fromEntries(Array.from({ length: pages }, (_, i) => [`p${i}.md`, pageText(i)]))
}

async function liveOf(folder: string) {
  return (await readEntries(folder))[0]!.live
}

async function added(name: string, pages: number, embedder: HashEmbedder | null) {
  const docs = join(temp.path, `${name}-docs`)
  const folder = join(temp.path, name)
  writeFiles(docs, files(pages))
  using store = openTestStore(folder, { embedder })
  await store.add('lib', docs)
  return { docs, folder }
}

test('measures that a library is nearer to its own headings than to unrelated sentences', async () => {
  const embedder = hashEmbedder()
  const { folder } = await added('large', 60, embedder)
  const { own, foreign } = (await liveOf(folder)).calibration!
  expect(own).toBeGreaterThan(0.9)
  expect(foreign).toBeLessThan(own)
  expect(embedder.queries.length).toBe(unrelatedQueries.length + 40)
})

test('embeds the unrelated sentences once per store', async () => {
  const embedder = hashEmbedder()
  const { folder, docs } = await added('again', 50, embedder)
  const before = embedder.queries.length
  using store = openTestStore(folder, { embedder })
  await store.add('other', docs)
  expect(embedder.queries.length - before).toBe(40)
})

test('keeps the calibration if an update changes few pages', async () => {
  const embedder = hashEmbedder()
  const { folder, docs } = await added('update', 50, embedder)
  const before = { asked: embedder.queries.length, live: await liveOf(folder) }
  writeFiles(docs, { 'p1.md': '# Something else entirely\n\nNew.\n' })
  using store = openTestStore(folder, { embedder })
  await store.add('lib', docs)
  expect(embedder.queries.length).toBe(before.asked)
  expect(await liveOf(folder)).toMatchObject({ calibration: before.live.calibration })
  expect((await liveOf(folder)).id).not.toBe(before.live.id)
})

test('does not calibrate small libraries or libraries without embeddings', async () => {
  const embedder = hashEmbedder()
  const small = await added('small', 5, embedder)
  expect((await liveOf(small.folder)).calibration).toBeUndefined()
  expect(embedder.queries).toEqual([])
  const plain = await added('plain', 50, null)
  expect((await liveOf(plain.folder)).calibration).toBeUndefined()
})

type Heading = { url: string; heading: string }

async function* each(count: number, heading: (i: number) => Heading): AsyncGenerator<Heading> {
  for (let i = 0; i < count; i++) yield heading(i)
}

test('samples the same headings in any order, each from a single page', async () => {
  const repeated = (i: number) => ({ url: `p${i}`, heading: `Guide > Topic ${(i * 7) % 20_000}` })
  const drawn = await sampleHeadings(each(30_000, repeated))
  const backwards = await sampleHeadings(each(30_000, (i) => repeated(29_999 - i)))
  expect(drawn).toHaveLength(40)
  expect(backwards).toEqual(drawn)
  // The first 10,000 of the 20,000 topics occur on two pages.
  const pages = (title: string) =>
    Array.from({ length: 30_000 }, (_, i) =>
      repeated(i).heading === `Guide > ${title}` ? i : -1,
    ).filter((i) => i >= 0)
  expect(drawn.map((title) => pages(title).length)).toEqual(drawn.map(() => 1))
})

test('uses bounded memory for any number of headings', async () => {
  const before = heapBytes()
  const long = (i: number) => ({ url: `p${i}`, heading: `${i} ${'x'.repeat(1000)} ${i}`.trim() })
  let held = 0
  const counting = async function* () {
    yield* each(100_000, long)
    held = heapBytes() - before
  }
  await sampleHeadings(counting())
  expect(held).toBeLessThan(40e6)
})

function heapBytes(): number {
  Bun.gc(true)
  return process.memoryUsage().heapUsed
}

test('has enough distinct unrelated sentences for a quantile, both short and long', () => {
  expect(new Set(unrelatedQueries).size).toBe(unrelatedQueries.length)
  expect(unrelatedQueries.length).toBeGreaterThanOrEqual(60)
  const lengths = unrelatedQueries.map((text) => text.split(' ').length)
  expect(Math.min(...lengths)).toBe(1)
  expect(Math.max(...lengths)).toBeGreaterThan(6)
})
