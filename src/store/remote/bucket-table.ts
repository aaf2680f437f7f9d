import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { loadLance, readingSession } from '../lance.ts'
import type { Bucket } from './bucket.ts'

/**
 * Name of the file that marks a local copy without tables, because they exceed the cache and are
 * read from the bucket.
 */
export const withoutTablesMark = 'without-tables'

export function lacksTables(path: string): boolean {
  return existsSync(join(path, withoutTablesMark))
}

export function isInTable(path: string): boolean {
  return /^\w+\.lance\//.test(path)
}

/** Opens a table in the bucket. LanceDB reads only the necessary parts of its files. */
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
