import { lstatSync, rmSync } from 'node:fs'
import { opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lock, tryLockExclusive } from '../lock.ts'

/** Prefix of a folder that is being created, whose lock does not yet show that it is in use. */
export const newFolderPrefix = 'og-new-'
const lockName = 'lock'

/** Locks a temporary folder that is in use; returns null if its disk does not support locks. */
export function lockTempFolder(folder: string): Lock | null {
  const path = join(folder, lockName)
  const lock = lockOrNull(path)
  // A lock file without a holder would mark the folder as abandoned.
  if (lock === null) rmSync(path, { force: true })
  return lock
}

const maxNames = 5000
const freshMs = 3_600_000

/**
 * Deletes folders of killed runs from the system's temporary folder: folders of og and of this user
 * whose lock no process holds.
 */
export async function sweepTempFolders(root: string): Promise<void> {
  let namesLeft = maxNames
  for await (const entry of await opendir(root)) {
    if (namesLeft-- === 0) return
    if (entry.isDirectory() && /^og\b.*-\w{6}$/.test(entry.name)) await sweep(root, entry.name)
  }
}

async function sweep(root: string, name: string): Promise<void> {
  const folder = join(root, name)
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true || stats.uid !== (process.geteuid?.() ?? stats.uid)) return
  if (name.startsWith(newFolderPrefix)) {
    if (Date.now() - stats.mtimeMs > freshMs) await rm(folder, { recursive: true, force: true })
    return
  }
  const path = join(folder, lockName)
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return
  if (process.platform === 'win32') {
    if (!isUnused(path)) return
    return rm(folder, { recursive: true, force: true })
  }
  using lock = lockOrNull(path)
  if (lock !== null) await rm(folder, { recursive: true, force: true })
}

/**
 * For Windows, which cannot delete open files: if a lock file can be deleted, no process holds the
 * lock.
 */
function isUnused(lockPath: string): boolean {
  try {
    rmSync(lockPath)
    return true
  } catch {
    return false
  }
}

function lockOrNull(path: string): Lock | null {
  try {
    return tryLockExclusive(path)
  } catch {
    return null
  }
}
