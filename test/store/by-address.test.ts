import { expect, test } from 'bun:test'
import { chunksByUrl, pagesByUrl } from '../../src/store/by-address.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openLive, writeGeneration } from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-by-address'))

test('yields pages and chunks in the order of their URLs, not of writing', async () => {
  const urls = Array.from({ length: 200 }, (_, i) => `doc:/${(i * 77) % 200}.md`)
  const texts = Object.fromEntries(urls.map((url) => [url, `text of ${url}`]))
  await writeGeneration(temp().path, texts, { library: 'lib' })
  const [open] = await openLive(temp().path)
  const sorted = [...urls].sort()
  const pages = await Array.fromAsync(open!.pagesByUrl())
  expect(pages.map(({ url, text, validator }) => [url, text, validator])).toEqual(
    sorted.map((url) => [url, texts[url]!, '']),
  )
  const chunks = await Array.fromAsync(open!.chunksByPlace())
  expect(chunks.map(({ row }) => [row.url, row.content])).toEqual(
    sorted.map((url) => [url, texts[url]!]),
  )
  expect(chunks[0]!.embedding?.length).toBe(32)
  open![Symbol.dispose]()
  expect([pagesByUrl.name, chunksByUrl.name]).toEqual(['pagesByUrl', 'chunksByUrl'])
})
