import type { SourceEvent } from '../source.ts'

/** Ids of a repository's blobs by path. */
type Entries = ReadonlyMap<string, { objectId: string }>

/** A page event with a validator: the id of its own blob, and those of the files it includes. */
export function withBlobIds(event: SourceEvent, objectId: string, entries: Entries): SourceEvent {
  if (event.type !== 'page') return event
  const { includes = [] } = event
  if (includes.length === 0) return { ...event, validator: objectId }
  const included = includes.map((path) => [path, entries.get(path)?.objectId ?? ''])
  return { ...event, validator: JSON.stringify([objectId, Object.fromEntries(included)]) }
}

/** Whether a page with this validator would be parsed from the same blobs again. */
export function hasSameBlobs(
  validator: string | undefined,
  objectId: string,
  entries: Entries,
): boolean {
  if (!validator?.startsWith('[')) return validator === objectId
  const [own, included]: [string, Record<string, string>] = JSON.parse(validator)
  return own === objectId &&
    Object.entries(included).every(([path, id]) => (entries.get(path)?.objectId ?? '') === id)
}
