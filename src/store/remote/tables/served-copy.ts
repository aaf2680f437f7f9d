import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Connection, Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { OgError } from '../../../platform/error.ts'
import { syncFolder, syncTree } from '../../../platform/file/files.ts'
import { sha256OfFile } from '../../../platform/hash.ts'
import { createLockFile } from '../../../platform/lock.ts'
import { buildFullTextIndex } from '../../chunks/chunk-table.ts'
import { vectorIndexName, writeVectorIndex } from '../../chunks/vector-index.ts'
import { FileFault } from '../../integrity/damage.ts'
import { leaseName, readManifest, writeManifest } from '../../integrity/manifest.ts'
import {
  findRowSumFault,
  rowSumsFile,
  rowRangesOf,
  type RowRange,
} from '../../integrity/row-sums.ts'
import { loadLance, withWriteErrors } from '../../lance.ts'
import { lockRegistry } from '../../registry.ts'
import { isInTable } from '../bucket-table.ts'
import { lockCopying } from '../download.ts'
import { rowRangeFilter } from './hosted-table.ts'
import { hostRefusal } from './host-tables.ts'

type ServedOrigin = {
  place: string
  /** The folder of the generation, without its tables; it is not deleted during the copy. */
  folder: string
  openTable(name: 'pages' | 'chunks'): Promise<Table>
}

/**
 * Copies a generation whose tables are stored by a service. The other files of the generation are
 * copied unchanged. The tables are rebuilt from the rows in their original fragments, so that each
 * row gets its original id and can be compared with its checksum. Resumes the copy of a killed run
 * after its last complete fragment. `onPlaced` is called under the registry lock, before any sweep.
 *
 * The rebuilt files have other bytes. The copy needs another id, which ends with the checksum of
 * the manifest, because interrupted copies are recognised by their names.
 * @returns the new id
 * @throws Fault if the rows of the service differ from the rows that were written
 */
export async function copyHostedGeneration(
  folder: string,
  id: string,
  { origin, onPlaced }: { origin: ServedOrigin; onPlaced: (id: string) => void },
): Promise<string> {
  return withWriteErrors(folder, async () => {
    using _turn = await lockCopying(folder, id)
    const beside = join(folder, 'copying', id)
    await mkdir(beside, { recursive: true })
    await withWriteErrors(folder, () => rebuildGeneration(beside, origin)).catch(async (error) => {
      // A damaged copy is not resumed, because reading again may return the right rows.
      if (!(error instanceof OgError)) await rm(beside, { recursive: true, force: true })
      throw error
    })
    const sum = await sha256OfFile(join(beside, 'manifest.json'))
    const own = `${id.split('-')[0]}-${sum.slice(0, 8)}`
    const path = join(folder, 'generations', own)
    createLockFile(join(beside, leaseName))
    await mkdir(dirname(path), { recursive: true })
    using _registry = await lockRegistry(folder)
    await rename(beside, path)
    await syncFolder(dirname(path))
    onPlaced(own)
    return own
  })
}

async function rebuildGeneration(
  beside: string,
  { place, folder, openTable }: ServedOrigin,
): Promise<void> {
  const { files: all } = readManifest(folder)
  // The vector index is built again from these tables, and measured again.
  const files = all.filter(({ path }) => !isInTable(path) && path !== vectorIndexName)
  for (const { path, sha256 } of files) {
    await copyFile(join(folder, path), join(beside, path))
    const isSame = (await sha256OfFile(join(beside, path))) === sha256
    if (!isSame) throw new FileFault(`${path} has changed since it was written`)
  }
  // Opened first, because opening a table unpacks LanceDB's native files if they are still missing.
  const tables = { pages: await openTable('pages'), chunks: await openTable('chunks') }
  const database = await (await loadLance()).connect(beside)
  for (const name of ['pages', 'chunks'] as const) {
    const from = tables[name]
    const sums = await readFile(join(beside, rowSumsFile(name)))
    const ranges = rowRangesOf(sums)
    const table = await rebuildTable(database, name, { from, place, ranges })
    from.close()
    const fault = await findRowSumFault(beside, name, table)
    if (fault !== null) throw new FileFault(fault)
    if (name === 'chunks') {
      const isIndexed = (await table.listIndices()).some(({ columns }) => columns.includes('terms'))
      if (!isIndexed) await buildFullTextIndex(table)
      if (!existsSync(join(beside, vectorIndexName))) await writeVectorIndex(beside, table)
    }
    table.close()
  }
  database.close()
  await writeManifest(beside)
  await syncTree(beside)
}

