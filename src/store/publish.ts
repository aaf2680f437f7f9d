import { OgError } from '../platform/error.ts'
import { trace } from '../platform/trace.ts'
import { writeEntryFile } from './entry-file.ts'
import { hasGeneration } from './generation.ts'
import { withWriteErrors } from './lance.ts'
import { changeEntries, type Entry, type Generation } from './registry.ts'
import { bucketWithOnlyCopy } from './remote-bucket.ts'

type Publication = {
  before: Entry | null
  key: string
  library: string
  version: string
  live: Generation
  /** True if the live generation is damaged and must not become the previous one. */
  isDamaged?: boolean
}

/**
 * Makes a generation the live one of its library version. Readers then switch to it. Calls `choose`
 * with the rows under the registry lock, which is also required for deleting generations. The
 * replaced generation becomes the previous one. The existing previous one stays if the replaced
 * generation is lost or was not fully embedded when published.
 *
 * First writes the row into the generation's own folder (entry-file.ts), so that every generation
 * in the registry can identify itself.
 *
 * Until then, the caller must protect `live` from deletion: by the writer's lease, or by the lock
 * of the library version if a row already references it.
 * @throws OgError if the generation does not exist; nothing has changed then
 */
export async function publish(
  folder: string,
  choose: (entries: Entry[]) => Publication,
): Promise<Entry> {
  let published: Entry | undefined
  await changeEntries(folder, async (entries) => {
    const { before, isDamaged = false, ...row } = choose(entries)
    if (!hasGeneration(folder, row.live.id)) throw lost(row)
    // A generation that exists only in the bucket got its row when it was created.
    if (bucketWithOnlyCopy(folder, row.live.id) === null) {
      await withWriteErrors(folder, () => writeEntryFile(folder, row))
    }
    published = { ...row, previous: previousOf(folder, before, { live: row.live, isDamaged }) }
    const others = entries.filter((entry) => entry !== before)
    const at = before === null ? others.length : entries.indexOf(before)
    return others.toSpliced(at, 0, published)
  })
  trace('publish generation', { id: published!.live.id })
  return published!
}

function previousOf(
  folder: string,
  before: Entry | null,
  { live, isDamaged }: { live: Generation; isDamaged: boolean },
): Generation | null {
  if (before === null) return null
  const isThere = (it: Generation | null) => it && it.id !== live.id && hasGeneration(folder, it.id)
  const isKept = !isDamaged && before.live.embedded === undefined
  return [isKept ? before.live : null, before.previous].find(isThere) ?? null
}

function lost({ library, version, live }: Omit<Publication, 'before' | 'isDamaged'>): OgError {
  return new OgError(
    `Cannot publish library "${library}" version "${version}": generation ${live.id} was deleted ` +
      'by another process; nothing was changed',
    { hint: 'run the command again' },
  )
}
