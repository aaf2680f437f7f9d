import type { BucketServer } from './bucket-server.ts'
import type { HostServer } from './table-server.ts'
import { serveLocal } from './serve-local.ts'

/**
 * A catalog with the REST API of Lance namespaces, as the SDK of LanceDB 0.39 calls it (`rest://`).
 * It returns the locations of tables, which LanceDB then reads and writes in a bucket.
 */
export type CatalogServer = HostServer & {
  /** Keys that the catalog returns with each table, or null for none. */
  handedOut: Record<string, string> | null
}

export const catalogKey = 'ck_never-to-be-printed'

/** The error numbers of a catalog. */
const codes = { namespace: 1, table: 4, key: 16 }

export function serveCatalog(bucket: BucketServer): CatalogServer {
  const located = new Map<string, string>()
  const server = serveLocal((request) => answer(request))
  const host: CatalogServer = {
    name: 'team/docs',
    url: `http://127.0.0.1:${server.port}/lance`,
    apiKey: catalogKey,
    asked: [],
    tables: async () => [...located.keys()].sort(),
    fault: null,
    handedOut: null,
    [Symbol.asyncDispose]: () => server.stop(true),
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const asked = `${request.method} ${decodeURIComponent(pathname)} ${await request.text()}`
    host.asked.push(asked)
    const given = host.fault?.(asked)
    if (given) return given
    if (request.headers.get('x-api-key') !== catalogKey) return refused(401, codes.key)
    const delimiter = searchParams.get('delimiter') ?? '.'
    const [, id = '', doing = ''] = /^\/lance\/v1\/table\/([^/]+)\/(\w+)$/.exec(pathname) ?? []
    const path = decodeURIComponent(id).split(delimiter)
    const name = path.pop() ?? ''
    if (path.join('/') !== host.name) return refused(404, codes.namespace)
    return onTable(name, doing)
  }

  function onTable(name: string, doing: string): Response {
    const below = `tables/${name}.lance`
    const location = `${bucket.address}/${below}`
    const options = host.handedOut === null ? {} : { storage_options: host.handedOut }
    if (doing === 'declare') {
      located.set(name, location)
      return Response.json({ location, ...options })
    }
    if (!located.has(name)) return refused(404, codes.table)
    if (doing === 'describe') return Response.json({ location, ...options })
    if (doing !== 'drop') return refused(406, 0)
    located.delete(name)
    const files = [...bucket.objects.keys()].filter((key) => key.startsWith(`${below}/`))
    for (const key of files) bucket.objects.delete(key)
    return Response.json({})
  }

  return host
}

/** An error answer of a catalog; its text repeats the request. */
function refused(status: number, code: number): Response {
  return Response.json({ code, error: catalogKey, type: 'lance:fault' }, { status })
}
