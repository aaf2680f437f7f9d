import { randomBytes } from 'node:crypto'
import {
  constants,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  closeSync,
  fdatasync,
  fstatSync,
  openSync,
  writeFileSync,
} from 'node:fs'
import { lstat, open, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OgError } from '../error.ts'
import {
  exchangeFiles,
  hasWriter,
  readFinalBytes,
  hasNoWriter,
  canSeeWriters,
  waitForWriters,
} from './exchange.ts'
import { createFile, syncFolder, writeSynced } from './files.ts'
import { appendedBytes, savedFileName, savedFileHash } from './saved-file.ts'
import { readOpenFile, checkRegularFile } from './read-file.ts'
import { promisify } from 'node:util'

export type FileSnapshot = { bytes: Buffer; stats: Stats }

type FileEdit = {
  /**
   * Returns the new content, or null to change nothing. `before` is null if the file does not
   * exist. Called again with the new bytes whenever another process changes the file during the
   * edit.
   */
  plan: (
    before: FileSnapshot | null,
  ) => string | Uint8Array | null | Promise<string | Uint8Array | null>
  /**
   * If true, text that another process appends during the edit moves to the end of the new content.
   * This suits line-based files. If false, an append is treated like any other change.
   */
  keepsAppended: boolean
  name?: string
  /** Mode of a new file, 0644 by default. An existing file keeps its mode. */
  mode?: number
  /** Maximum size of the file in MB, 64 by default. */
  limitMb?: number
}

const maxTries = 20

/**
 * Changes a file without losing text that other processes write at the same time. The new content
 * and the old file exchange names. The old file is then compared with the bytes that were read.
 * Text that was appended to it moves to the end of the new content. After any other change, the old
 * file gets its name back and the edit is planned again. Readers see either the old or the new
 * content, also after a crash.
 * @returns the stats of the new file, or null if `plan` returned null
 * @throws OgError if another process keeps changing the file or keeps it open for writing
 */
export async function editFile(path: string, edit: FileEdit): Promise<Stats | null> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await read(path, edit)
    const content = await edit.plan(before)
    if (content === null) return null
    const isDone =
      before === null ? await create(path, content, edit) : await replace(before, content, edit)
    if (isDone) return await stat(path)
  }
  throw new OgError(`Cannot edit ${edit.name ?? path}: another program keeps changing it`, {
    hint: 'run the same command again',
  })
}

/** Like `editFile`, for text. `plan` receives null if the file does not exist. */
export async function editTextFile(
  path: string,
  edit: Omit<FileEdit, 'plan' | 'keepsAppended'> & {
    plan: (text: string | null) => string | null | Promise<string | null>
  },
): Promise<Stats | null> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const plan = (before: FileSnapshot | null) =>
    edit.plan(before === null ? null : decoder.decode(before.bytes))
  return editFile(path, { ...edit, plan, keepsAppended: false })
}

/** Appends text to a file. Repeats this if another process has replaced the file. */
export async function appendDurably(path: string, text: Uint8Array): Promise<Stats> {
  for (let tries = 1; ; tries++) {
    const after = await appendSynced(path, text)
    const now = statSync(path, { throwIfNoEntry: false }) ?? null
    const isKept = now?.ino === after.ino || (now !== null && readFileSync(path).includes(text))
    if (isKept || tries === maxTries) return after
  }
}

type Before = FileSnapshot & { target: string; inode: bigint; isHeld: boolean }

