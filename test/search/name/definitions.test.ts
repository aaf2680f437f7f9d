import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'
import {
  countDefinedParts,
  definitionsEndingIn,
  shortestDefinitions,
} from '../../../src/search/name/definitions.ts'
import { exactName } from '../../../src/search/name/exact-name.ts'
import { rankChunks } from '../../../src/search/search.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { openCollections } from '../../support/collections.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { chunkRow, generationNamed, pageRow, publish } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const embedder = hashEmbedder()
const kernels = openKernels(null, { isa: 'js' })

/**
 * Maps a URL to the heading and text of its only chunk; the title of an API page is its heading.
 */
const chunks: Record<string, [heading: string, text: string]> = {
  'guide/wick': ['Trim it', 'Use Wick and trim, call trim_all and lamp.Wick.trim; a Wick, a trim.'],
  'lamp/wick.py#L3': ['lamp.Wick', '# `lamp.Wick`\n\n```python\nclass Wick\n```'],
  'lamp/old.py#L3': [
    'lamp.old.Wick',
    '# `lamp.old.Wick`\n\n```python\nclass Wick\n```\n\nBurns tallow, smokes and was replaced.',
  ],
  'lamp/wick.py#L9': ['lamp.trim_all', '## `lamp.trim_all`\n\n```python\ndef trim_all()\n```'],
  'lamp/kinds.py#L2': ['lamp.Kind', '- `BRIGHT_LIGHT = 1`: Bright.\n- `DIM = 2`'],
  'lamp/oil.py#L1': ['lamp.Oil', '# `lamp.Oil`\n\nUses Wick, Wick and lamp.Wick: trim_all.'],
}

const temp = disposeAfterAll(await createTempFolder('og-definitions'))
using writer = await createGeneration(temp.path)
const pages = Object.entries(chunks)
await writer.appendPages(pages.map(([url, [title, text]]) => ({ ...pageRow(url, text), title })))
const block = await embedder.embed(pages.map(([, [, text]]) => text))
const { dimensions } = embedder.fingerprint
const rows = pages.map(([url, [heading, text]]) => chunkRow(url, text, heading))
await writer.appendChunks(rows, { block, dimensions })
await writer.finish()
const { fingerprint } = embedder
const counts = { pages: pages.length, chunks: pages.length, fingerprint }
await publish(temp.path, 'lamp', generationNamed(writer.id, counts))
const collections = disposeAfterAll(await openCollections(temp.path))

/** Checks the URLs of the first hits. */
async function check(text: string, expected: string[]) {
  const query = { text, mode: 'hybrid', kernels, limit: expected.length } as const
  const { chunks } = await rankChunks(collections.asked(embedder), query)
  expect(chunks.map(({ row }) => row.url)).toEqual(expected)
}

test('ranks the definition of a name first and the guide second', async () => {
  await check('lamp.Wick', ['lamp/wick.py#L3', 'guide/wick'])
  await check('trim_all', ['lamp/wick.py#L9', 'guide/wick'])
})

test('moves the definition of a name into the first hits of a question', async () => {
  const limit = 3
  const query = { text: 'which arguments does Wick take', mode: 'hybrid', kernels, limit } as const
  const { chunks } = await rankChunks(collections.asked(embedder), query)
  expect(chunks.map(({ row }) => row.url)).toContain('lamp/wick.py#L3')
  const names = await shortestDefinitions(collections.asked(embedder), exactName('Wick')!)
  expect(names.map(({ url }) => url)).toEqual(['lamp/wick.py#L3'])
  expect(await shortestDefinitions(collections.asked(embedder), exactName('Oven')!)).toEqual([])
})

test('puts the definition of a qualified name first for a question about its facts', async () => {
  await check('lamp.Wick parameters', ['lamp/wick.py#L3'])
  await check('parameters of trim_all', ['lamp/wick.py#L9'])
})

test('finds a value in a later chunk of a list, which contains only the end of its name', async () => {
  await check('lamp.Kind.DIM', ['lamp/kinds.py#L2'])
  await check('Kind.BRIGHT_LIGHT', ['lamp/kinds.py#L2'])
})

test('ranks definitions with few parts before other definitions', async () => {
  await check('Wick', ['lamp/wick.py#L3', 'lamp/old.py#L3', 'guide/wick', 'lamp/oil.py#L1'])
})

test('returns the name that the first chunk of a section defines', () => {
  const row = chunkRow('a.py#L1', '## `lamp.Wick.trim`\n\nCuts.', 'lamp.Wick > lamp.Wick.trim')
  expect(countDefinedParts(row, 'lamp.Wick.trim')).toBe(3)
  expect(countDefinedParts(row, 'Wick.trim')).toBe(3)
  expect(countDefinedParts(row, 'trim')).toBeNull()
  expect(countDefinedParts(row, 'im')).toBeNull()
  expect(countDefinedParts({ ...row, content: 'Cuts more.' }, 'lamp.Wick.trim')).toBeNull()
  expect(countDefinedParts({ ...row, url: 'a.md' }, 'lamp.Wick.trim')).toBeNull()
})

test('finds definitions by the end of their name, with any separator', async () => {
  const { open } = collections.asked(embedder)[0]!
  expect(await definitionsEndingIn(open, 'trim_all')).toEqual([
    { url: 'lamp/wick.py#L9', name: 'lamp.trim_all' },
  ])
  expect(await definitionsEndingIn(open, 'old::Wick')).toEqual([
    { url: 'lamp/old.py#L3', name: 'lamp.old.Wick' },
  ])
  expect(await definitionsEndingIn(open, 'Kind::DIM')).toEqual([
    { url: 'lamp/kinds.py#L2', name: 'lamp.Kind.DIM' },
  ])
  expect(await definitionsEndingIn(open, 'im_all')).toEqual([])
})
