import { existsSync, type Stats } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OgError } from '../platform/error.ts'
import { syncFolder, writeFileAtomically } from '../platform/files.ts'
import { lockExclusive } from '../platform/lock.ts'
import {
  journalEnd,
  newChangeId,
  openChange,
  privateFolder,
  writeJournal,
  type Change,
  type JournalEnd,
  type Outcome,
} from './journal.ts'
import type { Place } from './place.ts'
import { finishRestore } from './restore-stage.ts'
import { decodeText } from './text.ts'
import type { Workspace } from './workspace.ts'

/** What a write left on the disk. */
export type Written = {
  file: string
  /** What was added to its end, to the byte; null: anything may have changed. */
  appended: string | null
  /** null: there was no such file. */
  before: Stats | null
  after: Stats
}

/** What writes work with; one for each open workspace. */
export type Writer = {
  workspace: Workspace
  clock: () => Date
  lockTimeoutMs: number
  /** Called under the lock after each write, so that the index follows in the same operation. */
  onWritten: (written: Written) => void | Promise<void>
  /** Whether an entry of exactly this body stands in the file, and no later one corrects it. */
  hasEntry: (file: string, body: string) => boolean | Promise<boolean>
  /** Where the journal ended when all of it was known to be done. */
  settled: JournalEnd | null
}

/** The right to write, held by one process at a time; `written` collects what became of it. */
export type Turn = { writer: Writer; now: Date; warning: string | null }

/**
 * Runs `write` as the only writer of the workspace in any process, after finishing what a killed
 * one began. What the index says against it is a warning: the text is on the disk.
 */
export async function takeTurn<T>(writer: Writer, write: (turn: Turn) => Promise<T>): Promise<T> {
  const { workspace, lockTimeoutMs } = writer
  using _lock = await lockExclusive(join(workspace.path, privateFolder, 'lock'), {
    timeoutMs: lockTimeoutMs,
    what: `memory "${workspace.name}"`,
    pollMs: 5,
  })
  await settle(writer)
  // Awaited here: the lock is released where this function ends.
  return await write({ writer, now: writer.clock(), warning: null })
}

/** Adds to the end of a file, which need not exist; costs the same however long the file is. */
export async function appendText(
  turn: Turn,
  { file, path }: Place,
  options: { text: string; op: string },
): Promise<Change> {
  const { text, op } = options
  const before = await stat(path).catch(() => null)
  if (before === null) await createFolder(dirname(path))
  const change = newChange(turn, {
    op, file, offset: before?.size ?? 0, removed: '', inserted: text, size: before?.size ?? null,
  })
  await writeJournal(turn.writer.workspace, change)
  const after = await appendSynced(path, text)
  if (before === null) await syncFolder(dirname(path))
  await conclude(turn.writer, { done: change.id })
  await follow(turn, { file, appended: text, before, after })
  return change
}

/** Replaces all of a file that exists; the journal keeps the part that differs. */
export async function replaceText(
  turn: Turn,
  { file, path }: Place,
  options: { before: string; after: string; op: string; undoes?: string },
): Promise<Change> {
  const { before: old, after: text, op, undoes } = options
  const before = await stat(path)
  const part = { ...difference(old, text), size: before.size, ...(undoes && { undoes }) }
  const change = newChange(turn, { op, file, ...part })
  await writeJournal(turn.writer.workspace, change)
  await writeFileAtomically(path, text)
  await conclude(turn.writer, { done: change.id })
  await follow(turn, { file, appended: null, before, after: await stat(path) })
  return change
}

/** The text of a file as it is; @throws OgError where it is not UTF-8. */
export async function readText({ file, path }: Place): Promise<string> {
  return decodeText(await readFile(path), file)
}

/** Where two texts differ: one stretch, by its offset in bytes. */
export function difference(
  old: string, text: string,
): Pick<Change, 'offset' | 'removed' | 'inserted'> {
  const shorter = Math.min(old.length, text.length)
  let start = 0
  while (start < shorter && old[start] === text[start]) start++
  if (isSecondHalf(old, start) || isSecondHalf(text, start)) start--
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === text.at(-1 - end)) end++
  if (isSecondHalf(old, old.length - end)) end--
  return {
    offset: Buffer.byteLength(old.slice(0, start)),
    removed: old.slice(start, old.length - end),
    inserted: text.slice(start, text.length - end),
  }
}

function isSecondHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}

function newChange({ now }: Turn, known: Omit<Change, 'id' | 'at'>): Change {
  return { id: newChangeId(now), at: now.toISOString(), ...known }
}

async function follow(turn: Turn, written: Written): Promise<void> {
  try {
    await turn.writer.onWritten(written)
  } catch (error) {
    turn.warning = `Index sync failed: ${(error as Error).message}`
  }
}

async function appendSynced(path: string, text: string | Uint8Array): Promise<Stats> {
  await using handle = await open(path, 'a')
  await handle.writeFile(text)
  await handle.datasync()
  return await handle.stat()
}

async function createFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await mkdir(folder, { recursive: true })
  await syncFolder(dirname(folder))
}

/** Finishes the last change of the journal or finds it void, whoever began it. */
async function settle(writer: Writer): Promise<void> {
  const { workspace } = writer
  const end = await journalEnd(workspace)
  if (writer.settled === null) await clean(workspace)
  const isKnown = end?.name === writer.settled?.name && end?.bytes === writer.settled?.bytes
  if (writer.settled !== null && isKnown) return
  const change = await openChange(workspace)
  writer.settled = end
  if (change === null) return
  const isDone = await finish(workspace, change)
  await conclude(writer, isDone ? { done: change.id } : { void: change.id })
}

async function conclude(writer: Writer, outcome: Outcome): Promise<void> {
  writer.settled = await writeJournal(writer.workspace, outcome)
}

/** Whether a change took place; one that was cut is completed. Reads no more than it must. */
async function finish({ path }: Workspace, change: Change): Promise<boolean> {
  const target = join(path, change.file)
  const found = await stat(target).catch(() => null)
  const { offset, removed, size } = change
  if (found === null) return size !== null
  const inserted = Buffer.from(change.inserted)
  const isAppend = removed === '' && offset === (size ?? 0)
  if (isAppend && found.size >= offset + inserted.length) return true
  if (!isAppend && found.size !== size) return true
  const rest = (await readFile(target)).subarray(offset)
  if (!isAppend) return rest.subarray(0, inserted.length).equals(inserted)
  const isCut = rest.length > 0 && inserted.subarray(0, rest.length).equals(rest)
  if (isCut) await appendSynced(target, inserted.subarray(rest.length))
  return isCut
}

/** What a killed process left: a restore half-way, temporary files. */
async function clean(workspace: Workspace): Promise<void> {
  await finishRestore(workspace)
  for (const folder of [workspace.path, join(workspace.path, 'daily')]) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (/^\..+\.(?:\d+\.)?[0-9a-f]{12}$/.test(name)) await rm(join(folder, name), { force: true })
    }
  }
}

/** A message for writes that find something else than was told to them. */
export function changedMeanwhile(file: string): OgError {
  return new OgError(`${file} is not what was expected; nothing was changed`, {
    hint: 'read it again, then write',
  })
}
