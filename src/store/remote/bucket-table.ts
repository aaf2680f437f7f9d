import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { loadLance, readingSession } from '../lance.ts'
import type { Bucket } from './bucket.ts'

/** Marks a local copy without its tables, which exceed the cache and are read from the bucket. */
export const withoutTablesMark = 'without-tables'

/** Describes how to query the vector index that a service has built; missing if there is none. */
export const servedIndexName = 'served-index.json'

export function lacksTables(path: string): boolean {
  return existsSync(join(path, withoutTablesMark))
}

/** True for a path, relative to a generation, inside a table. */
export function isInTable(path: string): boolean {
  return /^\w+\.lance\//.test(path)
}

/** Opens a table in the bucket; LanceDB reads only the parts of its files that it needs. */
export async function openBucketTable(bucket: Bucket, id: string, name: string): Promise<Table> {
  const [{ connect }, session, storage] = await Promise.all([
    loadLance(),
    readingSession(),
    bucket.storage(),
  ])
  const database = await connect(`${bucket.place}/generations/${id}`, {
    session,
    storageOptions: storage,
  })
  return database.openTable(name)
}
