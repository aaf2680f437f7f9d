import { randomBytes } from 'node:crypto'
import { type BigIntStats, rmSync, lstatSync } from 'node:fs'
import {
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  opendir,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { throwTempFolderError } from './space.ts'
import { type Lock, tryLockExclusive } from '../lock.ts'

export type TempFolder = AsyncDisposable & { path: string }

/**
 * Creates a private folder (mode 0700) with a lock file in the system's temporary folder. If no
 * process holds the lock, the run was killed, and a later run deletes the folder.
 * @param id the end of the folder's name; random by default, and always on Windows. `id` ends with
 * six letters or digits, as `sweepTempFolders` expects, after an optional prefix and hyphen.
 * @throws OgError if there is no temporary folder, or it is not writable
 */
export async function createTempFolder(name: string, id?: string): Promise<TempFolder> {
  const root = await realpath(tmpdir()).catch(throwTempFolderError)
  // Windows cannot rename a folder that contains an open file. The lock is therefore held from the
  // folder's creation there.
  const isFinal = process.platform === 'win32'
  const start = isFinal ? `${name}-` : newFolderPrefix
  const fresh = await mkdtemp(join(root, start)).catch(throwTempFolderError)
  const lock = lockTempFolder(fresh)
  const outer = isFinal ? fresh : join(root, `${name}-${id ?? fresh.slice(-6)}`)
  const path = join(outer, 'files')
  await mkdir(join(fresh, 'files'), { mode: 0o700 }).catch(throwTempFolderError)
  if (!isFinal) await rename(fresh, outer)
  const forget = atExit(() => {
    lock?.[Symbol.dispose]()
    rmSync(outer, { recursive: true, force: true, maxRetries: 2 })
  })
  // Deletes the remains of killed runs in the background. Ignores an unreadable folder.
  const swept = sweepTempFolders(root).catch(() => {})
  return {
    path,
    async [Symbol.asyncDispose]() {
      await swept
      lock?.[Symbol.dispose]()
      await rm(outer, { recursive: true, force: true, maxRetries: 2 })
      forget()
    },
  }
}

/**
 * Replaces the content of a file. Readers see either the old or the new bytes, also after a crash.
 * A symbolic link stays a link, and an existing file keeps its mode. The folder must exist.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const mode =
    options.mode ??
    (await stat(target).then(
      (stats) => stats.mode & 0o777,
      () => 0o644,
    ))
  const name = `.${basename(target)}.${process.pid}.${randomBytes(6).toString('hex')}`
  const temporary = join(dirname(target), name)
  try {
    await writeSynced(temporary, content, mode)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(target))
}

/**
 * Creates a file together with its content and returns true. If the file exists, or another process
 * creates it at the same time, leaves it unchanged and returns false.
 */
export async function createFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o644 }: { mode?: number } = {},
): Promise<boolean> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    await writeSynced(temporary, content, mode)
    // Writes the file in place if the file system has no hard links.
    await link(temporary, path).catch((error) => {
      if (error.code === 'EEXIST') throw error
      return writeSynced(path, content, mode)
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(path))
  return true
}

/** The disk writes its journal once for all waiting files, but each file uses a handle. */
const syncsAtOnce = 32

/** Flushes every file and folder of a tree to disk. Skips direct children in `except`. */
export async function syncTree(path: string, except: string[] = []): Promise<void> {
  const pending = [() => syncFolder(path)]
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    if (entry.parentPath === path && except.includes(entry.name)) continue
    const inner = join(entry.parentPath, entry.name)
    pending.push(() => (entry.isDirectory() ? syncFolder(inner) : syncFile(inner)))
  }
  while (pending.length > 0) {
    await Promise.all(pending.splice(0, syncsAtOnce).map((sync) => sync()))
  }
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.datasync()
}

/** Creates a new file, flushes it to disk, and returns its stats. Fails if the file exists. */
export async function writeSynced(
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<BigIntStats> {
  await using file = await open(path, 'wx', mode)
  await file.chmod(mode)
  await file.writeFile(content)
  await file.sync()
  return await file.stat({ bigint: true })
}

/** Flushes a folder's entries to disk. Does nothing on Windows, which has no call for this. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

const releases = new Set<() => void>()
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the synchronous `release` when this process exits, or before SIGINT, SIGTERM or SIGHUP ends
 * it. If other code listens to the signal too, that code decides whether the process ends. The
 * returned function cancels the release.
 */
export function atExit(release: () => void): () => void {
  if (releases.size === 0) listen()
  releases.add(release)
  return () => {
    if (releases.delete(release) && releases.size === 0) unlisten()
  }
}

function listen(): void {
  process.on('exit', releaseAll)
  for (const signal of signals) process.on(signal, endBySignal)
}

function unlisten(): void {
  process.off('exit', releaseAll)
  for (const signal of signals) process.off(signal, endBySignal)
}

function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  releaseAll()
  unlisten()
  process.kill(process.pid, signal)
}

/** Runs all releases, latest first, even if one of them fails. */
function releaseAll(): void {
  for (const release of [...releases].reverse()) {
    releases.delete(release)
    try {
      release()
    } catch (error) {
      process.stderr.write(`og: clean-up at exit failed: ${String(error)}\n`)
    }
  }
}

/** Prefix of a folder that is being created and is not locked yet. */
const newFolderPrefix = 'og-new-'
const lockName = 'lock'

/** Locks a temporary folder that is in use. Returns null if its disk does not support locks. */
export function lockTempFolder(folder: string): Lock | null {
  const path = join(folder, lockName)
  const lock = lockOrNull(path)
  // An unlocked lock file would mark the folder as abandoned.
  if (lock === null) rmSync(path, { force: true })
  return lock
}

const maxNames = 5000
const freshMs = 3_600_000

/**
 * Deletes folders of killed runs from the system's temporary folder. Such a folder belongs to og
 * and this user, and no process holds its lock.
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

/** True if the lock file can be deleted. Windows cannot delete a file that is open. */
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
