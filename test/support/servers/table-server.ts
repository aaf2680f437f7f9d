import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Index, Query, Table, TableLike, VectorQuery } from '@lancedb/lancedb'
import type { DataType, Field } from 'apache-arrow'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { fileOfStream } from './arrow-file.ts'

/** A server on loopback next to a bucket that stores its tables, or returns their locations. */
export type HostServer = AsyncDisposable & {
  /** Name and address of its database or namespace. */
  name: string
  url: string
  apiKey: string
  /** `METHOD path body` of each request; for uploaded tables, the body is the number of bytes. */
  asked: string[]
  /** Returns the names of the server's tables. */
  tables(): Promise<string[]>
  /** Answers instead of the server. If this or its result is null, the server answers. */
  fault: ((asked: string) => Response | null) | null
}

/**
 * A table service as the SDK of LanceDB 0.39 calls it (`db://`): it supports the requests that og
 * causes, and answers them with LanceDB from a folder.
 */
export type TableServer = HostServer & {
  /** The server stores rows sent into a new table twice, as after a lost response. */
  isTwice: boolean
  /** The server's vector index finds only some of the rows. */
  isBlind: boolean
  /** Changes rows in each table of that name and gives them new numbers; null deletes the rows. */
  change(name: string, wish: Change): Promise<void>
}

type Inner = {
  createTable(name: string, file: Buffer, mode: string, namespace: string[]): Promise<void>
}

type Change = { where: string; values: Record<string, string> | null }

/** LanceDB's own copy of Arrow, because only it recognises its batches. */
const { tableToIPC } = createRequire(import.meta.url)('apache-arrow')

export const apiKey = 'sk_never-to-be-printed'

export async function serveTables(): Promise<TableServer> {
  const temp = await createTempFolder('og tables')
  const { connect } = await loadLance()
  const database = await connect(temp.path)
  const inbox = await connect(join(temp.path, 'inbox'))
  /** The buffers are compressed; LanceDB can read them, but Arrow's JavaScript cannot. */
  const received = async (stream: Uint8Array): Promise<TableLike> => {
    const { inner } = inbox as unknown as { inner: Inner }
    await inner.createTable('rows', fileOfStream(stream), 'overwrite', [])
    return (await inbox.openTable('rows')).query().toArrow()
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch: (request) => answer(request),
  })
  const host: TableServer = {
    name: 'docs',
    url: `http://127.0.0.1:${server.port}`,
    apiKey,
    asked: [],
    tables: () => database.tableNames(),
    fault: null,
    isTwice: false,
    isBlind: false,
    async change(kind, { where, values }) {
      for (const name of (await database.tableNames()).filter((it) => it.endsWith(kind))) {
        const table = await database.openTable(name)
        if (values === null) await table.delete(where)
        else await table.update({ where, valuesSql: { og_row: 'og_row', ...quoted(values) } })
      }
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      await temp[Symbol.asyncDispose]()
    },
  }

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname
    const body = new Uint8Array(await request.arrayBuffer())
    const isRows = request.headers.get('content-type')?.includes('arrow')
    const text = isRows ? `${body.length} bytes` : new TextDecoder().decode(body)
    const asked = `${request.method} ${path} ${text}`
    host.asked.push(asked)
    const given = host.fault?.(asked) ?? (await served(request, { body, text }).catch(failed))
    given.headers.set('phalanx-version', '0.4.0')
    return given
  }

  async function served(
    { url, method, headers }: Request,
    { body, text }: { body: Uint8Array; text: string },
  ): Promise<Response> {
    if (headers.get('x-api-key') !== apiKey) return Response.json({ error: 'no' }, { status: 401 })
    if (headers.get('x-lancedb-database') !== host.name) return missing('database')
    const { pathname, searchParams } = new URL(url)
    const [, name = '', doing = ''] = /^\/v1\/table\/([\w.-]+)\/(.*?)\/?$/.exec(pathname) ?? []
    if (method === 'GET') {
      const after = searchParams.get('page_token') ?? ''
      const tables = (await database.tableNames()).filter((it) => it > after)
      return Response.json({ tables: tables.slice(0, Number(searchParams.get('limit') ?? 10)) })
    }
    if (doing === 'create') {
      const mode = searchParams.get('mode') === 'overwrite' ? 'overwrite' : 'create'
      const table = await database.createTable(name, await received(body), { mode })
      if (host.isTwice) await table.add(await received(body))
      return Response.json({ version: 1 })
    }
    if (!(await database.tableNames()).includes(name)) return missing('table')
    if (doing === 'drop') return database.dropTable(name).then(() => Response.json({}))
    const table = await database.openTable(name)
    if (doing === 'insert') return Response.json(await table.add(await received(body)))
    const request: Asked = text === '' ? {} : JSON.parse(text)
    const isCut = host.isBlind && request.refine_factor != null && !request.bypass_vector_index
    return onTable(table, doing, isCut ? { ...request, filter: 'og_row > 300' } : request)
  }

  return host
}

