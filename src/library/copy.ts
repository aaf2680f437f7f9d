import { copyFile, access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, OgError } from '../platform/error.ts'
import type { Lock } from '../platform/lock.ts'
import { leaseGeneration, sweepGenerations } from '../store/generation.ts'
import { Damage, FileFault } from '../store/integrity/damage.ts'
import { publish } from '../store/publish.ts'
import { readEntries, type Entry } from '../store/registry.ts'
import { remoteBucketOf, type GenerationOrigin } from '../store/remote-bucket.ts'
import { downloadGeneration } from '../store/remote/download.ts'
import { isAutomaticLabel } from '../version/version.ts'
import { lockVersion, entryToReplace, type LockRequest } from './lock.ts'
import { existsSync } from 'node:fs'
import { deleteCopy } from '../store/remote/local-copies.ts'

type CopyRequest = Omit<LockRequest, 'library' | 'version'> & {
  from: string
  to: string
  pick(entries: Entry[]): Entry[]
  /**
   * The id of the generation that must be live in the target. Null means that the version must be
   * missing there, and undefined that any state may be replaced.
   */
  over?: string | null
}

/** If the copy failed, `problem` is the reason and the target is unchanged. */
export type CopyOutcome = {
  library: string
  version: string
  status: 'copied' | 'unchanged' | 'failed'
  problem: OgError | null
}

/**
 * Copies the live state of one store to another, one library version at a time. Compares every file
 * with its checksum, and then publishes the version as `og add` does. Skips versions that are
 * already there, so that a killed run can be resumed. Keeps versions that only the target has.
 */
export async function* copyStore(request: CopyRequest): AsyncGenerator<CopyOutcome> {
  const { from, to, pick, signal } = request
  for (const entry of pick(await readEntries(from))) {
    signal?.throwIfAborted()
    const { library, version } = entry
    const isThere = (await readEntries(to)).some((it) => it.live.id === entry.live.id)
    if (isThere) {
      yield { library, version, status: 'unchanged', problem: null }
      continue
    }
    const problem = await copyEntry(request, entry).then(
      () => null,
      (error) => {
        if (error instanceof OgError) return error
        throw error
      },
    )
    yield { library, version, status: problem === null ? 'copied' : 'failed', problem }
  }
  await sweepGenerations(to)
}

async function copyEntry({ from, to, over, ...waiting }: CopyRequest, entry: Entry): Promise<void> {
  const { library, version, live } = entry
  using _lock = await lockVersion(to, { ...waiting, library, version, live })
  using leases = new DisposableStack()
  let lease: Lock | null = null
  const onPlaced = (id: string) => {
    lease = leaseGeneration(to, id)
    leases.use(lease)
  }
  const id = await receive(from, to, { entry, onPlaced }).catch((error) => {
    throw error instanceof FileFault ? new Damage(entry, messageOf(error)) : error
  })
  if (lease === null) throw replacedMeanwhile(entry)
  const { previous: _, ...row } = entry
  await publish(to, (entries) => {
    const follows = isAutomaticLabel({ ...live, version })
    const before = entryToReplace(entries, { key: entry.key, version, follows })
    if (over !== undefined && over !== (before?.live.id ?? null)) throw tooLate(entry)
    return { ...row, live: { ...live, id }, before }
  })
  leases.dispose()
  // Other machines read from the bucket, so this machine does not need the uploaded files.
  if (remoteBucketOf(to) !== null) await deleteCopy(to, id)
}

type Placing = { entry: Entry; onPlaced: (id: string) => void }

/** @returns the id of the generation in the target; `onPlaced` is called once it is there */
async function receive(from: string, to: string, { entry, onPlaced }: Placing): Promise<string> {
  const { id } = entry.live
  using source = originOf(from, entry)
  await downloadGeneration(to, id, {
    origin: source.origin,
    onPlaced: () => onPlaced(id),
    isUnnamed: true,
  })
  return id
}

/**
 * Opens the origin of a generation's files. Leases a folder so that no other process deletes the
 * files during the copy.
 */
function originOf(from: string, entry: Entry): Disposable & { origin: GenerationOrigin } {
  const { id } = entry.live
  const remote = remoteBucketOf(from)
  if (remote !== null) return { origin: remote.origin(id), [Symbol.dispose]() {} }
  const path = join(from, 'generations', id)
  const lease = leaseGeneration(from, id)
  if (lease === null) throw replacedMeanwhile(entry)
  const file = (name: string, into: string) =>
    copyFile(join(path, name), into).then(
      () => true,
      (error) => {
        if (error.code === 'ENOENT') return false
        throw error
      },
    )
  return { origin: { place: from, file }, [Symbol.dispose]: () => lease[Symbol.dispose]() }
}

function replacedMeanwhile({ library, version }: Entry): OgError {
  return new OgError(
    `Cannot copy library "${library}" version "${version}": it was replaced in the meantime, ` +
      'or its files are missing',
    { hint: 'run the command again; og doctor checks the store' },
  )
}

function tooLate({ library, version }: Entry): OgError {
  return new OgError(
    `Cannot publish library "${library}" version "${version}": another builder has published ` +
      'it in the meantime; that version was kept',
    { hint: 'run the command again' },
  )
}

const storeFiles = new Set(['registry.json', 'generations', 'locks', 'embeddings.sqlite'])

/**
 * Rejects a store path that does not exist because a misspelled path is not an empty store.
 * @throws OgError if the folder is missing or is not a store
 */
export async function checkStoreFolder({
  dbPath,
  isStoreNamed,
}: {
  dbPath: string
  isStoreNamed: boolean
}): Promise<void> {
  if (!isStoreNamed) return
  const remote = remoteBucketOf(dbPath)
  const fail = (why: string): never => {
    throw new OgError(`Cannot read store ${remote?.place ?? dbPath}: ${why}`, {
      hint: 'OG_DB_PATH or the setting db_path is its path; "og add" creates a store there',
    })
  }
  if (remote !== null) {
    await remote.refresh()
    return existsSync(join(dbPath, 'registry.json')) ? undefined : fail('it contains no og index')
  }
  await access(dbPath).catch(() => fail('there is no such folder'))
  const names = await readdir(dbPath).catch((error) => fail(messageOf(error)))
  if (names.length > 0 && !names.some((name) => storeFiles.has(name)))
    fail('it contains no og index')
}
