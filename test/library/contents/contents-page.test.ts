import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { contentsText } from '../../../src/library/contents.ts'
import { findFullPage } from '../../../src/library/page.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { PageHead } from '../../../src/store/pages/page-table.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

/** The title of a page is `T:` and its path. */
function check(pages: Record<string, Partial<PageHead>>, expected: readonly string[]) {
  const heads = new Map(
    Object.entries(pages).map(([path, nav], i) => {
      const head = { url: `doc:/${path}`, path, markup: 'rst', rowId: BigInt(i) }
      return [head.url, { ...head, title: `T: ${path}`, ...nav }] as const
    }),
  )
  expect(contentsText(heads).trimEnd().split('\n')).toEqual([...expected])
}

test('lists pages below their folders, and leaves out the folders that all share', () => {
  check({ 'docs/b/x.md': {}, 'docs/b/index.md': {}, 'docs/a.md': {} }, [
    '- T: docs/a.md [a]',
    '- b/',
    '  - T: docs/b/index.md [b]',
    '  - T: docs/b/x.md [x]',
  ])
})

test('lists pages below the sections of a navigation', () => {
  check(
    {
      'index.rst': { toctree: '# Guide\na/index' },
      'a/index.rst': { toctree: 'a/b' },
      'a/b.rst': {},
    },
    ['- T: index.rst [index.rst]', '- Guide', '  - T: a/index.rst [a]', '    - T: a/b.rst [b]'],
  )
})
const temp = disposeAfterAll(await createTempFolder('og contents'))
const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
const docs = join(temp.path, 'docs')
writeFiles(docs, { 'kettle.md': '# Page kettle\n', 'mug.md': '# Mug\n' })
await store.add('kettle', docs)
await store.add('kettle', docs, { version: '2' })

const find = (url: string, given: { library?: string; version?: string } = {}) =>
  findFullPage(store.entries, { url, library: null, version: null, ...given })

test('the name of a library returns the list of its pages', async () => {
  const listed = { url: 'kettle', title: 'Pages of kettle', version: '2', otherVersions: ['1'] }
  const text = '- Page kettle [kettle]\n- Mug [mug]\n'
  expect(await find('Kettle')).toMatchObject({ ...listed, text })
  expect(await find('kettle@1')).toMatchObject({ version: '1', otherVersions: [] })
  expect(await find('kettle', { version: '1' })).toMatchObject({ version: '1', text })
  expect(await find('kettle@3').catch((error: Error) => error.message)).toContain('Version "3"')
  expect(await find('kettle@1', { library: 'kettle' })).toMatchObject({ version: '1', text })
  expect(await find('cup@1')).toBe(null)
})

test('a page precedes the library of its name if the request names the library', async () => {
  const library = 'kettle'
  expect(await find('kettle', { library })).toMatchObject({ title: 'Page kettle' })
  expect(await find('mug', { library })).toMatchObject({ title: 'Mug' })
})