function quoted(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, it]) => [name, `'${it}'`]))
}

async function onTable(table: Table, doing: string, asked: Asked): Promise<Response> {
  if (doing === 'describe') {
    const { fields } = await table.schema()
    return Response.json({ version: await table.version(), schema: { fields: fields.map(told) } })
  }
  if (doing === 'count_rows') return Response.json(await table.countRows(asked.predicate))
  if (doing === 'create_index') {
    const config = await (asked.index_type === 'FTS' ? fullTextOf : vectorsOf)(asked)
    await table.createIndex(asked.column!, { config })
    return Response.json({})
  }
  if (doing === 'index/list') {
    const indexes = (await table.listIndices()).map(({ name, columns }) => ({
      index_name: name,
      index_uuid: name,
      columns,
      index_status: 'done',
    }))
    return Response.json({ indexes })
  }
  const stats = /^index\/(\w+)\/stats$/.exec(doing)?.[1]
  if (stats !== undefined) {
    const { numIndexedRows, numUnindexedRows, indexType } = (await table.indexStats(stats))!
    return Response.json({
      num_indexed_rows: numIndexedRows,
      num_unindexed_rows: numUnindexedRows,
      index_type: indexType,
      distance_type: indexType === 'FTS' ? null : 'dot',
    })
  }
  if (doing === 'query') return rows(table, asked)
  return missing(doing)
}

/** The requests that og makes to a table, in the format of the SDK. */
type Asked = {
  predicate?: string
  column?: string
  index_type?: string
  base_tokenizer?: string
  max_token_length?: number
  num_partitions?: number
  num_bits?: number
  columns?: string[]
  filter?: string
  k?: number
  with_row_id?: boolean
  vector?: number[]
  distance_type?: 'dot'
  nprobes?: number
  refine_factor?: number
  bypass_vector_index?: boolean
  full_text_query?: { query: { match: { terms: string; column: string; operator: string } } }
}

async function fullTextOf(asked: Asked): Promise<Index> {
  const { Index } = await loadLance()
  return Index.fts({
    baseTokenizer: asked.base_tokenizer as 'whitespace',
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    withPosition: false,
    maxTokenLength: asked.max_token_length!,
  })
}

async function vectorsOf({ index_type: kind, num_partitions, num_bits }: Asked): Promise<Index> {
  const { Index } = await loadLance()
  const options = { numPartitions: num_partitions!, distanceType: 'dot' } as const
  if (kind === 'IVF_RQ') return Index.ivfRq({ ...options, numBits: num_bits! })
  if (kind === 'IVF_PQ') return Index.ivfPq(options)
  throw new Error(`${kind} is not asked for by og`)
}

async function rows(table: Table, asked: Asked): Promise<Response> {
  const { columns, filter, k = 0, full_text_query: text, vector = [] } = asked
  let query = table.query()
  if (filter !== undefined) query = query.where(filter)
  if (columns !== undefined) query = query.select(columns)
  if (asked.with_row_id) query = query.withRowId()
  if (k < 1e9) query = query.limit(k)
  if (text !== undefined) {
    const { MatchQuery, Operator } = await loadLance()
    const { terms, column, operator } = text.query.match
    const isAll = operator === 'And'
    const options = { operator: isAll ? Operator.And : Operator.Or }
    query = query.fullTextSearch(new MatchQuery(terms, column, options))
  }
  const answered = vector.length === 0 ? query : nearestOf(query, asked)
  const bytes = tableToIPC(await answered.toArrow(), 'file')
  return new Response(bytes, { headers: { 'content-type': 'application/vnd.apache.arrow.file' } })
}

function nearestOf(query: Query, asked: Asked): VectorQuery {
  const near = query.nearestTo(asked.vector!).distanceType(asked.distance_type ?? 'l2')
  if (asked.bypass_vector_index) return near.bypassVectorIndex()
  return near.nprobes(asked.nprobes!).refineFactor(asked.refine_factor!)
}

/** Describes a field of a schema in the JSON of the service. */
function told({ name, nullable, type }: Field<DataType>): object {
  const kind = String(type)
  const list = /^FixedSizeList\[(\d+)\]/.exec(kind)
  const simple: Record<string, string> = { Utf8: 'string', Int32: 'int32', Uint64: 'uint64' }
  const json =
    list === null
      ? { type: simple[kind] ?? kind.toLowerCase() }
      : {
          type: 'fixed_size_list',
          length: Number(list[1]),
          fields: [{ name: 'item', nullable: true, type: { type: 'float' } }],
        }
  return { name, nullable, type: json }
}

function missing(what: string): Response {
  return Response.json({ error: `no such ${what}` }, { status: 404 })
}

function failed(error: unknown): Response {
  return Response.json({ error: String(error) }, { status: 500 })
}
