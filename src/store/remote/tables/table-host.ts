import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { OgError, messageOf } from '../../../platform/error.ts'
import { sha256 } from '../../../platform/hash.ts'
import { buildFullTextIndex } from '../../chunks/chunk-table.ts'
import { loadLance } from '../../lance.ts'
import { writeVectorIndex, trainingOptions } from '../../chunks/vector-index.ts'
import { servedIndexName } from '../bucket-table.ts'
import { renameRowIdColumn, hostedTable } from './hosted-table.ts'
import {
  connectHost,
  hostRefusal,
  isCatalog,
  type TableHostAddress,
  type HostTables,
  statusOf,
} from './host-tables.ts'

/**
 * Stores the two tables of each generation, whose names contain its id. The other files are in a
 * bucket.
 */
export type TableHost = {
  place: string
  /**
   * Checks the settings without sending a request. @throws OgError if the key or the URL cannot be
   * used
   */
  check(): Promise<void>
  open(id: string, name: TableName): Promise<Table>
  /**
   * Uploads the tables in a generation's folder, overwriting the remains of an earlier attempt. If
   * there is a vector index, a file in the folder says how to query it.
   */
  write(path: string, id: string): Promise<void>
  drop(id: string): Promise<void>
  fault(id: string, rows: Record<TableName, number>): Promise<string | null>
}

type TableName = 'chunks' | 'pages'
const names = ['pages', 'chunks'] as const

type TableHostOptions = {
  storage: () => Promise<Record<string, string>>
  warn: (line: string) => void
  /** If a table has more rows than this, the service builds a vector index. */
  indexRows?: number | undefined
}

/**
 * Sends no request before the first call.
 * @throws OgError if there is no key, or the service rejects the request
 */
export function openTableHost(
  address: TableHostAddress,
  { storage, warn, indexRows: least }: TableHostOptions,
): TableHost {
  const { place } = address
  let connection: { keys: string; tables: Promise<HostTables> } | null = null
  // A catalog needs the keys of the bucket, which may be keys of a role and so change.
  const tables = async () => {
    const keys = isCatalog(place) ? sha256(JSON.stringify(await storage())) : ''
    if (connection?.keys !== keys) {
      const next = { keys, tables: connectHost(address, storage) }
      next.tables.catch(() => (connection = null))
      connection = next
    }
    return connection.tables
  }
  const withTables = async <T>(doing: string, ask: (tables: HostTables) => Promise<T>) =>
    ask(await tables()).catch((error) => {
      throw error instanceof OgError ? error : hostRefusal(error, { place, doing })
    })
  return {
    place,
    check: async () => void (await tables()),
    open: (id, name) =>
      withTables('read', async (it) => {
        const table = await it.open(tableOf(id, name))
        if (table !== null) return hostedTable(table)
        throw new OgError(`Cannot read store ${place}: table ${tableOf(id, name)} is missing`, {
          hint: 'og doctor checks the store',
        })
      }),
    write: (path, id) =>
      withTables('write', async (it) => {
        await rm(join(path, servedIndexName), { force: true })
        const local = await (await loadLance()).connect(path)
        for (const name of names) {
          const from = await local.openTable(name)
          const into = await send(it, from, tableOf(id, name))
          if (name === 'chunks') {
            await buildFullTextIndex(into)
            await into.waitForIndex(['terms_idx'], indexSeconds)
            const build = (parts: number) => buildServedIndex(into, { parts, place, warn })
            const indexed = hostedTable(into)
            await writeVectorIndex(path, from, {
              indexed,
              build,
              name: servedIndexName,
              ...(least ? { least } : {}),
            })
          }
          from.close()
          into.close()
        }
        local.close()
      }),
    drop: (id) => withTables('write', (it) => it.drop(names.map((name) => tableOf(id, name)))),
    fault: (id, rows) =>
      withTables('read', async (it) => {
        for (const name of names) {
          const own = tableOf(id, name)
          const table = await it.open(own)
          if (table === null) return `table ${own} of ${place} is missing`
          const nRows = await table.countRows().finally(() => table.close())
          if (nRows === rows[name]) continue
          return `table ${own} of ${place} has ${nRows} rows, ${rows[name]} were written`
        }
        return null
      }),
  }
}

function tableOf(id: string, name: TableName): string {
  return `og_${id}_${name}`
}

async function send(into: HostTables, from: Table, name: string): Promise<Table> {
  let sent: Table | null = null
  for await (const batch of from.query().withRowId()) {
    const own = renameRowIdColumn(batch)
    const rows = { schema: own.schema, batches: [own], numRows: own.numRows }
    if (sent === null) sent = await into.create(name, rows)
    else await sent.add(rows)
  }
  if (sent === null) throw new OgError(`Cannot publish table ${name}: it has no rows`)
  // If a response was lost, rows may have been sent twice.
  const [nRows, nSent] = [await sent.countRows(), await from.countRows()]
  if (nRows === nSent) return sent
  throw new OgError(`Cannot publish table ${name}: it has ${nRows} rows, ${nSent} were sent`, {
    hint: 'run the command again',
  })
}

/** Time limit for a service to index one table, in seconds. */
const indexSeconds = 1800

const name = 'vector_idx'

/**
 * Status codes of a service that does not support an index of this kind. Any other status is an
 * error.
 */
const refusals = ['400', '404', '405', '422', '501']

/**
 * Makes a service index the vectors of a table, with the first kind of index that it supports, and
 * waits for it. If no index is built, og uses exact search, and a warning gives the reason.
 * @returns the kind of the index; null if there is none
 */
async function buildServedIndex(
  table: Table,
  { parts, place, warn }: { parts: number; place: string; warn: (line: string) => void },
): Promise<string | null> {
  const { Index } = await loadLance()
  // For a catalog, LanceDB builds the index on this machine.
  const options = { ...trainingOptions, numPartitions: parts }
  const kinds = [
    { kind: 'IVF_RQ', config: Index.ivfRq({ ...options, numBits: 1 }) },
    { kind: 'IVF_PQ', config: Index.ivfPq(options) },
  ]
  const none = (why: string) => {
    warn(`${place} has no index of the vectors of ${table.name}: ${why}; exact search is used`)
    return null
  }
  for (const { kind, config } of kinds) {
    const status = await table.createIndex('vector', { config, name }).then(() => null, refusal)
    if (status !== null) continue
    const isBuilt = await table.waitForIndex([name], indexSeconds).then(() => true, untilLate)
    return isBuilt ? kind : none(`it takes longer than ${indexSeconds} s`)
  }
  return none('it builds none of the kinds that og asks for')
}

function refusal(error: unknown): string {
  const status = statusOf(error)
  if (status !== null && refusals.includes(status)) return status
  throw error
}

function untilLate(error: unknown): false {
  if (/^Timeout error/.exec(messageOf(error)) !== null) return false
  throw error
}
