import type { Connection, Table } from '@lancedb/lancedb'
import { messageOf, OgError } from '../../../platform/error.ts'
import { once } from '../../../platform/once.ts'
import { indexTerms } from '../../chunks/chunk-table.ts'
import { lance } from '../../lance.ts'
import { checkedEndpoint, isSealed } from '../dialect/credentials.ts'
import { numbered, hostedTable } from './hosted-table.ts'

/** A service that keeps tables: LanceDB Cloud, Enterprise. */
export type TableHostAddress = {
  /** `db://DATABASE`. */
  place: string
  /** null: LanceDB Cloud. */
  endpoint: string | null
  /** Of LanceDB Cloud. */
  region: string | null
  apiKey: string | undefined
  /** Awaited before LanceDB is loaded: not every command has made its native files by then. */
  ready(): Promise<unknown>
}

/** The two tables of each generation, named by its id. What lies beside them is in a bucket. */
export type TableHost = {
  place: string
  open(id: string, name: TableName): Promise<Table>
  /** Sends the tables of a generation's folder, over what another try may have left. */
  write(path: string, id: string): Promise<void>
  drop(id: string): Promise<void>
  /** What a generation lacks there; null: nothing. */
  fault(id: string, rows: Record<TableName, number>): Promise<string | null>
}

type TableName = 'chunks' | 'pages'
const names = ['pages', 'chunks'] as const

/** So long a service may take to index one table, seconds. */
const indexSeconds = 1800

/** Asks nobody before it is used. @throws OgError where there is no key, or the service refuses */
export function openTableHost(address: TableHostAddress): TableHost {
  const { place, endpoint, region, apiKey } = address
  const database = once(async (): Promise<Connection> => {
    if (!apiKey || !/^[\x21-\x7e]+$/.test(apiKey)) throw noKey(place)
    const host = checkedEndpoint(endpoint, 'store.tables_endpoint')
    if (host !== null && !isSealed(host)) {
      throw new OgError('Cannot use store.tables_endpoint: a key is not sent by http')
    }
    await address.ready()
    const { connect } = await lance()
    return connect(place, {
      apiKey, ...(region === null ? {} : { region }),
      ...(host === null ? {} : { hostOverride: host }),
    })
  })
  const asking = async <T>(doing: string, ask: (database: Connection) => Promise<T>) =>
    ask(await database()).catch((error) => {
      throw error instanceof OgError ? error : refusal(error, { place, doing })
    })
  return {
    place,
    open: (id, name) =>
      asking('read', async (it) => hostedTable(await it.openTable(tableOf(id, name)))),
    write: (path, id) =>
      asking('write', async (it) => {
        const local = await (await lance()).connect(path)
        for (const name of names) {
          const from = await local.openTable(name)
          const into = await send(it, from, tableOf(id, name))
          if (name === 'chunks') {
            await indexTerms(into)
            await into.waitForIndex(['terms_idx'], indexSeconds)
          }
          from.close()
          into.close()
        }
        local.close()
      }),
    drop: (id) =>
      asking('write', async (it) => {
        const there = await tablesOf(it, id)
        for (const name of names) {
          if (there.has(tableOf(id, name))) await it.dropTable(tableOf(id, name))
        }
      }),
    fault: (id, rows) =>
      asking('read', async (it) => {
        const there = await tablesOf(it, id)
        for (const name of names) {
          const own = tableOf(id, name)
          if (!there.has(own)) return `table ${own} of ${place} is missing`
          const table = await it.openTable(own)
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

async function send(into: Connection, from: Table, name: string): Promise<Table> {
  let sent: Table | null = null
  for await (const batch of from.query().withRowId()) {
    const own = numbered(batch)
    const rows = { schema: own.schema, batches: [own], numRows: own.numRows }
    if (sent === null) sent = await into.createTable(name, rows, { mode: 'overwrite' })
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

/** Those of a generation that are there: by name they follow one another. */
async function tablesOf(database: Connection, id: string): Promise<Set<string>> {
  return new Set(await database.tableNames({ startAfter: `og_${id}_`, limit: names.length }))
}

function noKey(place: string): OgError {
  return new OgError(`Cannot use store ${place}: there is no key for it`, {
    hint: 'set LANCEDB_API_KEY',
  })
}

/** By the status alone: what else a service answers may repeat what it was sent. */
function refusal(cause: unknown, { place, doing }: { place: string; doing: string }): OgError {
  const status = statusOf(cause)
  const why = status === null ? 'the service does not answer' : `the service answers ${status}`
  const isDenied = status === '401' || status === '403'
  return new OgError(`Cannot ${doing} store ${place}: ${why}`, {
    code: isDenied ? 'denied' : 'unreachable',
    hint: isDenied ? 'LANCEDB_API_KEY has to be right and allow this' : 'try again later',
  })
}

function statusOf(error: unknown): string | null {
  return /\b[45]\d\d(?= [A-Z])/.exec(messageOf(error))?.[0] ?? null
}