async function read(path: string, edit: FileEdit, tries = maxTries): Promise<Before | null> {
  const { limitMb = 64 } = edit
  const target = await realpath(path).catch(nullIfMissing)
  if (target === null) await refuseDangling(path)
  // With O_NONBLOCK, opening a pipe does not block.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const openTarget = target && (await open(target, flags).catch(nullIfMissing))
  if (!target || !openTarget) {
    // Another process may replace the file while its path is being resolved, so read it again.
    const isThere = (await lstat(path).catch(nullIfMissing)) !== null
    return isThere && tries > 1 ? await read(path, edit, tries - 1) : null
  }
  await using file = openTarget
  const stats = await file.stat()
  checkRegularFile(stats)
  const sees = canSeeWriters(target, stats)
  const isHeld = sees && !(await waitForWriters(file.fd))
  const { ino: inode } = await file.stat({ bigint: true })
  const bytes = await readOpenFile(file, { limitMb })
  const after = await file.stat()
  // A process that has just opened the file may have truncated it before it was read.
  const isPartial = after.size !== bytes.length || (sees && !isHeld && hasWriter(file.fd) === true)
  if (isPartial && tries > 1) return await read(path, edit, tries - 1)
  return { target, inode, isHeld, bytes, stats: after }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

/**
 * Throws for a dangling symbolic link. Returns if another process has just created the file, so
 * that the edit is planned again.
 */
async function refuseDangling(path: string): Promise<void> {
  const stats = await lstat(path).catch(nullIfMissing)
  if (!stats?.isSymbolicLink()) return
  throw new OgError(`Cannot edit ${path}: it is a link that leads nowhere`)
}

async function create(
  path: string,
  content: string | Uint8Array,
  { mode }: FileEdit,
): Promise<boolean> {
  return createFile(path, content, mode === undefined ? {} : { mode })
}

/** The new content on disk, under the name from `savedFileName`. */
type Fresh = { path: string; inode: bigint; bytes: Buffer }

/** Returns true if the file was replaced, and false if another process has changed it. */
async function replace(
  before: Before,
  content: string | Uint8Array,
  edit: FileEdit,
): Promise<boolean> {
  const fresh = await writeFresh(before, Buffer.from(content as Uint8Array))
  const sees = canSeeWriters(before.target, before.stats) && hasNoWriter(fresh.path)
  try {
    if (sees && before.isHeld) throw openForWriting(before, edit)
    if (!exchangeIfUnchanged(before, fresh, edit)) return false
  } finally {
    if (inodeOf(fresh.path) === fresh.inode) rmSync(fresh.path)
  }
  // If the next lines throw, the old file keeps this name for `recoverEdits`.
  const isDone = await settle(before, fresh, { edit, sees })
  await rm(fresh.path, { force: true })
  await syncFolder(dirname(before.target))
  return isDone
}

type Exchange = { edit: FileEdit; sees: boolean }

/** Compares the old file, which has just lost its name, with the bytes that were read. */
async function settle(before: Before, fresh: Fresh, exchange: Exchange): Promise<boolean> {
  const { edit, sees } = exchange
  const isOld = inodeOf(fresh.path) === before.inode
  const old = isOld ? await readFinalBytes(fresh.path, sees) : null
  const appended = old === null || old.isHeld ? null : appendedBytes(before.bytes, old.bytes)
  if (appended !== null && (appended.length === 0 || edit.keepsAppended)) {
    await moveAppended(before, { appended, onto: fresh.bytes }).catch(async (error: unknown) => {
      await putBack(before, fresh, exchange)
      rmSync(fresh.path, { force: true })
      throw error
    })
    return true
  }
  await putBack(before, fresh, exchange)
  if (old?.isHeld) {
    rmSync(fresh.path, { force: true })
    throw openForWriting(before, edit)
  }
  return false
}

function openForWriting({ target }: Before, { name }: FileEdit): OgError {
  const what = name ?? target
  return new OgError(`Cannot edit ${what}: another program keeps it open for writing`, {
    hint: 'close the file in that program, then run the same command again',
  })
}

async function writeFresh({ target, bytes, stats }: Before, content: Buffer): Promise<Fresh> {
  const [folder, name] = [dirname(target), basename(target)]
  const draft = join(folder, `.${name}.${process.pid}.${randomBytes(6).toString('hex')}`)
  try {
    const { ino: inode } = await writeSynced(draft, content, stats.mode & 0o777)
    const saved = { name, newInode: inode, size: bytes.length, hash: savedFileHash(bytes) }
    const path = join(folder, savedFileName(saved))
    renameSync(draft, path)
    return { path, inode, bytes: content }
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function isUnchanged({ target, inode, bytes }: Before, { keepsAppended }: FileEdit): boolean {
  if (inodeOf(target) !== inode) return false
  const appended = appendedBytes(bytes, readFileSync(target))
  return appended !== null && (appended.length === 0 || keepsAppended)
}

/** Gives the new content the file's name, unless another process has changed the file. */
function exchangeIfUnchanged(before: Before, fresh: Fresh, edit: FileEdit): boolean {
  return ifThere(() => isUnchanged(before, edit) && exchangeIfThere(fresh.path, before.target))
}

/** Returns false if the file has been deleted. */
function exchangeIfThere(path: string, target: string): boolean {
  return ifThere(() => {
    exchangeFiles(path, target)
    return true
  })
}

function ifThere(work: () => boolean): boolean {
  try {
    return work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Moves text that was appended to the old file to the end of the new content. */
async function moveAppended(
  { target, bytes }: Before,
  { appended, onto }: { appended: Buffer; onto: Buffer },
): Promise<void> {
  if (appended.length === 0) return
  // Keeps lines separate if the new content does not end with a line feed.
  const isOpen = onto.length > 0 && onto.at(-1) !== 10 && (bytes.at(-1) ?? 10) === 10
  await appendDurably(target, isOpen ? Buffer.concat([Buffer.from('\n'), appended]) : appended)
}

/**
 * Gives the old file its name back. Text that was appended to the new content moves to the end of
 * the old file. If another process has replaced the new content, its file stays.
 */
async function putBack({ target }: Before, fresh: Fresh, { edit, sees }: Exchange): Promise<void> {
  if (!exchangeIfThere(fresh.path, target)) return renameSync(fresh.path, target)
  if (inodeOf(fresh.path) === fresh.inode) {
    const { bytes } = await readFinalBytes(fresh.path, sees)
    const appended = appendedBytes(fresh.bytes, bytes)
    if (appended?.length === 0) return
    if (appended !== null && edit.keepsAppended) return void (await appendDurably(target, appended))
  }
  exchangeIfThere(fresh.path, target)
}

function inodeOf(path: string): bigint | null {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null
}

/**
 * Waits until the data of an open file is on disk. The other calls of an append are synchronous
 * because they take microseconds, less than a round trip to a thread.
 */
export const syncData = promisify(fdatasync)

/** Appends to a file, waits until the data is on disk, and returns the new stats. */
export async function appendSynced(path: string, text: string | Uint8Array): Promise<Stats> {
  const fd = openSync(path, 'a')
  try {
    writeFileSync(fd, text)
    await syncData(fd)
    return fstatSync(fd)
  } finally {
    closeSync(fd)
  }
}
