import { expect, test } from 'bun:test'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { askMemory, entries, openTestMemory } from '../../support/memory/memory-search.ts'

const facts = entries(
  ['2026-01-05 09:00', 'Alice loves pistachio ice cream'],
  ['2026-02-06 10:00', 'The deployment of the billing server failed twice'],
  ['2026-03-07 11:00', '#infra #database\nBackups run nightly through `pg_dump --no-owner`'],
  ['2026-04-08 12:00', '東京の会議は金曜日です'],
)

test('weaknesses 45 and 47: stores each embedding once, in binary, one batch per write', async () => {
  const embedder = hashEmbedder()
  const files = { 'MEMORY.md': facts, 'daily/2026-01-05.md': facts }
  await using memory = await openTestMemory(files, { embedder })
  const { database } = memory.search.index
  const stored = () => database.query('SELECT length(vector) AS bytes FROM embeddings').all()
  await memory.search.sync()
  database.run(`CREATE TRIGGER cut BEFORE INSERT ON embeddings
    WHEN (SELECT count(*) FROM embeddings) = 3 BEGIN SELECT RAISE(ABORT, 'cut'); END`)
  await memory.search.embedAll(10_000).catch(() => {})
  expect(stored()).toEqual([])
  database.run('DROP TRIGGER cut')
  expect(await memory.search.embedAll(10_000)).toBe(0)
  expect(stored()).toEqual(Array(4).fill({ bytes: 32 * 4 }))
})

test('weakness 20: embeds again for another embedder and warns', async () => {
  await using memory = await openTestMemory({ 'MEMORY.md': facts }, { embedder: hashEmbedder() })
  await memory.ask('pistachio', { mode: 'hybrid' })
  const other = hashEmbedder({ fingerprint: { model: 'other', dimensions: 64 } })
  const search = memory.again(other)
  const { hits } = await askMemory(search, 'pistachio ice cream loves', {
    mode: 'vector',
    limit: 1,
  })
  expect(hits[0]!.text).toContain('pistachio')
  expect(memory.warned).toEqual([
    'embedder changed from hash to other: 4 chunks are embedded again',
  ])
})

test('falls back to full text with a warning if the embedder fails', async () => {
  const embedder = hashEmbedder()
  embedder.embedQuery = () => Promise.reject(new Error('no such host'))
  await using memory = await openTestMemory({ 'MEMORY.md': facts }, { embedder })
  const { hits, warnings } = await memory.ask('pistachio', { mode: 'hybrid' })
  expect([hits.length, warnings]).toEqual([1, ['searched by full text only: no such host']])
})

test('answers without waiting for a slow embedder and reports missing embeddings', async () => {
  const embedder = hashEmbedder({ delayMs: 1_000 })
  const options = { embedder, patienceMs: 300 }
  await using memory = await openTestMemory({ 'MEMORY.md': facts }, options)
  const { hits, warnings } = await memory.ask('pistachio', { mode: 'hybrid' })
  expect([hits.length, warnings]).toEqual([
    1,
    ['4 entries are not embedded yet and are found by full text only'],
  ])
  expect(await memory.search.embedAll(10_000)).toBe(0)
})
