import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fullMessageOf, OgError } from '../../platform/error.ts'
import { formatCount } from '../../platform/text/count.ts'
import { findLiveProblem, mismatchedEntryFile } from '../../store/check.ts'
import { storeContent } from '../../store/clear.ts'
import {
  forgetEntryFiles,
  publishedIds,
  readEntryFile,
  writeEntryFile,
  type EntryFile,
} from '../../store/entry-file.ts'
import { sweepGenerations } from '../../store/generation.ts'
import { changeEntries, readEntries, type Entry } from '../../store/registry.ts'
import { findEntryFileFault, findGenerationFault, repairLease } from '../../store/file-checks.ts'
import { remoteBucketOf, type RebuiltRegistry } from '../../store/remote-bucket.ts'
import { lockVersion, versionLockName } from '../lock.ts'
import type { LibraryContext } from '../library-context.ts'
import { rewritePages } from '../add/reembed.ts'
import { replaceVersion, entryLocker, unchangedState } from '../add/replace-version.ts'
import { updateEntry } from '../add/update.ts'
import { deleteCopy } from '../../store/remote/local-copies.ts'

export type RepairReport = { line: string; ok: boolean }

type RepairOptions = { lockTimeoutMs: number; signal?: AbortSignal }

/**
 * Rebuilds a lost or damaged registry from the generations' entry files. Then rebuilds each damaged
 * library version from its stored pages if they are intact, and otherwise from its source. Leaves
 * intact versions unchanged.
 * @throws OgError if the store was written by a newer og, or the folder is not a store
 */
export async function* repairStore(
  context: LibraryContext,
  options: RepairOptions,
): AsyncGenerator<RepairReport> {
  const { folder } = context
  const remote = remoteBucketOf(folder)
  const made = remote === null ? await rebuildRegistry(folder) : await remote.remake(entriesOf)
  if (made !== null) yield* reportRebuilt(made)
  for (const entry of await readEntries(folder)) {
    options.signal?.throwIfAborted()
    yield* repairEntry(context, entry, options)
  }
}

function* reportRebuilt({ aside, entries, unnamed }: RebuiltRegistry): Generator<RepairReport> {
  if (aside !== null) yield { line: `registry.json: kept aside as ${aside}`, ok: true }
  for (const { library, version, live, previous } of entries) {
    const before = previous === null ? '' : `, before it ${previous.id}`
    const day = live.indexedAt.slice(0, 10)
    const what = `generation ${live.id} of ${day}, ${formatCount(live.pages, 'page')}`
    yield { line: `${library} ${version}: registered again: ${what}${before}`, ok: true }
  }
  for (const id of unnamed) {
    const line =
      `generations/${id}: left out: it does not say which library it is; og add reads ` +
      'its source again, and then deletes it'
    yield { line, ok: true }
  }
  yield {
    line:
      `registry.json: rebuilt, ${entries.length} library versions; what was removed and ` +
      'not yet deleted can be back: og list shows it, og remove takes it away',
    ok: true,
  }
}

/** Rebuilds a lost registry under its lock. Returns null if the registry is readable. */
async function rebuildRegistry(folder: string): Promise<RebuiltRegistry | null> {
  if ((await storeContent(folder)).entries !== null) return null
  const name = `registry.json.damaged-${Date.now().toString(36)}`
  let aside: string | null = null
  let entries: Entry[] = []
  let live = new Set<string>()
  await changeEntries(folder, (rows) => (entries = rows), {
    async read() {
      aside = await rename(join(folder, 'registry.json'), join(folder, name)).then(
        () => name,
        (error) => {
          if (error.code === 'ENOENT') return null
          throw error
        },
      )
      const ids = await publishedIds(folder)
      const files = await Promise.all(ids.map((id) => readEntryFile(folder, id)))
      live = new Set(files.flatMap((file) => file?.live.id ?? []))
      return entriesOf(files.filter((file) => file !== null))
    },
  })
  const { generations } = await storeContent(folder)
  return { aside, entries, unnamed: generations.filter((id) => !live.has(id)) }
}

