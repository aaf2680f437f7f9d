import { expect, test } from 'bun:test'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PageFilter } from '../../../src/search/scope/page-filter.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startScript } from '../../support/child.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder("og search 'ü"))
const docs = join(temp.path, 'docs')

const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
writeFiles(docs, {
  'tutorial/query.md': '# Query\n\n## Optional\n\nDeclare `Optional[str] = None`.\n',
  'tutorial/body.md': '# Body\n\nDeclare a model.\n',
})
await store.add('FastAPI', docs, { version: '0.115.0' })
await store.add('FastAPI', docs, { version: '0.115.2' })
await store.add('FastAPI', docs, { version: '0.116.0-rc.1' })

test('searches the default version, or the requested one', async () => {
  async function check(version: string | null, expected: string) {
    const hits = await store.search('optional parameter', { library: 'fastapi', version })
    expect(new Set(hits.map((hit) => hit.version))).toEqual(new Set([expected]))
  }
  await check(null, '0.115.2')
  await check('0.115.0', '0.115.0')
  await check('v0.115.0', '0.115.0')
  await check('0.115', '0.115.2')
  await check('0.116', '0.116.0-rc.1')
})

test('returns the position of a hit', async () => {
  const [hit] = await store.search('Optional[str]', { version: '0.115.0' })
  expect(hit).toMatchObject({ url: 'doc:/tutorial/query.md', title: 'Query', startLine: 1 })
  expect(hit!.heading).toStartWith('Query')
  expect(hit!.score).toBeGreaterThan(0)
})

test('finds words in the path and title of a page', async () => {
  expect((await store.search('body tutorial'))[0]!.url).toBe('doc:/tutorial/body.md')
})

test('searches with the beginning of a long text', async () => {
  const found = async (query: string) =>
    (await store.search(query, { library: 'fastapi' })).some(({ url }) => url.includes('query.md'))
  expect(await found(`optional ${' '.repeat(30_000)}`)).toBe(true)
  expect(
    await store.search(`optional ${' '.repeat(30_000)} model`, { library: 'fastapi' }),
  ).toEqual(await store.search('optional', { library: 'fastapi' }))
})

test('throws for an unknown library or version', async () => {
  await expect(store.search('x', { library: 'flask' })).rejects.toThrow('Library "flask" not found')
  await expect(store.search('x', { version: '9' })).rejects.toThrow('Version "9" not found')
})

test('searches only pages that pass the filter', async () => {
  const urls = async (filter: PageFilter, query = 'declare') =>
    (await store.search(query, { filter })).map((hit) => hit.url)
  expect(await urls({ paths: ['query.md'] })).toEqual(['doc:/tutorial/query.md'])
  expect(await urls({ paths: ['!query.md'] }, 'Optional')).toEqual(['doc:/tutorial/body.md'])
  expect(await urls({ kinds: ['guide'], languages: ['en'] })).toHaveLength(2)
  await expect(urls({ kinds: ['changelog'] })).rejects.toThrow('No page is of kind "changelog"')
})

test('returns no hits from an empty store, and does not create it', async () => {
  using empty = openTestStore(join(temp.path, 'none'))
  expect(await empty.search('x')).toEqual([])
  expect(readdirSync(temp.path)).not.toContain('none')
})

test('searches a read-only store without writing', async () => {
  const before = listing()
  for (const name of ['', ...before]) {
    const path = join(store.folder, name)
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444)
  }
  await using child = startScript('asker.ts', [store.folder], { obeyModes: true })
  expect(await child.line()).toBe('list: 3')
  expect(await child.line()).toBe('search: doc:/tutorial/query.md')
  expect(await child.line()).toBe('search: doc:/tutorial/query.md')
  expect(await child.line()).toBe('page: # Body')
  expect(await child.line()).toStartWith(
    'add: Cannot lock library "FastAPI" version "0.115.0": permission denied',
  )
  expect(await child.line()).toStartWith('remove: Cannot lock library "FastAPI" version "0.115.0"')
  expect(listing()).toEqual(before)
})

function listing(): string[] {
  return (readdirSync(store.folder, { recursive: true }) as string[]).sort()
}
