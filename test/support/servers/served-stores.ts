import { createTempFolder } from '../../../src/platform/file/files.ts'
import { join } from 'node:path'
import type { RemoteBucket } from '../../../src/store/remote/remote-bucket.ts'
import { openRemote, type RemoteOptions } from '../../../src/store/remote/open-remote.ts'
import { skipProbe } from '../remotes.ts'
import { serveBucket, type BucketServer } from './bucket-server.ts'
import { serveCatalog, type CatalogServer } from './catalog-server.ts'
import { serveTables, type TableServer } from './table-server.ts'

/** Machines with one store in tables of a service: `db://`, or `rest://` of a catalog. */
export type ServedStores<Host> = AsyncDisposable & {
  bucket: BucketServer
  host: Host
  place: string
  machine(name: string, apiKey?: string): Promise<RemoteBucket>
  /** Warnings of the machines. */
  warned: string[]
}

type Hosts = { db: TableServer; rest: CatalogServer }

const hosts: { [Kind in keyof Hosts]: (bucket: BucketServer) => Promise<Hosts[Kind]> } = {
  db: serveTables,
  rest: async (bucket) => serveCatalog(bucket),
}

export async function openServedStores<Kind extends keyof Hosts>(
  kind: Kind,
  { indexRows }: Pick<RemoteOptions, 'indexRows'> = {},
): Promise<ServedStores<Hosts[Kind]>> {
  const temp = await createTempFolder('og served')
  const bucket = serveBucket()
  const host = await hosts[kind](bucket)
  const { address, access } = bucket
  const place = `${kind}://${host.name}`
  const warned: string[] = []
  const warn = (line: string) => void warned.push(line)
  return {
    bucket,
    host,
    warned,
    place,
    machine: async (name, apiKey = host.apiKey) => {
      const cachePath = join(temp.path, name)
      const ready = async () => {}
      const asked = { place, endpoint: host.url, region: null, apiKey, ready }
      const remote = await openRemote(
        { address, cachePath, access, cacheBytes: 1e9, warn, tableHost: asked },
        { backoffMs: 1, ageMs: 0, ...(indexRows ? { indexRows } : {}) },
      )
      skipProbe(remote)
      return remote
    },
    async [Symbol.asyncDispose]() {
      bucket[Symbol.dispose]()
      await host[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}
