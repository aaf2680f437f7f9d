import { createTempFolder } from '../../../src/platform/file/files.ts'
import { join } from 'node:path'
import type { Remote } from '../../../src/store/remote/attached.ts'
import { openRemote } from '../../../src/store/remote/open-remote.ts'
import { serveBucket, type BucketServer } from './bucket-server.ts'
import { serveTables, type TableServer } from './table-server.ts'

/** Machines with one store whose tables a service keeps. */
export type ServedStores = AsyncDisposable & {
  bucket: BucketServer
  host: TableServer
  machine(name: string, apiKey?: string): Promise<Remote>
}

export async function openServedStores(): Promise<ServedStores> {
  const temp = await createTempFolder('og served')
  const bucket = serveBucket()
  const host = await serveTables()
  const { address, access } = bucket
  return {
    bucket,
    host,
    machine: (name, apiKey = host.apiKey) => {
      const cachePath = join(temp.path, name)
      const place = `db://${host.name}`
      const ready = async () => {}
      const asked = { place, endpoint: host.url, region: null, apiKey, ready }
      return openRemote(
        { address, cachePath, access, cacheBytes: 1e9, warn() {}, tableHost: asked },
        { backoffMs: 1, ageMs: 0 },
      )
    },
    async [Symbol.asyncDispose]() {
      bucket[Symbol.dispose]()
      await host[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}
