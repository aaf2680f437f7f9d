import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { Damage, FileFault } from '../integrity/damage.ts'
import { leaseName, lacksTables } from '../integrity/manifest.ts'
import { lockRegistry, type Entry } from '../registry.ts'
import { remoteBucketOf, type RemoteBucket } from '../remote-bucket.ts'
import { rename, rm } from 'node:fs/promises'
import { tryLockExclusive } from '../../platform/lock.ts'

/**
 * Copies an entry's live generation. If the bucket has lost it, reads the registry again. Does
 * nothing if the folder is the store itself. If the bucket fails during the copy, returns without a
 * copy, and the caller chooses again among the readable entries.
 * @throws OgError if there is no copy and the bucket was already unreachable
 */
export async function fetchEntry(folder: string, entry: Entry, how?: 'whole'): Promise<void> {
  const remote = remoteBucketOf(folder)
  if (remote === null) return
  if (remote.isDown() && !isCopied(remote, entry.live.id)) throw notCopiedError(remote, entry)
  await remote.fetchGeneration(entry.live.id, how).catch((error) => {
    if (error instanceof FileFault) throw new Damage(entry, error.message)
    if (!remote.isDown()) throw error
  })
  if (remote.isDown()) return
  if (!existsSync(join(folder, 'generations', entry.live.id))) await remote.refresh('now')
}

/**
 * Returns the entries in a readable state. If the bucket is unreachable and a live generation is
 * not on this machine, its entry gets the previous generation.
 */
export function readableEntries(folder: string, entries: Entry[]): Entry[] {
  const remote = remoteBucketOf(folder)
  if (remote === null || !remote.isDown()) return entries
  return entries.map((entry) => {
    const { live, previous } = entry
    if (previous === null || isCopied(remote, live.id)) return entry
    if (!isCopied(remote, previous.id)) return entry
    return { ...entry, live: previous, previous: null }
  })
}

function isCopied({ folder }: RemoteBucket, id: string): boolean {
  const path = join(folder, 'generations', id)
  return existsSync(join(path, leaseName)) && !lacksTables(path)
}

function notCopiedError({ place }: RemoteBucket, { library, version }: Entry): OgError {
  const message =
    `Cannot read library "${library}" version "${version}": store ${place} cannot ` +
    'be reached, and this machine has no copy of it'
  return new OgError(message, { code: 'unreachable', hint: 'try again later' })
}

export const trash = '.deleted-'

/**
 * Renames the local copy of a bucket's generation, and then deletes it.
 * @returns false if a process has it open
 */
export async function deleteCopy(folder: string, id: string): Promise<boolean> {
  const root = join(folder, 'generations')
  {
    using _turn = await lockRegistry(folder)
    if (!(await discard(root, id))) return false
  }
  await rm(join(root, trash + id), { recursive: true, force: true })
  return true
}

/** Renames a generation to trash. Returns false if a process reads or writes it. */
export async function discard(root: string, id: string): Promise<boolean> {
  const lock = tryLockExclusive(join(root, id, leaseName))
  if (lock === null) return false
  await rename(join(root, id), join(root, trash + id)).finally(() => lock[Symbol.dispose]())
  return true
}
