import type { Connection, Table, TableLike } from '@lancedb/lancedb'
import { messageOf, OgError } from '../../../platform/error.ts'
import { loadLance, readingSession } from '../../lance.ts'
import { parseEndpoint, isSecureEndpoint } from '../dialect/credentials.ts'

/**
 * A service that stores tables: LanceDB Cloud, LanceDB Enterprise, or a catalog with Lance's REST
 * API.
 */
export type TableHostAddress = {
  /** `db://DATABASE`, or `rest://NAMESPACE/NAMESPACE` for a catalog. */
  place: string
  /** Null for LanceDB Cloud. */
  endpoint: string | null
  /** Region of LanceDB Cloud. */
  region: string | null
  apiKey: string | undefined
  /**
   * Awaited before LanceDB is loaded, because the command may not have unpacked the native files
   * yet.
   */
  ready(): Promise<unknown>
}

/** The tables of a service, by name. Errors are LanceDB's own. */
export type HostTables = {
  open(name: string): Promise<Table | null>
  /** Replaces an existing table of that name. */
  create(name: string, rows: TableLike): Promise<Table>
  /** Drops tables and ignores missing ones; their names must be adjacent in sort order. */
  drop(names: readonly string[]): Promise<void>
}

/**
 * Connects to a service, without sending a request yet. `storage` returns the keys of the store's
 * bucket, for tables that can be read with them; a catalog may issue other keys.
 * @throws OgError if the key or the URL cannot be used
 */
export async function connectHost(
  address: TableHostAddress,
  storage: () => Promise<Record<string, string>>,
): Promise<HostTables> {
  const { place, endpoint, apiKey, ready } = address
  const host = parseEndpoint(endpoint, 'store.tables_endpoint')
  if (apiKey && host !== null && !isSecureEndpoint(host)) {
    throw new OgError('Cannot use store.tables_endpoint: a key is not sent by http')
  }
  const isUsable = /^(Bearer )?[\x21-\x7e]+$/.test(apiKey ?? '')
  const isOfCatalog = isCatalog(place)
  if (!isUsable && !(isOfCatalog && !apiKey)) throw noKey(place)
  if (isOfCatalog && host === null) {
    throw new OgError(`Cannot use store ${place}: the URL of its catalog is not set`, {
      hint: 'set store.tables_endpoint to https://HOST/PATH',
    })
  }
  await ready()
  return isOfCatalog ? catalog(address, host ?? '', await storage()) : database(address, host)
}

/** True for a catalog, whose table files are in a bucket; false for a service. */
export function isCatalog(place: string): boolean {
  return place.startsWith('rest:')
}

async function database(
  { place, region, apiKey = '' }: TableHostAddress,
  host: string | null,
): Promise<HostTables> {
  const { connect } = await loadLance()
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

/** The catalog says where the files of a table are, and LanceDB reads and writes them there. */
async function catalog(
  { place, apiKey }: TableHostAddress,
  uri: string,
  storageOptions: Record<string, string>,
): Promise<HostTables> {
  const { connectNamespace } = await loadLance()
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
    // A catalog pages its list with tokens of its own, not by name.
    async drop(names) {
      for (const name of names) await tables.drop(name).catch(unlessMissing)
    },
  }
}

type TablePlace = { path: string[]; storageOptions?: Record<string, string> }

function tablesIn(connection: Connection, { path, ...options }: TablePlace) {
  return {
    open: (name: string) => connection.openTable(name, path, options).catch(unlessMissing),
    create: (name: string, rows: TableLike) =>
      connection.createTable(name, rows, path, { mode: 'overwrite' }),
    drop: (name: string) => connection.dropTable(name, path),
  }
}

/** Matches LanceDB's own error text, which precedes the text of the service. */
function unlessMissing(error: unknown): null {
  if (/^Table '[^']*' was not found/.exec(messageOf(error)) !== null) return null
  throw error
}

function noKey(place: string): OgError {
  return new OgError(`Cannot use store ${place}: there is no key for it`, {
    hint: 'set LANCEDB_API_KEY',
  })
}

/**
 * Reports only the status, because the rest of a service's response may repeat secrets from the
 * request.
 */
export function hostRefusal(
  cause: unknown,
  { place, doing }: { place: string; doing: string },
): OgError {
  const status = statusOf(cause) ?? catalogFault(messageOf(cause))
  const why = status === null ? 'the service does not answer' : `the service answers ${status}`
  const isDenied = status !== null && deniedStatuses.includes(status)
  return new OgError(`Cannot ${doing} store ${place}: ${why}`, {
    code: isDenied ? 'denied' : 'unreachable',
    hint: isDenied ? 'LANCEDB_API_KEY has to be right and allow this' : 'try again later',
  })
}

/**
 * Returns the status of a failed request, such as `503`; null if there was no response, or for
 * another kind of error.
 */
export function statusOf(cause: unknown): string | null {
  return /\b[45]\d\d(?= [A-Z])/.exec(messageOf(cause))?.[0] ?? null
}

const deniedStatuses = ['401', '403', '"Permission denied"', '"Unauthenticated"']

/** LanceDB's name for a catalog's error number. */
function catalogFault(message: string): string | null {
  const fault = /Namespace error: ((?!Namespace error|Internal|Service un)[A-Z][a-z ]+):/.exec(
    message,
  )
  return fault && `"${fault[1]}"`
}