const askedRows = 8192

async function rebuildTable(
  database: Connection,
  name: string,
  { from, place, ranges }: { from: Table; place: string; ranges: RowRange[] },
): Promise<Table> {
  const isThere = (await database.tableNames()).includes(name)
  let table = isThere ? await database.openTable(name) : null
  let remaining = ranges.slice(table === null ? 0 : await countWritten(table, ranges))
  while (remaining.length > 0) {
    const next = firstThatFit(remaining)
    const batches = await rowsOf(from, next).catch((error) => {
      throw hostRefusal(error, { place, doing: 'read' })
    })
    for (const range of next) {
      const rows = rowsInOrder(batches, range, name)
      if (table === null) table = await database.createTable(name, rows)
      else await table.add(rows)
    }
    remaining = remaining.slice(next.length)
  }
  if (table === null) throw new FileFault(`${name} has no rows`)
  return table
}

/** Counts the fragments that are already there. A killed run leaves only complete ones. */
async function countWritten(table: Table, ranges: RowRange[]): Promise<number> {
  let rows = await table.countRows()
  const nWritten = ranges.findIndex(({ count }) => (rows -= count) < 0)
  return nWritten === -1 ? ranges.length : nWritten
}

/** Returns the first fragments that fit into a single request. */
function firstThatFit(ranges: RowRange[]): RowRange[] {
  let rows = 0
  const end = ranges.findIndex(({ count }) => (rows += count) > askedRows)
  return end === -1 ? ranges : ranges.slice(0, Math.max(1, end))
}

async function rowsOf(from: Table, ranges: RowRange[]): Promise<RecordBatch[]> {
  const [first, last] = [ranges[0]!.first, ranges.at(-1)!.last]
  const answer = await from.query().where(rowRangeFilter(first, last)).withRowId().toArrow()
  return answer.batches as unknown as RecordBatch[]
}

type RowRun = { first: bigint; rows: RecordBatch }

/**
 * Returns the rows of a fragment ordered by id, whatever the order in which the service returned
 * them.
 */
function rowsInOrder(batches: RecordBatch[], { first, count }: RowRange, name: string) {
  const runs = batches
    .flatMap((batch) => runsOf(batch, { first, last: first + BigInt(count) }))
    .sort((a, b) => (a.first < b.first ? -1 : 1))
  let next = first
  const isOnce = runs.every((run) => {
    const isNext = run.first === next
    next += BigInt(run.rows.numRows)
    return isNext
  })
  if (!isOnce || next !== first + BigInt(count)) {
    throw new FileFault(`${name} lacks rows that were written, or has some twice`)
  }
  const parts = runs.map(({ rows }) => rows)
  return { schema: parts[0]!.schema, batches: parts, numRows: count }
}

/**
 * Returns the runs of rows with ids from `first` to `last`, excluding `last`, without the id
 * column.
 */
function runsOf(batch: RecordBatch, { first, last }: { first: bigint; last: bigint }): RowRun[] {
  const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
  const columns = batch.schema.fields.map(({ name }) => name).filter((name) => name !== '_rowid')
  const own = batch.select(columns)
  const runs: RowRun[] = []
  for (let from = 0; from < ids.length; ) {
    let to = from + 1
    while (to < ids.length && ids[to] === ids[to - 1]! + 1n && ids[to]! < last) to++
    const isWanted = ids[from]! >= first && ids[from]! < last
    if (isWanted) runs.push({ first: ids[from]!, rows: own.slice(from, to) })
    from = to
  }
  return runs
}
