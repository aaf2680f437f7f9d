import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { chunksInBlock, readChunkBlock } from '../../../src/store/chunks/chunk-block.ts'
import { chunksByRowId } from '../../../src/store/chunks/chunk-search.ts'
import { appendChunks } from '../../../src/store/chunks/chunk-table.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'

test('returns the rows of the table from memory, in any requested order', async () => {
  await using temp = await createTempFolder('og block ')
  const { connect } = await loadLance()
  const database = await connect(temp.path)
  const rows = Array.from({ length: 700 }, (_, i) => chunkRow(`page ${i % 70}`, `word${i} ü`))
  const first = await appendChunks({ database, table: null }, rows.slice(0, 512), null)
  const table = await appendChunks({ database, table: first }, rows.slice(512), null)
  const found = await table.query().select(['content']).withRowId().toArray()
  const ids = new Map<string, bigint>(found.map((row) => [row.content, row._rowid]))
  const wanted = [699, 0, 511, 512, 3, 3].map((i) => ids.get(`word${i} ü`)!)
  const block = await readChunkBlock(table, rows.length, async () => {})
  const kept = chunksInBlock(block, wanted)
  expect(kept!.map(({ content }) => content)).toEqual([
    'word699 ü',
    'word0 ü',
    'word511 ü',
    'word512 ü',
    'word3 ü',
    'word3 ü',
  ])
  expect(kept).toEqual(await chunksByRowId(table, wanted))
  expect(chunksInBlock(block, [...wanted, 1n << 50n])).toBeNull()
  table.close()
})

test('does not cache damaged rows', async () => {
  await using temp = await createTempFolder('og block ')
  const database = await (await loadLance()).connect(temp.path)
  const table = await appendChunks({ database, table: null }, [chunkRow('a', 'b')], null)
  const check = async () => {
    throw new Error('changed')
  }
  await expect(readChunkBlock(table, 1, check)).rejects.toThrow('changed')
  table.close()
})
