import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { generationNamed, openLive, publish, writeGeneration } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const texts: Record<string, string> = {}
for (let i = 0; i < 20; i++) texts[`page ${i}`] = `Text of number${i} isn't that of another.`

const temp = disposeAfterAll(await createTempFolder('og copy'))
await writeGeneration(temp.path, texts, { library: 'from' })
const from = disposeAfterAll((await openLive(temp.path, 'from'))[0]!)

/**
 * Copies all pages except some, and checks that full-text and vector search find the copied ones.
 */
async function check(leftOut: string[]) {
  using writer = await createGeneration(temp.path)
  for await (const rows of from.chunksBut(leftOut)) await writer.copyChunks(rows)
  await writer.finish()
  const { fingerprint } = from.generation
  await publish(temp.path, writer.id, generationNamed(writer.id, { fingerprint, chunks: 20 }))
  const [copy] = await openLive(temp.path, writer.id)
  const embedder = hashEmbedder()
  for (const [url, text] of Object.entries(texts)) {
    const found = await copy!.fullText([url.replace('page ', 'number')], 5)
    expect(found.map((it) => it.url)).toEqual(leftOut.includes(url) ? [] : [url])
    if (found.length === 0) continue
    const [nearest] = await copy!.nearest(await embedder.embedQuery(text), 1)
    expect(nearest!.url).toBe(url)
    expect(await copy!.embeddings([found[0]!.rowId])).toEqual(await embedder.embed([text]))
    expect((await copy!.chunks([found[0]!.rowId]))[0]).toMatchObject({ url, content: text })
  }
  copy![Symbol.dispose]()
}

test('copies the chunks of all pages except some, including embeddings', async () => {
  await check([])
  await check(['page 3', 'page 0', 'page 19'])
  await check(["it's", 'page 7'])
})

test('reads the chunks of some pages with their embeddings', async () => {
  const read = async (urls: string[] | null) =>
    (await Array.fromAsync(from.embeddedChunks(urls))).map(({ content }) => content).sort()
  expect(await read(['page 2', 'page 5'])).toEqual([texts['page 2']!, texts['page 5']!])
  expect(await read([])).toEqual([])
  expect(await read(null)).toEqual(Object.values(texts).sort())
})
