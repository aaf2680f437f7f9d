import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { appendSynced } from '../../platform/file/edit-file.ts'
import { OgError } from '../../platform/error.ts'
import { lockExclusive } from '../../platform/lock.ts'
import { recoverEdits } from '../../platform/file/recover-edits.ts'
import { explainDiskError } from '../../platform/file/space.ts'
import {
  findUnfinishedChange,
  type JournalChange,
  readJournalEnd,
  writeJournal,
  type JournalEnd,
} from './journal.ts'
import { privatePath } from '../memory-files.ts'
import { finishRestore, isRestoring } from './restore-stage.ts'
import { createWorkspace, type Workspace } from '../workspace.ts'
import type { Stats } from 'node:fs'
import type { ConflictingEntry } from './append.ts'

/**
 * Runs `write` as the only writer of the workspace among all processes. First completes a write
 * that a killed process left unfinished. If updating the index fails, the write still succeeds with
 * a warning.
 */
export function withWriteLock<T>(
  writer: Writer,
  write: (turn: LockedWriter) => Promise<T>,
): Promise<T> {
  // The writes of this process wait in a queue. Hundreds of writers polling the lock would starve
  // each other.
  const before = lines.get(writer) ?? Promise.resolve()
  const done = before.then(() => lockAndRecover(writer, write))
  lines.set(
    writer,
    done.then(
      () => {},
      () => {},
    ),
  )
  return done
}

const lines = new WeakMap<Writer, Promise<void>>()

async function lockAndRecover<T>(
  writer: Writer,
  write: (turn: LockedWriter) => Promise<T>,
): Promise<T> {
  const { workspace, lockTimeoutMs } = writer
  await createWorkspace(workspace)
  using _lock = await lockExclusive(privatePath(workspace, 'lock'), {
    timeoutMs: lockTimeoutMs,
    what: `memory "${workspace.name}"`,
    pollMs: 5,
  })
  await settle(writer)
  // Without this await, the lock would be released too early.
  try {
    return await write({ writer, now: writer.clock(), warning: null })
  } catch (error) {
    const refusal =
      error instanceof OgError ? null : explainDiskError(error, 'GROUNDMEMORY_ROOT_DIR')
    if (refusal === null) throw error
    const message = `Cannot write memory "${workspace.name}" in ${workspace.path}: ${refusal.why}`
    throw new OgError(message, { hint: refusal.hint, cause: error })
  }
}

/** Completes a write that a killed process left unfinished. Takes the lock only if there is one. */
export async function recover(writer: Writer): Promise<void> {
  const { workspace } = writer
  const isOpen = isRestoring(workspace) || (await findUnfinishedChange(workspace)) !== null
  if (isOpen) await withWriteLock(writer, async () => {})
}

/** Completes the last change in the journal or marks it void. Any process may have begun it. */
async function settle(writer: Writer): Promise<void> {
  const { workspace } = writer
  const end = readJournalEnd(workspace)
  if (writer.settled === null) await clean(workspace)
  const isKnown = end?.name === writer.settled?.name && end?.bytes === writer.settled?.bytes
  if (writer.settled !== null && isKnown) return
  const change = await findUnfinishedChange(workspace)
  if (change === null) {
    writer.settled = end
    return
  }
  if (writer.settled !== null) await clean(workspace)
  const isDone = await finish(workspace, change)
  const outcome = isDone ? { done: change.id } : { void: change.id }
  writer.settled = await writeJournal(workspace, outcome)
}

/**
 * Determines from the file whether a change was applied, even if another program has changed the
 * file since. Completes a partial append.
 */
async function finish({ path }: Workspace, change: JournalChange): Promise<boolean> {
  const target = join(path, change.file)
  const bytes = await readFile(target).catch(() => null)
  const { offset, size } = change
  if (bytes === null) return size !== null
  const [removed, inserted] = [Buffer.from(change.removed), Buffer.from(change.inserted)]
  const rest = bytes.subarray(offset)
  const isAppend = removed.length === 0 && offset === (size ?? 0)
  if (isAppend) {
    if (rest.includes(inserted)) return true
    const isCut = rest.length > 0 && inserted.subarray(0, rest.length).equals(rest)
    if (isCut) await appendSynced(target, inserted.subarray(rest.length))
    return isCut
  }
  const [holdsNew, holdsOld] = [inserted, removed].map((part) =>
    rest.subarray(0, part.length).equals(part),
  )
  if (holdsNew !== holdsOld) return holdsNew!
  if (holdsNew) {
    // One text is a prefix of the other. The file size tells which one is on disk. If neither size
    // matches, the longer text is assumed.
    const sizeAfter = (size ?? 0) - removed.length + inserted.length
    return bytes.length === sizeAfter || (bytes.length !== size && inserted.length > removed.length)
  }
  if (inserted.length > 0 && bytes.includes(inserted)) return true
  return bytes.length !== size && !bytes.includes(removed)
}

/** Completes a restore that a killed process left unfinished. Deletes its temporary files. */
async function clean(workspace: Workspace): Promise<void> {
  await finishRestore(workspace)
  for (const folder of [workspace.path, join(workspace.path, 'daily')]) {
    await recoverEdits(folder)
  }
}

export type AppendedText = {
  file: string
  appended: string | null
  before: Stats | null
  after: Stats
}

export type NewEntry = { file: string | null; body: string }

export type EntryComparison = { isDuplicate: boolean; conflicts: ConflictingEntry[] }

export type Writer = {
  workspace: Workspace
  clock: () => Date
  lockTimeoutMs: number
  /** Called under the lock after each write to update the index. */
  onWritten: (text: AppendedText) => void | Promise<void>
  /** Compares a new entry with existing entries before the write. */
  compare: (entry: NewEntry) => Promise<EntryComparison>
  mutableTiers?: readonly string[]
  /** The journal position up to which all outcomes are known, or null. */
  settled: JournalEnd | null
}

/** Proof that the caller holds the write lock. `warning` is set if updating the index failed. */
export type LockedWriter = { writer: Writer; now: Date; warning: string | null }

export function changedMeanwhileError(file: string): OgError {
  return new OgError(`${file} differs from the expected text; nothing was changed`, {
    hint: 'read it again, then write',
  })
}
