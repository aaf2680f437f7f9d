import { expect, test } from 'bun:test'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { indexPath } from '../../../src/memory/index/memory-index.ts'
import { writeFileRows } from '../../../src/memory/index/index-rows.ts'
import {
  emptyIndex,
  retryIfDamaged,
  openMemoryIndex,
  type MemoryIndex,
} from '../../../src/memory/index/memory-index.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og memory index'))

/** An index with one entry. */
function indexed(): MemoryIndex {
  const index = openMemoryIndex(temp().path)
  writeFileRows(index, {
    path: 'MEMORY.md',
    source: 'long_term',
    text: 'tea\n',
    state: 'state',
    hash: 'hash',
  })
  return index
}

const nChunks = ({ database }: MemoryIndex) =>
  database.query<{ n: number }, []>('SELECT count(*) AS n FROM chunks').get()!.n

/** A query that counts chunks; the first call throws an error with this code. */
function failingOnce(index: MemoryIndex, code: string) {
  const asked: number[] = []
  const ask = () => {
    if (asked.push(asked.length) === 1) throw Object.assign(new Error(`of ${code}`), { code })
    return nChunks(index)
  }
  return { ask, asked }
}

test('resolves a symbolic link to the folder', () => {
  const link = join(temp().path, 'link')
  symlinkSync(temp().path, link)
  using index = openMemoryIndex(link)
  expect([index.folder, index.inMemoryBecause]).toEqual([temp().path, null])
  expect(existsSync(join(temp().path, indexPath))).toBe(true)
})

test('remembers the text of each seed entry', () => {
  const seeds = {
    'MEMORY.md': '# Memory\n\n## One\n\nfirst\n\n## Two\n\nsecond\n',
    'USER.md': 'me\n',
  }
  using index = openMemoryIndex(temp().path, { seeds })
  expect([...index.seedTexts]).toEqual(['## One\n\nfirst', '## Two\n\nsecond', 'me'])
})

test('runs a query once and passes on other errors', () => {
  using index = indexed()
  expect(retryIfDamaged(index, () => nChunks(index))).toBe(1)
  const { ask, asked } = failingOnce(index, 'SQLITE_CONSTRAINT')
  expect(() => retryIfDamaged(index, ask)).toThrow('of SQLITE_CONSTRAINT')
  expect([asked.length, nChunks(index)]).toEqual([1, 1])
})

test('empties a damaged index and repeats the query', () => {
  for (const code of ['SQLITE_CORRUPT_VTAB', 'SQLITE_NOTADB']) {
    using index = indexed()
    const { ask, asked } = failingOnce(index, code)
    expect(retryIfDamaged(index, ask)).toBe(0)
    expect([asked.length, index.inMemoryBecause]).toEqual([2, null])
    using again = openMemoryIndex(temp().path)
    expect(nChunks(again)).toBe(0)
  }
})

test('moves a full index into memory with its content', () => {
  {
    using index = indexed()
    expect(nChunks(index)).toBe(1)
  }
  using index = openMemoryIndex(temp().path)
  const onDisk = index.database
  const { ask, asked } = failingOnce(index, 'SQLITE_FULL')
  expect(retryIfDamaged(index, ask)).toBe(1)
  expect([asked.length, index.inMemoryBecause]).toEqual([2, 'of SQLITE_FULL'])
  expect(() => onDisk.query('SELECT 1').get()).toThrow()
  writeFileRows(index, { path: 'USER.md', source: 'user', text: 'me\n', state: '', hash: '' })
  expect(nChunks(index)).toBe(2)
  using disk = openMemoryIndex(temp().path)
  expect(nChunks(disk)).toBe(1)
  // An index in memory cannot be moved again.
  const { ask: other } = failingOnce(index, 'SQLITE_FULL')
  expect(() => retryIfDamaged(index, other)).toThrow('of SQLITE_FULL')
})

test('recreates an empty index on disk without the old log', () => {
  using index = indexed()
  writeFileSync(join(temp().path, `${indexPath}-journal`), 'old')
  const { database } = index
  emptyIndex(index)
  expect(index.database).not.toBe(database)
  expect([nChunks(index), index.inMemoryBecause]).toEqual([0, null])
  expect(existsSync(join(temp().path, `${indexPath}-journal`))).toBe(false)
  expect(() => database.query('SELECT 1').get()).toThrow()
})
