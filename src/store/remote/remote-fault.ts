import { createTempFolder } from '../../platform/file/files.ts'
import { join } from 'node:path'
import { messageOf } from '../../platform/error.ts'
import { Fault } from '../integrity/damage.ts'
import { readManifest } from '../integrity/manifest.ts'
import { parseEntryFile } from '../entry-file.ts'
import type { Bucket, StoredText } from './bucket.ts'
import { isInTable } from './part.ts'

/**
 * Describes the missing parts of a generation in a bucket, by the names and sizes of its objects;
 * null if it is complete.
 */
export async function remoteFault(bucket: Bucket, id: string): Promise<string | null> {
  const below = `generations/${id}/`
  const sizes = new Map<string, number>()
  for await (const { key, size } of bucket.list(below)) sizes.set(key.slice(below.length), size)
  await using folder = await createTempFolder('og-manifest')
  const isThere = await bucket.download(`${below}manifest.json`, join(folder.path, 'manifest.json'))
  if (!isThere) return `generations/${id} is missing`
  const named = (await bucket.read(`${below}entry.json`)) as StoredText | null
  if (named === null) return 'entry.json is missing'
  try {
    const { tableHost } = bucket
    const row = parseEntryFile(named.text, id)
    if (tableHost !== null && row === null) return 'entry.json is damaged'
    const lost = row && (await tableHost?.fault(id, row.live))
    if (lost) return lost
    const all = readManifest(folder.path)?.files ?? []
    const files = tableHost === null ? all : all.filter(({ path }) => !isInTable(path))
    const other = files.find(({ path, size }) => sizes.get(path) !== size)
    if (other === undefined) return null
    const bytes = sizes.get(other.path)
    return bytes === undefined
      ? `${other.path} is missing`
      : `${other.path} has ${bytes} bytes, ${other.size} were written`
  } catch (error) {
    if (error instanceof Fault) return messageOf(error)
    throw error
  }
}
