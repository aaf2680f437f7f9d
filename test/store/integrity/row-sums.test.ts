import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { appendChunks } from '../../../src/store/chunks/chunk-table.ts'
import {
  openRowSums,
  openRowSumsWriter,
  rowSumsFile,
} from '../../../src/store/integrity/row-sums.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'

test('detects every changed row by its checksum', async () => {
  await using temp = await createTempFolder('og sums ')
  const database = await (await loadLance()).connect(temp.path)
  const rows = Array.from({ length: 1500 }, (_, i) =>
    chunkRow(`page ${i % 70}`, `word${i} ü\ud800`),
  )
  const written = openRowSumsWriter('chunks')
  written.add(rows.slice(0, 700))
  const first = await appendChunks({ database, table: null }, rows.slice(0, 700), null)
  const table = await appendChunks({ database, table: first }, rows.slice(700), null)
  for await (const batch of table.query().offset(700).limit(800)) written.addBatch(batch)
  await written.write(temp.path, table)
  const sums = openRowSums('chunks', readFileSync(join(temp.path, rowSumsFile('chunks'))))
  const read = (await table.query().withRowId().toArray()).map((row) => row.toJSON())
  const ids = read.map(({ _rowid }) => _rowid as bigint)
  sums.check(ids, read)
  sums.check(ids.toReversed(), read.toReversed())
  for (const at of [0, 699, 700, 1499]) {
    const changed = { ...read[at]!, content: `${read[at]!['content']}!` }
    expect(() => sums.check([ids[at]!], [changed])).toThrow('has changed since it was written')
    expect(() => sums.check([ids[at]!], [undefined])).toThrow('has changed since it was written')
  }
  expect(() => sums.check([1n << 60n], [read[0]!])).toThrow('has changed since it was written')
  table.close()
})
