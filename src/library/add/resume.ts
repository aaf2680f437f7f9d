import { OgError } from '../../platform/error.ts'
import { publish } from '../../store/publish.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import { pickEntries, pickEntry } from '../../version/pick.ts'
import { noProgress, type AddProgress, type AddResult } from '../library.ts'
import { lockEntry } from '../lock.ts'
import type { Opened } from '../opened.ts'
import { gapReason } from '../incomplete.ts'
import { openBefore, type Before } from './before.ts'
import { embedTheRest, lacksEmbeddings, type Publishing } from './follow.ts'
import { rebuildFromPages } from './reembed.ts'
import { outcomeOf, type UpdateOutcome, type UpdateRequest } from './update.ts'

export type ResumeRequest =
  Pick<UpdateRequest, 'library' | 'version' | 'lockTimeoutMs' | 'onProgress' | 'signal'>

/**
 * Goes on with library versions that were published before all of them was embedded: of one
 * library or version, or of all. Nothing is fetched. One that fails does not keep the next from
 * its turn.
 * @throws OgError where the library or version is not indexed, and when interrupted
 */
export async function* resumeLibraries(
  opened: Opened,
  request: ResumeRequest,
): AsyncGenerator<UpdateOutcome> {
  for (const entry of unfinished(await readEntries(opened.folder), request)) {
    const outcome = await outcomeOf(entry, () => resume(opened, entry, request))
    request.signal?.throwIfAborted()
    yield outcome
  }
}

function unfinished(
  entries: Entry[], { library, version }: Pick<ResumeRequest, 'library' | 'version'>,
): Entry[] {
  const any = library === null ? null : pickEntry(entries, { library, version })
  const named = version === null ? entries : pickEntries(entries, { library, version })
  return named.filter(({ key, live }) =>
    live.embedded !== undefined && (any === null || key === any.key))
}

async function resume(
  opened: Opened,
  named: Entry,
  request: ResumeRequest,
): Promise<AddResult> {
  const { library, version } = named
  const started = performance.now()
  const progress: AddProgress = { ...noProgress, version, phase: 'embedding', isSearchable: true }
  using locked = await lockEntry(opened.folder, named, { progress, request })
  const { entry, report } = locked
  report({ phase: 'embedding', pages: entry.live.pages })
  const done = entry.live.embedded === undefined
    ? { live: entry.live, embedded: 0 }
    : await embedEntry(opened, entry, { report, signal: request.signal })
  const { pages, chunks } = done.live
  return {
    library,
    version,
    status: entry.live.embedded === undefined ? 'unchanged' : 'updated',
    pages,
    chunks,
    embedded: done.embedded,
    diff: { added: 0, modified: 0, deleted: 0, unchanged: pages },
    skipped: [],
    failed: [],
    kept: 0,
    incomplete: gapReason(done.live),
    seconds: (performance.now() - started) / 1000,
  }
}

type Steps = { report(step: Partial<AddProgress>): void; signal: AbortSignal | undefined }

/** Where settings or og have changed since it was cut, its stored pages are cut anew. */
async function embedEntry(
  opened: Opened,
  entry: Entry,
  { report, signal }: Steps,
): Promise<{ live: Generation; embedded: number }> {
  using before: Before = await openBefore(opened, entry)
  if (before.kind === 'update' && lacksEmbeddings(opened, before)) {
    const publishing: Publishing = {
      signal, onProgress: report, publish: (live) => replace(opened.folder, entry, live),
    }
    const embedded = await embedTheRest(opened, before, { record: entry.live, ...publishing })
    return { live: entry.live, embedded }
  }
  const rebuilt = await rebuildFromPages(opened, entry, { report, request: { signal } })
  if (rebuilt !== null) return rebuilt
  throw new OgError(
    `Cannot embed the rest of library "${entry.library}" version "${entry.version}": ` +
      'its pages cannot be read',
    { hint: 'run og doctor; og update reads its source again' },
  )
}

async function replace(folder: string, { key, version }: Entry, live: Generation): Promise<void> {
  await publish(folder, (entries) => {
    const before = entries.find((it) => it.key === key && it.version === version)
    if (before !== undefined) return { ...before, before, live }
    // Only by somebody who edits the registry by hand: this run has the version's lock.
    throw new OgError(`Cannot publish library "${key}" version "${version}": it is gone`)
  })
}
