import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { configsAbove, filesBelow } from '../../src/source/local-includes.ts'
import { writeFiles } from '../support/repository.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'
import { configsBelow } from '../../src/source/folders.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))
const files = [
  'book.toml',
  'docs/book.toml',
  'docs/en/book.toml',
  'site/book.toml',
  'x/y/book.toml',
]
writeFiles(temp.path, Object.fromEntries(files.map((path) => [path, ''])))

test('finds configuration files above a folder and in sibling folders', async () => {
  const found = await configsAbove(temp.path, 'docs/en')
  expect(found.sort()).toEqual(['book.toml', 'docs/book.toml', 'site/book.toml'])
})

test('lists no file above the top of a work tree', async () => {
  expect(await configsAbove(temp.path, '')).toEqual([])
})

test('finds configuration directly in a folder', async () => {
  expect(await configsBelow(`${temp.path}/docs`, 'docs')).toEqual(['docs/book.toml'])
})

test('lists the files of a work tree', async () => {
  expect((await filesBelow(temp.path)).sort()).toEqual([
    'book.toml',
    'docs/book.toml',
    'docs/en/book.toml',
    'site/book.toml',
    'x/y/book.toml',
  ])
})
