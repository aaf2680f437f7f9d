import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { explainRank, type ExplainRequest } from '../../../src/library/search/explain.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-standing'))
const docs = join(temp.path, 'docs')

const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
writeFiles(docs, {
  'lamp.md': '# Lamp\n\nThe wick of the lamp is trimmed.\n',
  'boiler.md': '# Boiler\n\nIt has no wick.\n',
})
await store.add('tools', docs, { version: '1' })
writeFiles(docs, { 'new.md': '# New\n\nOnly in two.\n' })
await store.add('tools', docs, { version: '2' })
const kitchen = join(temp.path, 'kitchen')
writeFiles(kitchen, { 'kettle.md': '# Kettle\n\nIt boils.\n' })
await store.add('kitchen', kitchen)
const lampe = join(temp.path, 'lampe')
writeFiles(lampe, {
  'lamp.md': '# Lamp\n\nThe wick of the lamp is trimmed.\n',
  'de/lamp.md': '# Lampe\n\nDer Docht der Lampe wird gekürzt: `lamp wick`.\n',
})
await store.add('lampe', lampe, {
  source: { kind: 'local_path', path: lampe, baseUrl: 'doc:/', languages: ['*'] },
})

const explain = (query: string, url: string, request: Partial<ExplainRequest> = {}) =>
  explainRank(store.opened, store.entries, {
    query,
    url,
    library: 'tools',
    version: null,
    ...request,
  })

test('reports the rank of a page, and the query terms that it lacks', async () => {
  const standing = await explain('lamp wick', 'doc:/boiler.md')
  expect(standing).toMatchObject({ library: 'tools', version: '2', place: 2, leftOut: null })
  expect(standing.first).toMatchObject({ url: 'doc:/lamp.md', missing: [] })
  expect(standing.best).toMatchObject({ url: 'doc:/boiler.md', startLine: 1, missing: ['lamp'] })
})

test('reports a page in another version or library than the requested one', async () => {
  expect((await explain('two', 'doc:/new.md')).place).toBe(1)
  const old = await explain('two', 'doc:/new.md', { version: '1' })
  expect(old).toMatchObject({ version: '2', place: 1, leftOut: { by: ['version'] } })
  expect(old.leftOut!.versions).toEqual(['tools 1'])
  const other = await explain('kettle', 'doc:/kettle.md')
  expect(other).toMatchObject({ library: 'kitchen', place: 1, leftOut: { by: ['library'] } })
  await expect(explain('two', 'doc:/none.md', { version: '1' })).rejects.toThrow(
    'No page has the address "doc:/none.md" in tools 1 or any other library',
  )
})

test('uses the best of several versions that have the page', async () => {
  const all = await explain('lamp wick', 'doc:/boiler.md', { version: 'all' })
  expect(all).toMatchObject({ version: '2', leftOut: null })
  const both = await explain('kettle', 'doc:/kettle.md', { library: 'tools,kitchen' })
  expect(both).toMatchObject({ library: 'kitchen', place: 1, leftOut: null, notIndexed: [] })
  const { notIndexed } = await explain('kettle', 'doc:/kettle.md', { library: 'kitchen,pot' })
  expect(notIndexed).toMatchObject([{ library: 'pot', version: null }])
})

test("names the filter that excludes a page, and the page's rank without the filter", async () => {
  const filter = { paths: ['boiler.md'], kinds: ['guide' as const] }
  const standing = await explain('lamp wick', 'doc:/lamp.md', { filter })
  expect(standing).toMatchObject({ place: 1, leftOut: { by: ['paths'], path: 'lamp.md' } })
  const within = await explain('lamp wick', 'doc:/boiler.md', { filter })
  expect(within).toMatchObject({ place: 1, nPages: 1, leftOut: null })
})

test('reports a page in another language than the query', async () => {
  const query = 'how do I trim the wick of the lamp'
  const standing = await explain(query, 'doc:/de/lamp.md', { library: 'lampe' })
  expect(standing).toMatchObject({ leftOut: { by: ['query'], language: 'de' } })
  expect(standing.place).not.toBeNull()
  const german = { library: 'lampe', filter: { languages: ['de'] } }
  expect(await explain(query, 'doc:/de/lamp.md', german)).toMatchObject({ place: 1, leftOut: null })
})

test('accepts the addresses that og get accepts', async () => {
  const check = async (typed: string, expected: string, request?: Partial<ExplainRequest>) => {
    expect((await explain('lamp wick', typed, request)).url).toBe(expected)
  }
  await check('boiler.md', 'doc:/boiler.md')
  await check('boiler', 'doc:/boiler.md', { version: 'all' })
  await check('lamp.md#lamp', 'doc:/lamp.md', { version: '1' })
  expect(await explain('kettle', 'kettle.md')).toMatchObject({
    library: 'kitchen',
    leftOut: { by: ['library'] },
  })
  const error = explain('wick', 'boilr.md')
  await expect(error).rejects.toMatchObject({ exitCode: 1, hint: 'the nearest: doc:/boiler.md' })
})
