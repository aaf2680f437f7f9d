import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { groupChunks, readChunks, dropUnrelatedChunks } from '../../src/search/group.ts'
import { rankChunks } from '../../src/search/search.ts'
import { openCollections } from '../support/collections.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { kernels, writeGeneration } from '../support/store.ts'
import { plainWhy } from '../support/why.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const embedder = hashEmbedder()
const query = { text: 'lamp', mode: 'hybrid', limit: 5, kernels } as const

const temp = disposeAfterAll(await createTempFolder('og-group'))
const texts = { 'release-notes': 'lamp lamp', 'guide/lamp': 'lamp oil', 'guide/copy': 'lamp oil' }
await writeGeneration(temp.path, texts, { library: 'lib' })
const collections = disposeAfterAll(await openCollections(temp.path))

async function ranked() {
  const asked = collections.asked(embedder)
  return { asked, ranked: (await rankChunks(asked, query)).ranked }
}

test('recognises release notes by their path', async () => {
  const { ranked: found } = await ranked()
  expect(found.at(-1)!.url).toBe('release-notes')
  expect(found.at(-1)!.why.changelog).toBeLessThan(1)
})

test('keeps the best of near-copies and lists the others, unless copies are requested', async () => {
  const { asked, ranked: found } = await ranked()
  const chunks = await groupChunks(found, asked, query)
  const kept = chunks.find(({ row }) => row.url.startsWith('guide/'))!
  const other = kept.row.url === 'guide/lamp' ? 'guide/copy' : 'guide/lamp'
  expect(kept.why.copies).toEqual([other])
  expect(chunks.length).toBe(2)
  expect((await groupChunks(found, asked, { ...query, without: ['copies'] })).length).toBe(3)
})

test('shows the symbol that the query names in full, or else the one of the current version', async () => {
  await using temp = await createTempFolder('og-twins')
  const headings = { 'kit/v3/a.ts#L1': 'kit/v3.shine', 'kit/a.ts#L1': 'kit.shine' }
  const both = { 'kit/v3/a.ts#L1': 'shine kit oil lamp', 'kit/a.ts#L1': 'shine kit oil lamp' }
  await writeGeneration(temp.path, both, { library: 'kit', headings })
  using kit = await openCollections(temp.path)
  const first = async (text: string) => {
    const asked = kit.asked(embedder)
    const { ranked: found } = await rankChunks(asked, { ...query, text })
    return (await groupChunks(found, asked, { ...query, text })).map(({ row }) => row.url)
  }
  expect(await first('shine')).toEqual(['kit/a.ts#L1'])
  expect(await first('kit/v3.shine')).toEqual(['kit/v3/a.ts#L1'])
})

test('names each other symbol of a group once, and not the shown one', async () => {
  await using temp = await createTempFolder('og-twins')
  const headings = {
    'kit/a.ts#L1': 'kit.shine',
    'kit/a.ts#L9': 'kit.shine',
    'b.ts#L1': 'lib.shine',
  }
  const texts = Object.fromEntries(Object.keys(headings).map((url) => [url, 'shine kit oil lamp']))
  await writeGeneration(temp.path, texts, { library: 'kit', headings })
  using kit = await openCollections(temp.path)
  const asked = kit.asked(embedder)
  const { ranked: found } = await rankChunks(asked, { ...query, text: 'shine' })
  const [chunk] = await groupChunks(found, asked, { ...query, text: 'shine' })
  expect(chunk!.why.twins).toEqual(['lib.shine'])
})

test('reads chunks in the given order', async () => {
  const { ranked: found } = await ranked()
  const wanted = [found[2]!, found[0]!, found[0]!]
  const read = await readChunks(wanted)
  expect(read.map(({ row }) => row.url)).toEqual(wanted.map(({ url }) => url))
  expect(read.map(({ why }) => why)).toEqual(wanted.map(({ why }) => why))
})

test('drops chunks that are nearly unrelated to the query, unless they contain its name', () => {
  const chunk = (score: number, why = {}) => ({ score, why: { ...plainWhy, ...why } })
  const all = [chunk(1), chunk(0.5), chunk(0.01), chunk(0, { rareName: 'lamp' }), chunk(0)]
  expect(dropUnrelatedChunks(all)).toEqual([all[0]!, all[1]!, all[3]!])
  expect(dropUnrelatedChunks([chunk(0), chunk(0)]).length).toBe(2)
})
