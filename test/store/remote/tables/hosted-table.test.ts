import { expect, test } from 'bun:test'
import { connect } from '@lancedb/lancedb'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import {
  hostedTable,
  idColumn,
  renameRowIdColumn,
} from '../../../../src/store/remote/tables/hosted-table.ts'

test('returns original row ids as _rowid and hides their column', async () => {
  await using temp = await createTempFolder('og hosted')
  const database = await connect(temp.path)
  const own = await database.createTable('own', [{ url: 'a' }, { url: 'b' }, { url: 'c' }])
  const [batch] = (await own.query().withRowId().toArrow()).batches
  const rows = renameRowIdColumn(batch!)
  expect(rows.schema.fields.map(({ name }) => name)).toEqual(['url', idColumn])
  const sent = await database.createTable('sent', {
    schema: rows.schema,
    batches: [rows],
    numRows: rows.numRows,
  })
  await sent.update({ where: "url = 'a'", values: { url: 'z' } })
  const table = hostedTable(sent)
  expect((await table.schema()).fields.map(({ name }) => name)).toEqual(['url'])
  const all = (await table.query().withRowId().toArray()).map((row) => row.toJSON())
  expect(all.sort((a, b) => Number(a._rowid - b._rowid))).toEqual([
    { url: 'z', _rowid: 0n },
    { url: 'b', _rowid: 1n },
    { url: 'c', _rowid: 2n },
  ])
  const taken = await table.takeRowIds([2n, 0n]).select(['url']).toArray()
  expect(taken.map((row) => row.toJSON().url).sort()).toEqual(['c', 'z'])
  const urls: string[] = []
  for await (const part of table.query().select(['url']).limit(2)) {
    urls.push(...part.getChild('url')!)
  }
  expect(urls).toHaveLength(2)
})
