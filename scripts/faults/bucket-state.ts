import { sha256 } from '../../src/platform/hash.ts'
import { parseRegistry } from '../../src/store/registry-text.ts'
import type { BucketServer } from '../../test/support/servers/bucket-server.ts'

/** The rows that readers of a bucket see: the id of each library's live generation. */
export type Rows = ReadonlyMap<string, string>

/**
 * Returns the rows of the bucket's registry. Every generation that it names must exist, byte for
 * byte. @throws Error with the lost or mixed generation
 */
export function rowsOf({ objects }: BucketServer): Rows {
  const stored = objects.get('registry.json')
  if (stored === undefined) return new Map()
  const { entries } = parseRegistry(new TextDecoder().decode(stored.body), 'registry.json')
  const rows = new Map<string, string>()
  for (const { library, live, previous } of entries) {
    if (rows.has(library)) throw new Error(`${library} stands there twice`)
    rows.set(library, live.id)
    for (const id of [live.id, previous?.id]) {
      const fault = id === undefined ? null : faultOf(objects, id)
      if (fault !== null) throw new Error(`${library}: generations/${id}: ${fault}`)
    }
  }
  return rows
}

function faultOf(objects: BucketServer['objects'], id: string): string | null {
  const body = (name: string) => objects.get(`generations/${id}/${name}`)?.body
  const manifest = body('manifest.json')
  if (manifest === undefined || !body('entry.json')) return 'not whole'
  const { files } = JSON.parse(new TextDecoder().decode(manifest))
  for (const { path, size, sha256: sum } of files) {
    const found = body(path)
    if (found?.length !== size || sha256(found!) !== sum)
      return `${path} has changed since it was written`
  }
  return null
}

/** Makes every lock an hour old, so that its holder is considered dead. */
export function expireLocks({ objects }: BucketServer): void {
  for (const [key, object] of objects) {
    if (key.startsWith('locks/')) objects.set(key, { ...object, modified: object.modified - 3.6e6 })
  }
}
