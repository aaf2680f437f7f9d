import type { Table } from '@lancedb/lancedb'
import type { RecordBatch, Schema } from 'apache-arrow'
import { chunkColumns, type ChunkRow } from './chunk-table.ts'
import { isIn, embeddingsOf, isZero } from '../lance.ts'

/**
 * Rows with embeddings, copied from one chunk table to another. Not an Arrow `Table` because
 * LanceDB's batches use its own copy of Arrow, whose classes our copy does not recognise.
 */
export type ChunkBatch = { schema: Schema; batches: RecordBatch[]; numRows: number }

export type EmbeddedChunk = Pick<
  ChunkRow,
  'url' | 'title' | 'heading' | 'content' | 'chunk_index' | 'start_offset'
> & { embedding: Float32Array }

/** Number of rows copied at a time. Each batch becomes one LanceDB fragment. */
const batchRows = 8192

export async function* chunksExcept(
  table: Table,
  urls: readonly string[],
): AsyncGenerator<ChunkBatch> {
  const query = table.query()
  if (urls.length > 0) query.where(`NOT (${isIn('url', urls)})`)
  let batchSoFar: ChunkBatch | null = null
  for await (const batch of query) {
    batchSoFar ??= { schema: batch.schema, batches: [], numRows: 0 }
    batchSoFar.batches.push(batch)
    batchSoFar.numRows += batch.numRows
    if (batchSoFar.numRows < batchRows) continue
    yield batchSoFar
    batchSoFar = null
  }
  if (batchSoFar !== null) yield batchSoFar
}

export async function* chunkRows(table: Table): AsyncGenerator<ChunkRow[]> {
  for await (const batch of table.query().select(chunkColumns)) {
    yield batch.toArray().map((row) => row.toJSON() as ChunkRow)
  }
}

/**
 * Yields the embedded chunks of the given pages, or of all pages. Copies the embeddings so that
 * LanceDB's batches can be freed.
 */
export async function* embeddedChunks(
  table: Table,
  { urls: only, dimensions }: { urls: readonly string[] | null; dimensions: number },
): AsyncGenerator<EmbeddedChunk> {
  const columns = ['url', 'title', 'heading', 'content', 'chunk_index', 'start_offset']
  const query = table.query().select([...columns, 'vector'])
  if (only !== null) query.where(isIn('url', only))
  for await (const batch of query) {
    const block = embeddingsOf(batch, dimensions).slice()
    const cells = columns.map((name) => batch.getChild(name)!)
    const [urls, titles, headings, contents, indexes, starts] = cells
    for (let row = 0; row < batch.numRows; row++) {
      const embedding = block.subarray(row * dimensions, (row + 1) * dimensions)
      if (isZero(embedding)) continue
      yield {
        url: urls!.get(row),
        title: titles!.get(row),
        heading: headings!.get(row),
        content: contents!.get(row),
        chunk_index: indexes!.get(row),
        start_offset: starts!.get(row),
        embedding,
      }
    }
  }
}
