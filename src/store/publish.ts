import { OgError } from '../platform/error.ts'
import { trace } from '../platform/trace.ts'
import { writeEntryFile } from './entry-file.ts'
import { hasGeneration } from './generation.ts'
import { writing } from './lance.ts'
import { changeEntries, type Entry, type Generation } from './registry.ts'
import { remoteHolderOf } from './remote/attached.ts'

/** What a row of the registry becomes: `before` is the row that it replaces, if there is one. */
type Publication = {
  before: Entry | null
  key: string
  library: string
  version: string
  live: Generation
  /** Whether what was live is damaged: then it is not kept. */
  isDamaged?: boolean
}

/**
 * The one moment at which readers change over: makes a generation the live one of its library
 * version. `choose` sees the rows as they are under the registry's lock, under which alone
 * generations are deleted. The generation that was live is kept as the one before; where it is
 * lost, or was published before all of it was embedded, the one before that.
 *
 * The row is written into the generation's own folder first (entry-file.ts), so that whatever a
 * registry names can name itself.
 *
 * The caller keeps `live` from being deleted meanwhile: by the writer's lease, or by the lock of
 * the library version where a row names it already.
 * @throws OgError where the generation is not there; then nothing is changed
 */
export async function publish(
  folder: string,
  choose: (entries: Entry[]) => Publication,
): Promise<Entry> {
  let published: Entry | undefined
  await changeEntries(folder, async (entries) => {
    const { before, isDamaged = false, ...row } = choose(entries)
    if (!hasGeneration(folder, row.live.id)) throw lost(row)
    // What a bucket alone holds has been given its row when it was made.
    if (remoteHolderOf(folder, row.live.id) === null) {
      await writing(folder, () => writeEntryFile(folder, row))
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
      'by somebody else; nothing was changed',
    { hint: 'run the command again' },
  )
}
