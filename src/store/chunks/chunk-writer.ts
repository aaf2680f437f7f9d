import type { Connection, Table } from '@lancedb/lancedb'
import type { ChunkBatch } from './chunk-copy.ts'
import { appendChunks, type ChunkRow, type Embeddings } from './chunk-table.ts'

type ChunkWriter = {
  append(rows: ChunkRow[], embeddings: Embeddings | null): Promise<void>
  /** Appends rows of another table unchanged. */
  copy(rows: ChunkBatch): Promise<void>
  /** Returns the table with everything appended; null if nothing was. */
  whole(): Promise<Table | null>
  close(): void
}

/**
 * A fragment is written once the pending rows reach an eighth of the written rows, so that
 * fragments grow with the table. LanceDB lists all fragments in each new version and keeps old
 * versions: a million rows in batches of 512 took 200 MB of disk for that, and a gigabyte of
 * memory.
 */
const growth = 8
/** About 40 MB of pending rows. */
const mostPending = 8192

export function openChunkWriter(database: () => Promise<Connection>): ChunkWriter {
  let table: Table | null = null
  let nWritten = 0
  let pending: ChunkRow[] = []
  const blocks: Embeddings[] = []
  const flush = async () => {
    if (pending.length === 0) return
    const rows = pending.splice(0)
    const embeddings = joinBlocks(blocks.splice(0))
    table = await appendChunks({ database: await database(), table }, rows, embeddings)
    nWritten += rows.length
  }
  return {
    async append(rows, embeddings) {
      pending = pending.concat(rows)
      if (embeddings !== null) blocks.push(embeddings)
      if (pending.length >= Math.min(mostPending, nWritten / growth)) await flush()
    },
    async copy(rows) {
      await flush()
      if (table === null) table = await (await database()).createTable('chunks', rows)
      else await table.add(rows)
      nWritten += rows.numRows
    },
    async whole() {
      await flush()
      return table
    },
    close: () => table?.close(),
  }
}

/** Concatenates row-major blocks. */
function joinBlocks(blocks: Embeddings[]): Embeddings | null {
  if (blocks.length <= 1) return blocks[0] ?? null
  const { dimensions } = blocks[0]!
  const all = new Float32Array(blocks.reduce((sum, { block }) => sum + block.length, 0))
  let at = 0
  for (const { block } of blocks) {
    all.set(block, at)
    at += block.length
  }
  return { block: all, dimensions }
}
