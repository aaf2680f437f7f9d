import type { Connection, Table } from '@lancedb/lancedb'
import { loadLance, isIn } from '../lance.ts'
import type { Columns } from '../schema.ts'

export type ChunkRow = {
  url: string
  title: string
  /** Heading path joined by ` > `. */
  heading: string
  content: string
  terms: string
  chunk_index: number
  start_offset: number
  end_offset: number
  start_line: number
  end_line: number
}

export type ChunkHeading = Pick<ChunkRow, 'url' | 'heading'>

export type ChunkRange = Pick<ChunkRow, 'chunk_index' | 'start_offset' | 'end_offset'>

const numbers = ['chunk_index', 'start_offset', 'end_offset', 'start_line', 'end_line'] as const
const columns: Columns = { texts: ['url', 'title', 'heading', 'content', 'terms'], numbers }
export const chunkColumns = [...columns.texts, ...columns.numbers]
export const hitColumns = ['url', 'title', 'heading', 'content', ...numbers]
const rangeColumns = ['chunk_index', 'start_offset', 'end_offset']

export type Embeddings = { block: Float32Array; dimensions: number }

/** Appends chunks. The first call creates the table. */
export async function appendChunks(
  into: { database: Connection; table: Table | null },
  rows: ChunkRow[],
  embeddings: Embeddings | null,
): Promise<Table> {
  const { arrowTable } = await import('../schema.ts')
  const batch = arrowTable(columns, rows, embeddings)
  if (into.table === null) return into.database.createTable('chunks', batch)
  await into.table.add(batch)
  return into.table
}

/**
 * Builds the full-text index. chunk/terms.ts has already analysed the terms, so LanceDB only splits
 * them at white space. LanceDB's own tokenizers lose `C++`, `$lookup` and `--flag`.
 */
export async function buildFullTextIndex(table: Table): Promise<void> {
  const { Index } = await loadLance()
  const config = Index.fts({
    baseTokenizer: 'whitespace',
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    withPosition: false,
    maxTokenLength: 200,
  })
  await table.createIndex('terms', { config })
}

export async function* chunkHeadings(table: Table): AsyncGenerator<ChunkHeading> {
  for await (const batch of table.query().select(['url', 'heading'])) {
    const [urls, headings] = ['url', 'heading'].map((name) => batch.getChild(name)!)
    for (let row = 0; row < batch.numRows; row++) {
      yield { url: urls!.get(row), heading: headings!.get(row) }
    }
  }
}

export async function chunkRanges(table: Table, url: string): Promise<ChunkRange[]> {
  const rows = await table
    .query()
    .where(isIn('url', [url]))
    .select(rangeColumns)
    .toArray()
  const ranges = rows.map((row) => row.toJSON() as ChunkRange)
  return ranges.sort((a, b) => a.chunk_index - b.chunk_index)
}
