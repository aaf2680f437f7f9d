import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { OgError } from '../../../platform/error.ts'
import { sha256 } from '../../../platform/hash.ts'
import { indexTerms } from '../../chunks/chunk-table.ts'
import { lance } from '../../lance.ts'
import { writeVectorIndex } from '../../chunks/vector-index.ts'
import { servedIndexName } from '../part.ts'
import { numbered, hostedTable } from './hosted-table.ts'
import { buildServedIndex, indexSeconds } from './served-index.ts'
import {
  connectHost,
  hostRefusal,
  isCatalog,
  type TableHostAddress,
  type HostTables,
} from './host-tables.ts'

/** The two tables of each generation, named by its id. What lies beside them is in a bucket. */
export type TableHost = {
  place: string
  /** Asks nobody. @throws OgError where its key or its address cannot be used */
  check(): Promise<void>
  open(id: string, name: TableName): Promise<Table>
  /**
   * Sends the tables of a generation's folder, over what another try may have left; how the index
   * of their vectors is to be asked is noted in the folder, where there is one.
   */
  write(path: string, id: string): Promise<void>
  drop(id: string): Promise<void>
  /** What a generation lacks there; null: nothing. */
  fault(id: string, rows: Record<TableName, number>): Promise<string | null>
}

type TableName = 'chunks' | 'pages'
const names = ['pages', 'chunks'] as const

type TableHostOptions = {
  /** As for `connectHost`. */
  storage: () => Promise<Record<string, string>>
  warn: (line: string) => void
  /** Above so many rows a service is asked for an index of their vectors. */
  indexRows?: number | undefined
}

/**
 * Asks nobody before it is used.
 * @throws OgError where there is no key, or the service refuses
 */
export function openTableHost(
  address: TableHostAddress,
  { storage, warn, indexRows: least }: TableHostOptions,
): TableHost {
  const { place } = address
  let connected: { keys: string; tables: Promise<HostTables> } | null = null
  // A catalog is given the keys of the bucket, which a role renews.
  const tables = async () => {
    const keys = isCatalog(place) ? sha256(JSON.stringify(await storage())) : ''
    if (connected?.keys !== keys) {
      const made = { keys, tables: connectHost(address, storage) }
      made.tables.catch(() => (connected = null))
      connected = made
    }
    return connected.tables
  }
  const asking = async <T>(doing: string, ask: (tables: HostTables) => Promise<T>) =>
    ask(await tables()).catch((error) => {
      throw error instanceof OgError ? error : hostRefusal(error, { place, doing })
    })
  return {
    place,
    check: async () => void (await tables()),
    open: (id, name) =>
      asking('read', async (it) => {
        const table = await it.open(tableOf(id, name))
        if (table !== null) return hostedTable(table)
        throw new OgError(`Cannot read store ${place}: table ${tableOf(id, name)} is missing`, {
          hint: 'og doctor looks at the store',
        })
      }),
    write: (path, id) =>
      asking('write', async (it) => {
        await rm(join(path, servedIndexName), { force: true })
        const local = await (await lance()).connect(path)
        for (const name of names) {
          const from = await local.openTable(name)
          const into = await send(it, from, tableOf(id, name))
          if (name === 'chunks') {
            await indexTerms(into)
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
    drop: (id) => asking('write', (it) => it.drop(names.map((name) => tableOf(id, name)))),
    fault: (id, rows) =>
      asking('read', async (it) => {
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
    const own = numbered(batch)
    const rows = { schema: own.schema, batches: [own], numRows: own.numRows }
    if (sent === null) sent = await into.create(name, rows)
    else await sent.add(rows)
  }
  if (sent === null) throw new OgError(`Cannot publish table ${name}: it has no rows`)
  // An answer that is lost has rows sent twice.
  const [nRows, nSent] = [await sent.countRows(), await from.countRows()]
  if (nRows === nSent) return sent
  throw new OgError(`Cannot publish table ${name}: it has ${nRows} rows, ${nSent} were sent`, {
    hint: 'run the command again',
  })
}
