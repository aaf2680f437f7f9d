import type { Table } from '@lancedb/lancedb'
import { chunkColumns, type ChunkRow } from './chunks/chunk-table.ts'
import { pageHeads, type PageRow } from './pages/page-table.ts'
import { isIn, embeddingsOf } from './lance.ts'

export type ChunkWithEmbedding = { row: ChunkRow; embedding: Float32Array | null }

export async function* pagesByUrl(table: Table): AsyncGenerator<PageRow> {
  const heads = [...(await pageHeads(table)).values()].sort((a, b) => (a.url < b.url ? -1 : 1))
  for (let from = 0; from < heads.length; from += pagesPerBatch) {
    const ids = heads.slice(from, from + pagesPerBatch).map(({ rowId }) => rowId)
    const batch = await table.takeRowIds(ids).withRowId().toArray()
    const rows = new Map(
      batch.map((row) => {
        const { _rowid: rowId, ...page } = row.toJSON()
        return [rowId as bigint, page as PageRow]
      }),
    )
    for (const id of ids) yield rows.get(id)!
  }
}

const pagesPerBatch = 64

export async function* chunksByUrl(
  table: Table,
  dimensions: number | null,
): AsyncGenerator<ChunkWithEmbedding> {
  const places: { url: string; index: number; id: bigint }[] = []
  for await (const batch of table.query().select(['url', 'chunk_index']).withRowId()) {
    const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
    const [urls, indexes] = ['url', 'chunk_index'].map((name) => [...batch.getChild(name)!])
    ids.forEach((id, i) => places.push({ url: urls![i], index: indexes![i], id }))
  }
  places.sort((a, b) => (a.url === b.url ? a.index - b.index : a.url < b.url ? -1 : 1))
  for (let from = 0; from < places.length; from += rowsPerBatch) {
    const ids = places.slice(from, from + rowsPerBatch).map(({ id }) => id)
    const rows = await rowsById(table, ids, dimensions)
    for (const id of ids) yield rows.get(id)!
  }
}

const rowsPerBatch = 1024

async function rowsById(table: Table, ids: bigint[], dimensions: number | null) {
  const columns = [...chunkColumns, ...(dimensions === null ? [] : ['vector'])]
  const arrow = await table.takeRowIds(ids).select(columns).withRowId().toArrow()
  const rows = new Map<bigint, ChunkWithEmbedding>()
  for (const batch of arrow.batches) {
    const block = dimensions === null ? null : embeddingsOf(batch, dimensions).slice()
    const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
    const cells = chunkColumns.map((name) => [name, [...batch.getChild(name)!]] as const)
    ids.forEach((id, i) => {
      const row = Object.fromEntries(cells.map(([name, column]) => [name, column[i]]))
      const from = i * (dimensions ?? 0)
      const embedding = block?.subarray(from, from + dimensions!) ?? null
      rows.set(id, { row: row as ChunkRow, embedding })
    })
  }
  return rows
}

export async function chunksOfPage(table: Table, url: string): Promise<ChunkRow[]> {
  const rows = await table
    .query()
    .where(isIn('url', [url]))
    .select(chunkColumns)
    .toArray()
  const chunks = rows.map((row) => row.toJSON() as ChunkRow)
  return chunks.sort((a, b) => a.chunk_index - b.chunk_index)
}
