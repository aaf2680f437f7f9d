/**
 * A store as large as a bench wishes, without embedding for an hour: the chunks of a library again
 * and again, each copy with noise on its embeddings and addresses of its own.
 */
import { connect } from '@lancedb/lancedb'
import { join } from 'node:path'
import type { ChunkRow } from '../../src/store/chunks/chunk-table.ts'
import { createGeneration } from '../../src/store/generation.ts'
import type { PageRow } from '../../src/store/pages/page-table.ts'
import { changeEntries, readEntries } from '../../src/store/registry.ts'

/** How far a copy's embedding is from its original: a cosine of about 0.93. */
const noise = 0.035

export async function createBigStore(
  folder: string,
  { from, library, rows }: { from: string; library: string; rows: number },
): Promise<void> {
  const entry = (await readEntries(from)).find((it) => it.library === library)!
  const { dimensions } = entry.live.fingerprint!
  const database = await connect(join(from, 'generations', entry.live.id))
  const chunks = (await (await database.openTable('chunks')).query().toArray()).map(plain)
  const pages = (await (await database.openTable('pages')).query().toArray()).map(plain)
  using writer = await createGeneration(folder)
  let written = 0
  for (let copy = 0; written < rows; copy++) {
    const part = chunks.slice(0, rows - written)
    const block = new Float32Array(part.length * dimensions)
    part.forEach(({ vector }, i) => block.set(noisy([...vector], copy), i * dimensions))
    const renamed = part.map(({ vector: _, ...row }) => renamedFor(row, copy))
    await writer.appendChunks(renamed as ChunkRow[], { block, dimensions })
    const copies = pages.map((page) => renamedFor(page, copy))
    await writer.appendPages(copies as PageRow[])
    written += part.length
  }
  await writer.finish()
  const live = { ...entry.live, id: writer.id, chunks: rows }
  await changeEntries(folder, () => [{ ...entry, live, previous: null }])
}

function renamedFor(row: { url: string }, copy: number) {
  return { ...row, url: `${row.url}?copy=${copy}` }
}

function plain(row: { toJSON(): any }): any {
  return row.toJSON()
}

/** The first copy is the original. */
function noisy(vector: number[], copy: number): number[] {
  if (copy === 0) return vector
  const moved = vector.map((value) => value + noise * (Math.random() + Math.random() - 1))
  const length = Math.hypot(...moved)
  return moved.map((value) => value / length)
}
