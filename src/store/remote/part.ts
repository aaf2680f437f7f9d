import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { lance, readingSession } from '../lance.ts'
import type { Bucket } from './bucket.ts'

/** Lies in a copy without its tables, which are asked in the bucket: they exceed the cache. */
export const partName = 'without-tables'

/** How the index is asked that a service has built of the vectors; not there: it has none. */
export const servedIndexName = 'served-index.json'

export function isPart(path: string): boolean {
  return existsSync(join(path, partName))
}

/** Of a path below a generation. */
export function isInTable(path: string): boolean {
  return /^\w+\.lance\//.test(path)
}

/** LanceDB reads what it needs of the table's files where they lie. */
export async function openBucketTable(bucket: Bucket, id: string, name: string): Promise<Table> {
  const [{ connect }, session, storage] = await Promise.all([
    lance(),
    readingSession(),
    bucket.storage(),
  ])
  const database = await connect(`${bucket.place}/generations/${id}`, {
    session,
    storageOptions: storage,
  })
  return database.openTable(name)
}
