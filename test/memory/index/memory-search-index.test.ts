import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import {
  askMemory,
  entries,
  openTestMemory,
  type TestMemory,
} from '../../support/memory/memory-search.ts'

const facts = entries(
  ['2026-01-05 09:00', 'Alice loves pistachio ice cream'],
  ['2026-02-06 10:00', 'The deployment of the billing server failed twice'],
  ['2026-03-07 11:00', '#infra #database\nBackups run nightly through `pg_dump --no-owner`'],
  ['2026-04-08 12:00', '東京の会議は金曜日です'],
)

const alice = 'Alice loves pistachio ice cream'
const failed = 'The deployment of the billing server failed twice'

async function steps(files: Record<string, string>, run: (memory: TestMemory) => Promise<void>) {
  await using memory = await openTestMemory(files)
  await run(memory)
}

test('weakness 19: reports an unreadable file and keeps its entries', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    await memory.ask('x')
    const path = join(memory.workspace.path, 'MEMORY.md')
    rmSync(path)
    symlinkSync(memory.workspace.path, path)
    const { warnings, hits } = await memory.ask('pistachio')
    expect(warnings).toEqual(['cannot read MEMORY.md: it is not a file in the workspace'])
    expect(hits.length).toBe(1)
  }))

test('weakness 18: reindexes a file whose indexing failed halfway', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    const { database } = memory.search.index
    database.run(`CREATE TRIGGER cut BEFORE INSERT ON chunks WHEN NEW.text LIKE '%billing%'
      BEGIN SELECT RAISE(ABORT, 'cut'); END`)
    await memory.search.sync().catch(() => {})
    database.run('DROP TRIGGER cut')
    expect(await memory.bodies('billing server')).toEqual([failed])
  }))

test('recovers from a deleted or damaged index at any time', () =>
  steps({ 'MEMORY.md': facts }, async (memory) => {
    expect(await memory.bodies('pistachio')).toEqual([alice])
    const path = join(memory.workspace.path, '.index')
    rmSync(path, { recursive: true })
    expect(await memory.bodies('pistachio')).toEqual([alice])
    const search = memory.again()
    expect((await askMemory(search, 'pistachio')).hits.length).toBe(1)
    expect(existsSync(join(path, 'og.db'))).toBe(true)
  }))

test('copies an index that cannot be written, with its embeddings', async () => {
  await using memory = await openTestMemory({ 'MEMORY.md': facts }, { embedder: hashEmbedder() })
  expect(await memory.search.embedAll(10_000)).toBe(0)
  await memory.ask('pistachio', { mode: 'hybrid' })
  await memory.search[Symbol.asyncDispose]()
  // SQLite cannot open the database if a folder has this name, as on a read-only disk.
  mkdirSync(join(memory.workspace.path, '.index', 'og.db-shm'))
  const embedder = hashEmbedder()
  const copy = memory.again(embedder)
  const { hits } = await askMemory(copy, 'pistachio ice cream loves', { mode: 'vector', limit: 1 })
  expect(hits[0]!.text).toContain('pistachio')
  expect(memory.warned).toEqual([expect.stringContaining('is kept in memory')])
  expect(embedder.embedded).toEqual([])
})

test('finds text by its embeddings, also in another process and after a change', async () => {
  const embedder = hashEmbedder()
  await using memory = await openTestMemory({ 'MEMORY.md': facts }, { embedder })
  const vector = { mode: 'vector', limit: 1 } as const
  expect(await memory.bodies('pistachio ice cream loves', vector)).toEqual([alice])
  const other = memory.again(hashEmbedder())
  expect((await askMemory(other, 'pistachio ice cream loves', vector)).hits[0]!.path).toBe(
    'MEMORY.md',
  )
  memory.put('MEMORY.md', `${facts}\n## 2026-05-05\n\nA heron stands in the reeds\n`)
  expect(await memory.bodies('heron reeds stands', vector)).toEqual(['A heron stands in the reeds'])
  expect(embedder.embedded.length).toBe(5)
})

test('weakness 34: searches a small tier completely next to large ones', async () => {
  const many = Array.from({ length: 300 }, (_, i) => ['2026-01-01', `heron heron ${i}`])
  await using memory = await openTestMemory(
    {
      'MEMORY.md': entries(...(many as [string, string][])),
      'USER.md': '# User\n\nlikes one heron and much else besides\n',
    },
    { embedder: hashEmbedder() },
  )
  await memory.search.sync()
  await memory.search.embedAll(10_000)
  const found = await memory.bodies('heron', { mode: 'hybrid', filter: { sources: ['user'] } })
  expect(found).toEqual(['likes one heron and much else besides'])
})

test('ranks an exact name above a close embedding', async () => {
  const many = Array.from({ length: 60 }, (_, i) => ['2026-01-01', `the port of host ${i} is open`])
  await using memory = await openTestMemory(
    {
      'MEMORY.md': entries(...(many as [string, string][]), [
        '2026-01-01',
        'zq_limit was raised in June',
      ]),
    },
    { embedder: hashEmbedder() },
  )
  await memory.search.sync()
  await memory.search.embedAll(10_000)
  const found = await memory.bodies('zq_limit', { mode: 'hybrid', limit: 1 })
  expect(found).toEqual(['zq_limit was raised in June'])
})

test('indexes and embeds a manual edit as it happens', async () => {
  const embedder = hashEmbedder()
  await using memory = await openTestMemory({ 'MEMORY.md': facts }, { embedder })
  await memory.search.sync()
  await memory.search.embedAll(10_000)
  using _watching = memory.search.watch()
  memory.put('MEMORY.md', `${facts}\n## 2026-05-05\n\nA heron\n`)
  while (!embedder.embedded.includes('A heron')) await Bun.sleep(5)
  expect(embedder.queries).toEqual([])
})

test('falls back to full text with a warning for a vector search without an embedder', async () => {
  await using memory = await openTestMemory({ 'MEMORY.md': facts })
  const { hits, warnings } = await memory.ask('pistachio', { mode: 'vector' })
  const warning = 'searched by full text only: there is no embedder'
  expect([hits.length, warnings]).toEqual([1, [warning]])
})

test('moves the index into memory when the disk is full', async () => {
  await using memory = await openTestMemory({ 'MEMORY.md': facts })
  expect(await memory.bodies('Alice')).toEqual([alice])
  const { index } = memory.search
  // Simulates a full disk; the limit cannot be below the current size.
  index.database.run('PRAGMA max_page_count = 1')
  const many = Array.from({ length: 2000 }, (_, at) => `word${at}`).join(' ')
  memory.put('USER.md', entries(['2026-05-01 09:00', `Bob keeps bees ${many}`]))
  const [found] = await memory.bodies('Bob keeps bees')
  expect(found).toStartWith('Bob keeps bees')
  expect(index.inMemoryBecause).toBe('database or disk is full')
  expect(await memory.bodies('Alice')).toEqual([alice])
})
