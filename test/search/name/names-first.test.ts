import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'
import { isHeadingOf, titlesIn } from '../../../src/search/name/names-first.ts'
import { rankChunks } from '../../../src/search/search.ts'
import { openCollections } from '../../support/collections.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { writeGeneration } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const embedder = hashEmbedder()
const kernels = openKernels(null, { isa: 'js' })
const filler = (i: number) => `page ${i} tells of max and of retries, of retries and of max again`

const temp = disposeAfterAll(await createTempFolder('og-names'))
const texts: Record<string, string> = {
  'a/prose': `${'Some words that come before. '.repeat(20)}\nOne may set max_retries somewhere.`,
  'a/code': 'Of the client `max_retries` is one option, and there are others beside it.',
  'a/definition': '- `max_retries`: how often it is tried',
  'a/spelling': 'The older name was maxRetries, which is gone.',
  'a/words': 'The number of max retries is small.',
  'a/changelog/release-notes': 'Added max_retries.',
}
// These are more pages than a lane returns: each has all words of the name, but not the name
// itself.
for (let i = 0; i < 300; i++) texts[`a/filler${i}`] = filler(i)
await writeGeneration(temp.path, texts, { library: 'a' })
await writeGeneration(temp.path, { 'b/queue': 'createQueue makes one' }, { library: 'b' })
await writeGeneration(temp.path, { 'c/boiler': 'a boiler' }, { library: 'c' })
const headings = {
  'd/next': 'Changes > 0.115.10',
  'd/asked': 'Changes > Version 0.115.1 (2024-09-17)',
  'd/later': 'Changes > v0.115.11',
  'd/guide': 'Upgrading',
}
const changes = Object.keys(headings).map((url) => [
  url,
  'What changed: version 0.115.1 of this and that, changed and changed again.',
])
await writeGeneration(temp.path, Object.fromEntries(changes), { library: 'd', headings })
const options = { 'e/user': 'Options > preview.proxy', 'e/own': 'Options > `server.proxy`' }
const optionTexts = {
  'e/user': 'preview.proxy is by default server.proxy, and server.proxy is server.proxy.',
  'e/own': 'The requests that are passed on by server.proxy.',
  'e/aux': 'Handle onAuxClickCapture of a button.',
}
await writeGeneration(temp.path, optionTexts, { library: 'e', headings: options })
const collections = disposeAfterAll(await openCollections(temp.path))

/** Checks the URLs of the first hits. */
async function check(text: string, expected: string[], query: { mode?: 'vector' } = {}) {
  const asked = { text, mode: 'hybrid', kernels, limit: expected.length, ...query } as const
  const { chunks } = await rankChunks(collections.asked(embedder), asked)
  expect(chunks.map(({ row }) => row.url)).toEqual(expected)
  return chunks
}

test('ranks chunks with the name before all others, by form and then by position', async () => {
  const hits = await check(
    'max_retries',
    ['a/definition', 'a/code', 'a/prose', 'a/spelling', 'a/words'].toSpliced(
      3,
      0,
      'a/changelog/release-notes',
    ),
  )
  expect(hits[0]!.why.nameMatch).toEqual({ form: 'typed', place: 'definition' })
  expect(hits.at(-1)!.why.nameMatch).toMatchObject({ form: 'words' })
  await check('maxRetries()', ['a/spelling'])
})

test('does not move a frequent plain word to the top, but marks where it occurs', async () => {
  const hits = await check(
    'retries',
    Array.from({ length: 5 }, () => expect.any(String)),
  )
  const named = hits.map(({ why }) => why.nameMatch).filter((it) => it !== null)
  expect(named.length).toBeGreaterThan(0)
  for (const { isFrequent } of named) expect(isFrequent).toBe(true)
  const [rare] = await check('boiler', ['c/boiler'])
  expect(rare!.why.nameMatch!.isFrequent).toBeUndefined()
})

test('ranks the library that contains the name first, even a small one', async () => {
  await check('createQueue', ['b/queue'])
})

test('ranks the section about a name before sections that use it', async () => {
  const [hit] = await check('server.proxy', ['e/own', 'e/user'])
  expect(hit!.why.nameMatch).toEqual({ form: 'typed', place: 'title' })
  const core = { core: 'CORSMiddleware', verbatim: 'CORSMiddleware', parts: [] }
  expect(isHeadingOf('Use `CORSMiddleware`', core)).toBe(true)
  expect(isHeadingOf('The CORSMiddleware class {#cors}', core)).toBe(true)
  expect(isHeadingOf('CORSMiddleware and others', core)).toBe(false)
})

test('finds a name that is typed as words', async () => {
  const hits = await check(
    'on aux click capture',
    [0, 1, 2].map(() => expect.any(String)),
  )
  expect(hits.find(({ row }) => row.url === 'e/aux')!.why.rareName).toBe('onauxclickcaptur')
})

test('does not move up a chunk that has the name only in its path', async () => {
  const anyThree = Array.from({ length: 3 }, () => expect.any(String))
  const hits = await check('release notes', anyThree)
  expect(hits.map(({ why }) => why.rareName)).toEqual([null, null, null])
})

test('corrects swapped letters in a name', async () => {
  const [hit] = await check('sevrer.proxy', ['e/own', 'e/user'])
  expect(hit!.why.nameMatch).toMatchObject({ form: 'typed' })
})

test('puts a chunk with a rare name of a question among the first three', async () => {
  const asked = 'page that tells of max and of retries again and of createQueue'
  const hits = await check(
    asked,
    ['a/filler0', 'a/filler1', 'b/queue'].map(() => expect.any(String)),
  )
  const holder = hits.find(({ row }) => row.url === 'b/queue')
  expect(holder?.why.rareName).toBe('createQueue')
})

test('finds the changes of a version under the heading of that version', async () => {
  for (const words of ['what changed in 0.115.1', 'release notes v0.115.1']) {
    const [hit] = await check(words, ['d/asked'])
    expect(hit!.why.nameMatch).toEqual({ form: 'typed', place: 'heading' })
  }
  const [none] = await check('what changed in 9.9.9', [expect.any(String)])
  expect(none!.why.nameMatch).toBe(null)
})

test('does not change single-lane modes', async () => {
  const [hit] = await check('max_retries', [expect.any(String)], { mode: 'vector' })
  expect(hit!.why.nameMatch).toBe(null)
})

test('lists the headings within a chunk', () => {
  const titles = (content: string) => titlesIn({ heading: 'A > B', content })
  expect(titles('# One\n\nText.\n\n### `two.three`\n\n#no heading\n')).toEqual([
    'B',
    'One',
    '`two.three`',
  ])
  expect(titles('====\nlock\n====\n\nUse it.\n\nDetails\n-------\n- a\n')).toEqual([
    'B',
    'lock',
    'Details',
  ])
})
