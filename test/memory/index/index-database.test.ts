import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  indexPath,
  openIndexInMemory,
  openIndexDatabase,
  type IndexDatabase,
} from '../../../src/memory/index/memory-index.ts'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'

let temp: TempFolder
let opened: DisposableStack
beforeEach(async () => {
  temp = await createTempFolder('og index database')
  opened = new DisposableStack()
})
afterEach(async () => {
  opened.dispose()
  await temp[Symbol.asyncDispose]()
})

function open(openAs = openIndexDatabase): IndexDatabase {
  const index = openAs(temp.path)
  opened.defer(() => index.database.close())
  return index
}
const inMemory = (folder: string) => openIndexInMemory(folder, 'the disk is full')

function addFile(database: Database, path: string, source = 'long_term'): void {
  database.query(`INSERT INTO files VALUES (?, ?, 'state', 'hash', 1)`).run(path, source)
}
const filesIn = ({ database }: IndexDatabase) =>
  database
    .query<{ path: string; state: string; hash: string | null }, []>(
      'SELECT path, state, hash FROM files ORDER BY path',
    )
    .all()
const kept = { path: 'MEMORY.md', state: 'state', hash: 'hash' }

test('stores the index in the workspace and reopens it', () => {
  const first = open()
  expect(first.inMemoryBecause).toBeNull()
  addFile(first.database, 'MEMORY.md')
  first.database.close()
  expect(existsSync(join(temp.path, '.index', 'og.db'))).toBe(true)
  expect(filesIn(open())).toEqual([kept])
})

test('two concurrent openers share a new index', () => {
  const [one, other] = [open(), open()]
  addFile(one.database, 'MEMORY.md')
  expect(filesIn(other)).toEqual([kept])
})

test('rebuilds an index that has a different schema or invalid content', () => {
  const one = open()
  addFile(one.database, 'MEMORY.md')
  one.database.run(`UPDATE meta SET value = 'og-memory-0'`)
  one.database.close()
  const other = open()
  expect(filesIn(other)).toEqual([])
  expect(other.inMemoryBecause).toBeNull()
  other.database.close()
  writeFileSync(join(temp.path, indexPath), 'no database'.repeat(1000))
  const third = open()
  expect(filesIn(third)).toEqual([])
  addFile(third.database, 'MEMORY.md')
})

test('keeps the index in memory and gives a reason if it cannot be written', () => {
  writeFileSync(join(temp.path, '.index'), 'a file in its place')
  const index = open()
  expect(index.inMemoryBecause).toBe('file already exists')
  expect(filesIn(index)).toEqual([])
  addFile(index.database, 'MEMORY.md')
  expect(filesIn(index)).toEqual([kept])
})

test('copies the disk index into memory and never changes the file', () => {
  const disk = open()
  addFile(disk.database, 'MEMORY.md')
  disk.database.close()
  const before = readFileSync(join(temp.path, indexPath))
  const index = open(inMemory)
  expect(index.inMemoryBecause).toBe('the disk is full')
  expect(filesIn(index)).toEqual([kept])
  addFile(index.database, 'USER.md')
  expect(readFileSync(join(temp.path, indexPath))).toEqual(before)
})

test('copies no index with an uncommitted log, another schema or damage', () => {
  const first = open()
  addFile(first.database, 'MEMORY.md')
  first.database.close()
  expect(filesIn(open(inMemory))).toEqual([kept])
  const disk = open()
  addFile(disk.database, 'USER.md')
  expect(filesIn(open(inMemory))).toEqual([])
  disk.database.run(`UPDATE meta SET value = 'og-memory-0'`)
  disk.database.close()
  expect(filesIn(open(inMemory))).toEqual([])
  writeFileSync(join(temp.path, indexPath), 'no database'.repeat(1000))
  expect(filesIn(open(inMemory))).toEqual([])
})

test('finds terms with every ASCII character', () => {
  const { database } = open(inMemory)
  const insert = database.query(`INSERT INTO chunk_terms (rowid, heading, tags, body)
    VALUES (?, '', '', ?)`)
  const terms = [
    'c++',
    'c',
    '--no-cache',
    'a/b@c',
    '$lookup',
    '{x}|y~',
    '1.2.3',
    'é',
    'a!b%c^d#e&f*g(h)i,j:k;l<m=n>o?p[q]r_s',
  ]
  for (const [i, term] of terms.entries()) insert.run(i + 1, term)
  const select = database.query<{ rowid: number }, [string]>(
    'SELECT rowid FROM chunk_terms WHERE chunk_terms MATCH ?',
  )
  const found = terms.map((term) => select.all(`"${term}"`).map(({ rowid }) => rowid))
  expect(found).toEqual(terms.map((_, i) => [i + 1]))
  for (const part of 'abdefghijklmnopqrs') expect(select.all(`"${part}"`)).toEqual([])
})

test('uses an existing index folder', () => {
  mkdirSync(join(temp.path, '.index'))
  writeFileSync(join(temp.path, '.index', 'memory.db'), 'of another program')
  expect(open().inMemoryBecause).toBeNull()
  expect(readFileSync(join(temp.path, '.index', 'memory.db'), 'utf8')).toBe('of another program')
})
