import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { listApi, noApiError, diffApi } from '../../src/library/api-symbols.ts'
import { writeFiles, commit, git } from '../support/repository.ts'
import { openTestStore } from '../support/test-store.ts'
import { diffLibraries, parseSide } from '../../src/library/diff.ts'
import { openEntryCache } from '../../src/library/entries.ts'
import type { Source } from '../../src/store/source.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

// test/e2e/sources/api.test.ts tests the lists and comparisons of an indexed library.
test('explains how a library gets an API reference', () => {
  const { message, hint } = noApiError('lamp', '1.0')
  expect([message, hint]).toEqual([
    'Library "lamp" version "1.0" has no API reference',
    'og add --api with reads the source files of packages; og add --help names the languages',
  ])
})

test('says why the index lacks a name that the package exports', async () => {
  await using temp = await createTempFolder('og-api-names')
  using store = openTestStore(join(temp.path, 'store'))
  writeFiles(join(temp.path, 'lamp'), {
    'pyproject.toml': '',
    'lamp/__init__.py': '__all__ = ["on", "Wick"]\nfrom wicks import Wick\ndef on(): "Lights."\n',
  })
  await store.add('lamp', join(temp.path, 'lamp'))
  const listing = listApi(store.entries, { library: 'lamp', version: null, prefix: 'Wick' })
  await expect(listing).rejects.toMatchObject({
    message:
      'lamp 1 exports Wick, but the index lacks it: ' +
      'it is declared in pypi:wicks, which was not read',
    hint: 'To add it: og add pypi:wicks',
  })
})

test('lists an alias that ends in another name', async () => {
  await using temp = await createTempFolder('og-api-alias')
  using store = openTestStore(join(temp.path, 'store'))
  writeFiles(join(temp.path, 'lamp'), {
    'package.json': '{"name":"lamp","types":"a.d.ts","exports":{".":"./a.js","./all":"./b.js"}}',
    'a.d.ts':
      'export declare class Lamp {}\nexport declare const size: number\n' +
      'export { Lamp as Torch, size as width }\n',
    'b.d.ts': 'export * from "./a.js"\n',
  })
  await store.add('lamp', join(temp.path, 'lamp'))
  const { symbols } = await listApi(store.entries, { library: 'lamp', version: null, prefix: '' })
  expect(symbols.map(({ qualifiedName, signature }) => `${qualifiedName}: ${signature}`)).toEqual([
    'lamp: ',
    'lamp.Lamp: class Lamp',
    'lamp.Torch: class Lamp',
    'lamp.size: const size: number',
    'lamp.width: const size: number',
    'lamp/all: ',
    'lamp/all.Torch: class Lamp',
    'lamp/all.width: const size: number',
  ])
})

const temp = disposeAfterAll(await createTempFolder('og-api-diff'))
const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
const repository = join(temp.path, 'lamp')
const wick = 'class Wick:\n    def trim(self, mm=1): ...\nclass Same: ...\n'
commit(repository, { 'setup.py': '', 'docs/a.md': '# A\n', 'lamp/__init__.py': wick })
git(repository, 'tag', 'v1')
commit(repository, { 'lamp/__init__.py': `\n\n${wick.replace('mm=1', 'mm=2')}def on(): ...\n` })
git(repository, 'tag', 'v2')
const source: Source = { kind: 'git_repo', url: `file://${repository}`, docsPaths: ['docs'] }
for (const version of ['v1', 'v2']) await store.add('lamp', '', { source, version })

const sides = { from: parseSide('lamp@v1')!, to: parseSide('lamp@v2')! }

test('compares public names, or only names that mention a text', async () => {
  const { changes } = await diffApi(store.opened, { ...sides, text: '' })
  expect(changes.map(({ status, name }) => [status, name])).toEqual([
    ['changed', 'lamp.Wick.trim'],
    ['added', 'lamp'],
    ['added', 'lamp.on'],
  ])
  const { changes: some } = await diffApi(store.opened, { ...sides, text: 'TRIM' })
  expect(some).toHaveLength(1)
})

test('compares pages of the API reference by name and ignores line numbers', async () => {
  const { pages } = await diffLibraries(store.opened, { ...sides, text: '' })
  expect(pages.map(({ status, title }) => [status, title])).toEqual([
    ['added', 'lamp'],
    ['changed', 'lamp.Wick'],
  ])
})

test('lists names that begin with a prefix or have such a part, ignoring case', async () => {
  using entries = openEntryCache(store.opened.folder, store.opened.kernels)
  const request = { library: 'lamp', version: 'v2', prefix: 'lamp.wick' }
  const { symbols } = await listApi(entries, request)
  expect(symbols.map(({ qualifiedName }) => qualifiedName)).toEqual(['lamp.Wick', 'lamp.Wick.trim'])
  const parts = await listApi(entries, { ...request, prefix: 'Trim' })
  expect(parts.symbols.map(({ qualifiedName }) => qualifiedName)).toEqual(['lamp.Wick.trim'])
  await expect(listApi(entries, { ...request, prefix: 'rim' })).rejects.toThrow(
    'No public name of lamp v2, nor a part of one, begins with "rim"',
  )
})
