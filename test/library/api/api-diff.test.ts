import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { diffApi } from '../../../src/library/api/api-diff.ts'
import { listApi } from '../../../src/library/api/api-symbols.ts'
import { diffLibraries, parseSide } from '../../../src/library/diff.ts'
import { openEntryCache } from '../../../src/library/entries.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, git } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

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