function entriesOf(files: EntryFile[]): Entry[] {
  const madeAt = ({ live }: EntryFile) => Number.parseInt(live.id.split('-')[0]!, 36)
  const groups = Map.groupBy(files, (file) => versionLockName(file))
  const entries = [...groups.values()].map((group) => {
    const [newest, before] = group.sort((a, b) => madeAt(b) - madeAt(a))
    return { ...newest!, previous: before?.live ?? null }
  })
  return entries.sort((a, b) => (`${a.key} ${a.version}` < `${b.key} ${b.version}` ? -1 : 1))
}

async function* repairEntry(
  context: LibraryContext,
  entry: Entry,
  options: RepairOptions,
): AsyncGenerator<RepairReport> {
  const { folder } = context
  const { library, version, previous } = entry
  const name = `${library} ${version}`
  if (previous !== null && (await findGenerationFault(folder, previous.id)) !== null) {
    await forgetPrevious(folder, entry, options)
    yield { line: `${name}: the previous state was damaged and has been dropped`, ok: true }
  }
  const own = await mismatchedEntryFile(folder, entry)
  if (own !== null) {
    const { key, library, version } = own
    await changeEntries(folder, (entries) =>
      entries.map((it) => (it.live.id === own.live.id ? { ...it, key, library, version } : it)),
    )
    yield { line: `${name}: its generation says ${library} ${version}; renamed to that`, ok: true }
    yield* repairEntry(context, { ...entry, key, library, version }, options)
    return
  }
  const look = () => findLiveProblem(folder, { ...entry, previous: null }, { isDeep: true })
  const problem = await look()
  if (problem === null) return
  const remote = remoteBucketOf(folder)
  if (remote !== null && (await remote.fault(entry.live.id)) === null) {
    // If only the mirror is damaged, the next check fetches the file again.
    if ((await deleteCopy(folder, entry.live.id)) && (await look()) === null) {
      yield { line: `${name}: ${problem}; copied again from ${remote.place}`, ok: true }
      return
    }
  }
  await repairLease(folder, entry.live.id).catch(() => {})
  if ((await findEntryFileFault(folder, entry.live.id)) === problem) await nameAgain(folder, entry)
  if ((await look()) === null) {
    yield { line: `${name}: ${problem}; recreated`, ok: true }
    return
  }
  const done = await rebuilt(context, entry, options).catch((error) => {
    options.signal?.throwIfAborted()
    const hint = error instanceof OgError && error.hint ? `; ${error.hint}` : ''
    return new OgError(`${fullMessageOf(error)}${hint}`)
  })
  yield done instanceof OgError
    ? { line: `${name}: ${problem}; not repaired: ${done.message}`, ok: false }
    : { line: `${name}: ${problem}; ${done}`, ok: true }
}

/** Rewrites an entry file that is older than the registry row. */
async function nameAgain(folder: string, entry: Entry): Promise<void> {
  await forgetEntryFiles(folder, [entry.live.id])
  await writeEntryFile(folder, entry)
}

async function forgetPrevious(folder: string, entry: Entry, options: RepairOptions): Promise<void> {
  using _lock = await lockVersion(folder, { ...entry, ...options })
  await changeEntries(folder, (entries) =>
    entries.map((it) =>
      it.live.id === entry.live.id && it.previous?.id === entry.previous!.id
        ? { ...it, previous: null }
        : it,
    ),
  )
  await sweepGenerations(folder)
}

async function rebuilt(
  context: LibraryContext,
  entry: Entry,
  options: RepairOptions,
): Promise<string> {
  const pages = await fromPages(context, entry, options)
  if (pages !== null) return `rebuilt from its ${formatCount(pages, 'stored page')}`
  const { result, error } = await updateEntry(context, entry, options)
  if (error !== null) throw error
  return `rebuilt from its source, ${formatCount(result.pages, 'page')}`
}

/** Returns null if the pages cannot be read, or if another run has replaced the version. */
async function fromPages(
  context: LibraryContext,
  entry: Entry,
  options: RepairOptions,
): Promise<number | null> {
  const { result } = await replaceVersion(context, options, {
    turn: entryLocker(entry),
    current: async ({ entry: { live } }) => (live.id === entry.live.id ? null : live),
    write: async (run, { before, generation }) =>
      before.kind === 'fresh'
        ? unchangedState(run.entry.live)
        : rewritePages(run, before, await generation()),
  })
  return result.status === 'unchanged' ? null : result.pages
}
