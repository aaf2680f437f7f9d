import type { Connection, Table, TableLike } from '@lancedb/lancedb'
import { messageOf, OgError } from '../../../platform/error.ts'
import { lance, readingSession } from '../../lance.ts'
import { checkedEndpoint, isSealed } from '../dialect/credentials.ts'

/** A service that keeps tables: LanceDB Cloud, Enterprise, a catalog with the REST API of Lance. */
export type TableHostAddress = {
  /** `db://DATABASE`; `rest://NAMESPACE/NAMESPACE` in a catalog. */
  place: string
  /** null: LanceDB Cloud. */
  endpoint: string | null
  /** Of LanceDB Cloud. */
  region: string | null
  apiKey: string | undefined
  /** Awaited before LanceDB is loaded: not every command has made its native files by then. */
  ready(): Promise<unknown>
}

/** Its tables, by name. Errors are LanceDB's own. */
export type HostTables = {
  /** null: there is none of that name. */
  open(name: string): Promise<Table | null>
  /** In place of what has that name. */
  create(name: string, rows: TableLike): Promise<Table>
  /** Those that are there of names that follow one another. */
  drop(names: readonly string[]): Promise<void>
}

/**
 * Asks nobody yet. `storage`: the keys of the bucket beside, for tables that lie where these are
 * good; a catalog may hand out others.
 * @throws OgError where the key or the address cannot be used
 */
export async function connectHost(
  address: TableHostAddress,
  storage: () => Promise<Record<string, string>>,
): Promise<HostTables> {
  const { place, endpoint, apiKey, ready } = address
  const host = checkedEndpoint(endpoint, 'store.tables_endpoint')
  if (apiKey && host !== null && !isSealed(host)) {
    throw new OgError('Cannot use store.tables_endpoint: a key is not sent by http')
  }
  const isUsable = /^(Bearer )?[\x21-\x7e]+$/.test(apiKey ?? '')
  const isOfCatalog = isCatalog(place)
  if (!isUsable && !(isOfCatalog && !apiKey)) throw noKey(place)
  if (isOfCatalog && host === null) {
    throw new OgError(`Cannot use store ${place}: nothing says where its catalog is`, {
      hint: 'store.tables_endpoint names it: https://HOST/PATH',
    })
  }
  await ready()
  return isOfCatalog ? catalog(address, host ?? '', await storage()) : database(address, host)
}

/** Whether a catalog keeps the tables, whose files lie in a bucket; else a service does. */
export function isCatalog(place: string): boolean {
  return place.startsWith('rest:')
}

async function database(
  { place, region, apiKey = '' }: TableHostAddress,
  host: string | null,
): Promise<HostTables> {
  const { connect } = await lance()
  const connection = await connect(place, {
    apiKey,
    ...(region === null ? {} : { region }),
    ...(host === null ? {} : { hostOverride: host }),
  })
  const tables = tablesIn(connection, { path: [] })
  return {
    ...tables,
    async drop(names) {
      const [first = ''] = names.toSorted()
      const startAfter = first.slice(0, -1)
      const there = new Set(await connection.tableNames({ startAfter, limit: names.length }))
      for (const name of names) if (there.has(name)) await tables.drop(name)
    },
  }
}

/** It says where the files of a table lie, and LanceDB reads and writes them there. */
async function catalog(
  { place, apiKey }: TableHostAddress,
  uri: string,
  storageOptions: Record<string, string>,
): Promise<HostTables> {
  const { connectNamespace } = await lance()
  const headers: Record<string, string> = !apiKey
    ? {}
    : apiKey.startsWith('Bearer ')
      ? { Authorization: apiKey }
      : { 'x-api-key': apiKey }
  const session = await readingSession()
  const connection = await connectNamespace('rest', { uri, headers }, { session, storageOptions })
  const path = place.replace(/^rest:\/\//, '').split('/')
  const tables = tablesIn(connection, { path, storageOptions })
  return {
    ...tables,
    // Where a list begins a catalog tells by tokens of its own, not by names.
    async drop(names) {
      for (const name of names) await tables.drop(name).catch(unlessMissing)
    },
  }
}

type TablePlace = { path: string[]; storageOptions?: Record<string, string> }

/** A table that is opened does not inherit the options of a catalog's connection. */
function tablesIn(connection: Connection, { path, ...options }: TablePlace) {
  return {
    open: (name: string) => connection.openTable(name, path, options).catch(unlessMissing),
    create: (name: string, rows: TableLike) =>
      connection.createTable(name, rows, path, { mode: 'overwrite' }),
    drop: (name: string) => connection.dropTable(name, path),
  }
}

/** By LanceDB's word for it; the service's own comes after it. */
function unlessMissing(error: unknown): null {
  if (/^Table '[^']*' was not found/.exec(messageOf(error)) !== null) return null
  throw error
}

function noKey(place: string): OgError {
  return new OgError(`Cannot use store ${place}: there is no key for it`, {
    hint: 'set LANCEDB_API_KEY',
  })
}

/** By its status alone: what else a service answers may repeat what it was sent. */
export function hostRefusal(
  cause: unknown,
  { place, doing }: { place: string; doing: string },
): OgError {
  const status = statusOf(cause) ?? faultNamed(messageOf(cause))
  const why = status === null ? 'the service does not answer' : `the service answers ${status}`
  const isDenied = status !== null && denied.includes(status)
  return new OgError(`Cannot ${doing} store ${place}: ${why}`, {
    code: isDenied ? 'denied' : 'unreachable',
    hint: isDenied ? 'LANCEDB_API_KEY has to be right and allow this' : 'try again later',
  })
}

/** Of an answer that is none, as `503`; null: there was no answer, or another kind of fault. */
export function statusOf(cause: unknown): string | null {
  return /\b[45]\d\d(?= [A-Z])/.exec(messageOf(cause))?.[0] ?? null
}

const denied = ['401', '403', '"Permission denied"', '"Unauthenticated"']

/** The fault that a catalog names by its number, in LanceDB's words for it. */
function faultNamed(said: string): string | null {
  const fault = /Namespace error: ((?!Namespace error|Internal|Service un)[A-Z][a-z ]+):/.exec(said)
  return fault && `"${fault[1]}"`
}
