import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findFullPage, similarAddresses } from '../../src/library/page.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Source } from '../../src/store/source.ts'
import { commit, git, writeFiles } from '../support/repository.ts'
import { openTestStore } from '../support/test-store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const part = (i: number) => `## Part ${i}\n\nWords of part ${i}.\n`
const long = Array.from({ length: 400 }, (_, i) => part(i)).join('\n')
const quoted = "it's 100% of #1 C:\\docs.md"

const temp = disposeAfterAll(await createTempFolder("og page 'ü"))
const docs = join(temp.path, 'docs')

const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
writeFiles(docs, { 'a.md': 'one of one\n', 'old.md': 'only in version 1\n', 'long.md': long })
writeFiles(docs, { [quoted]: `${quoted}\n` })
await store.add('one', docs)
writeFiles(docs, { 'a.md': 'two of one\n' })
rmSync(join(docs, 'old.md'))
await store.add('one', docs, { version: '2' })
writeFiles(docs, { 'a.md': 'one of two\n' })
await store.add('two', docs)

async function check(
  url: string,
  wanted: { library?: string; version?: string },
  expected: { library: string; version: string; text: string } | null,
) {
  const asked = { library: null, version: null, ...wanted }
  const page = await findFullPage(store.entries, { url, ...asked })
  if (expected === null) expect(page).toBe(null)
  else expect(page).toMatchObject({ url, ...expected })
}

test('reads the page of the requested library and version (W-06)', async () => {
  const url = 'doc:/a.md'
  const [one, two] = [{ library: 'one' }, { library: 'two' }]
  await check(url, one, { ...one, version: '2', text: 'two of one\n' })
  const first = { library: 'ONE', version: '1' }
  await check(url, first, { ...one, version: '1', text: 'one of one\n' })
  await check(url, two, { ...two, version: '1', text: 'one of two\n' })
})

test('returns the exact text of a page with any number of chunks', async () => {
  await check('doc:/long.md', {}, { library: 'one', version: '2', text: long })
})

test('reads a page whose address contains special characters of filters (W-15)', async () => {
  const url = "doc:/it's%20100%25%20of%20%231%20C:%5Cdocs.md"
  await check(url, { library: 'two' }, { library: 'two', version: '1', text: `${quoted}\n` })
})

test('finds the page in another version if the request names none', async () => {
  const text = 'only in version 1\n'
  await check('doc:/old.md', { library: 'one' }, { library: 'one', version: '1', text })
  await check('doc:/old.md', { library: 'one', version: '2' }, null)
})

test('reads the newest version that has the page if the request names no version', async () => {
  const docs = join(temp.path, 'spouts')
  writeFiles(docs, { 'spout.md': 'of 9\n', 'lid.md': 'of 9\n' })
  await store.add('spouts', docs, { version: '9' })
  writeFiles(docs, { 'spout.md': 'of 10\n' })
  await store.add('spouts', docs, { version: '10' })
  rmSync(join(docs, 'spout.md'))
  await store.add('spouts', docs, { version: '11' })
  const read = (url: string, version: string | null = null) =>
    findFullPage(store.entries, { url, library: 'spouts', version })
  for (const url of ['doc:/spout.md', 'spout.md']) {
    expect(await read(url)).toMatchObject({ version: '10', text: 'of 10\n', otherVersions: ['9'] })
  }
  expect(await read('lid.md')).toMatchObject({ version: '11', otherVersions: ['10', '9'] })
  expect(await read('lid.md', '9')).toMatchObject({ version: '9', otherVersions: [] })
  const none = await findFullPage(
    store.entries,
    { url: 'lid.md', library: 'spouts', version: null },
    () => false,
  )
  expect(none).toMatchObject({ version: '11', otherVersions: [] })
})

test('returns null for an unknown page, and throws for an unknown library', async () => {
  await check('doc:/none.md', {}, null)
  await check('doc:/none.md', { library: 'one', version: '1' }, null)
  await expect(check('doc:/a.md', { library: 'three' }, null)).rejects.toThrow('not found')
})

test('finds a definition by the end of its name, and lists all if there are several', async () => {
  const repository = join(temp.path, 'lamp')
  commit(repository, {
    'setup.py': '',
    'docs/a.md': '# Lamps: Wick.trim\n',
    'lamp/__init__.py': 'from .wick import Wick\n',
    'lamp/wick.py': 'class Wick:\n    def trim(self): ...\n    def burn_all(self): ...\n',
    'lamp/oil/__init__.py': 'class Oil:\n    mm: int = 1\n    def burn_all(self): ...\n',
  })
  git(repository, 'tag', 'v1')
  const source: Source = { kind: 'git_repo', url: `file://${repository}`, docsPaths: ['docs'] }
  await store.add('lamp', '', { source, version: 'v1' })
  const read = async (url: string) => {
    const query = { url, library: 'lamp', version: null }
    const page = await findFullPage(store.entries, query)
    return page ? [page.title, page.anchor] : await similarAddresses(store.entries, query)
  }
  expect(await read('Wick.trim')).toEqual(['lamp.Wick', 'lamp.Wick.trim'])
  expect(await read('wick.Wick#trim')).toEqual(['lamp.Wick.trim'])
  expect(await read('Wikc')).toEqual(['lamp.Wick'])
  expect(await read('Wick.trimm')).toEqual(['lamp.Wick.trim'])
  const wick = { url: 'Wick.trim', library: 'lamp', version: null }
  const { url } = (await findFullPage(store.entries, wick))!
  expect(await read(`${url}#lampwicktrim`)).toEqual(['lamp.Wick', 'lampwicktrim'])
  expect(await read('Oil.mm')).toEqual(['lamp.oil.Oil', 'lamp.oil.Oil.mm'])
  expect((await read('burn_all')).toSorted()).toEqual([
    'lamp.Wick.burn_all',
    'lamp.oil.Oil.burn_all',
  ])
})
