import { shorten } from '../../document/inline.ts'
import { stat } from 'node:fs/promises'
import { OgError } from '../../platform/error.ts'
import { editText, writeFields } from './change.ts'
import { readChanges, type JournalChange } from './journal.ts'
import { resolveMemoryFile } from './memory-file.ts'
import { decodeText } from '../text.ts'
import { withWriteLock, type Writer } from './write-lock.ts'
import type { Workspace } from '../workspace.ts'

export type HistoryEntry = {
  id: string
  at: string
  op: string
  file: string
  /** The first written line or, for a deletion, the first removed line. */
  summary: string
  chars_added: number
  chars_removed: number
  undone: boolean
  undoes?: string
}

export type HistoryRequest = {
  file?: string
  limit?: number
  /** Selects writes that added or removed this text. */
  text?: string
}

export async function history(
  workspace: Workspace,
  options: HistoryRequest = {},
): Promise<HistoryEntry[]> {
  const { file, limit = 20, text } = options
  const isOf = ({ inserted, removed }: JournalChange) =>
    text === undefined || inserted.includes(text) || removed.includes(text)
  const all = await readChanges(workspace)
  const undone = undoneIds(all)
  return all
    .filter((change) => (file === undefined || change.file === file) && isOf(change))
    .slice(0, limit)
    .map((change) => ({
      id: change.id,
      at: change.at,
      op: change.op,
      file: change.file,
      summary: summaryOf(change.inserted) || summaryOf(change.removed),
      chars_added: change.inserted.length,
      chars_removed: change.removed.length,
      undone: undone.has(change.id),
      ...(change.undoes !== undefined && { undoes: change.undoes }),
    }))
}

export type UndoResult = {
  /** Id and kind of the undone write, and the id of the undo itself. */
  undone: string
  op: string
  file: string
  write_id: string
  warning?: string
}

/**
 * Undoes a write; by default, the newest one that has not been undone. The undo is itself a write.
 * Keeps later writes to the same file.
 * @throws OgError if a later write changed the same text
 */
export async function undo(writer: Writer, options: { id?: string } = {}): Promise<UndoResult> {
  return withWriteLock(writer, async (turn) => {
    const all = await readChanges(writer.workspace)
    const change = findChange(all, options.id)
    const place = resolveMemoryFile(writer.workspace, change.file)
    const stats = await stat(place.path).catch(() => null)
    if (stats === null)
      throw new OgError(`Cannot undo ${change.id}: ${change.file} no longer exists`)
    const plan = (_: string, bytes: Buffer) => ({ after: revertChange(bytes, all, change) })
    const edited = await editText(turn, place, { op: 'undo', undoes: change.id, plan })
    const { id: undone, op, file } = change
    return { undone, op, file, ...writeFields(turn, edited.change!) }
  })
}

function findChange(all: JournalChange[], id: string | undefined): JournalChange {
  const undone = undoneIds(all)
  const change =
    id === undefined
      ? all.find((candidate) => candidate.undoes === undefined && !undone.has(candidate.id))
      : all.find((candidate) => candidate.id === id)
  if (change === undefined) {
    throw new OgError(id === undefined ? 'There is nothing to undo' : `There is no write "${id}"`)
  }
  if (undone.has(change.id)) throw new OgError(`Cannot undo ${change.id}: it is already undone`)
  return change
}

/** Returns the ids of undone writes. If an undo was itself undone, it does not count. */
function undoneIds(newestFirst: JournalChange[]): Set<string> {
  const undone = new Set<string>()
  for (const { id, undoes } of newestFirst) {
    if (undoes !== undefined && !undone.has(id)) undone.add(undoes)
  }
  return undone
}

/** Returns the file's text without one change. */
function revertChange(bytes: Buffer, all: JournalChange[], change: JournalChange): string {
  const inserted = Buffer.from(change.inserted)
  const later = all.slice(0, all.indexOf(change)).filter(({ file }) => file === change.file)
  const offset =
    movedOffset(change, later.reverse(), bytes.length) ??
    onlyPlace(bytes, inserted) ??
    placeInContext(bytes, change)
  if (offset === null || !bytes.subarray(offset, offset + inserted.length).equals(inserted)) {
    throw new OgError(
      `Cannot undo ${change.id}: ${change.file} has changed at the same place since`,
      { hint: later.length === 0 ? undefined : `undo ${later.at(-1)!.id} first, or edit the file` },
    )
  }
  const parts = [
    bytes.subarray(0, offset),
    Buffer.from(change.removed),
    bytes.subarray(offset + inserted.length),
  ]
  return decodeText(Buffer.concat(parts), change.file)
}

/**
 * Returns the current offset of a change after later changes. Returns null if a later change
 * overlaps it, or if the file sizes reveal a write by another program.
 */
function movedOffset(change: JournalChange, later: JournalChange[], nBytes: number): number | null {
  let size = sizeAfter(change)
  for (const other of later) {
    if (other.size !== size) return null
    size = sizeAfter(other)
  }
  if (size !== nBytes) return null
  let { offset } = change
  const length = Buffer.byteLength(change.inserted)
  for (const other of withoutUndone(later)) {
    const isBefore = other.offset + Buffer.byteLength(other.removed) <= offset
    if (other.offset >= offset + length) continue
    if (!isBefore) return null
    offset += sizeAfter(other) - (other.size ?? 0)
  }
  return offset
}

/** Drops pairs of a change and its undo until none is left. */
function withoutUndone(later: JournalChange[]): JournalChange[] {
  const stack: JournalChange[] = []
  for (const change of later) {
    if (change.undoes !== undefined && stack.at(-1)?.id === change.undoes) stack.pop()
    else stack.push(change)
  }
  return stack
}

function sizeAfter({ size, removed, inserted }: JournalChange): number {
  return (size ?? 0) - Buffer.byteLength(removed) + Buffer.byteLength(inserted)
}

function onlyPlace(bytes: Buffer, inserted: Buffer): number | null {
  if (inserted.toString('utf8').trim() === '') return null
  const first = bytes.indexOf(inserted)
  return first !== -1 && bytes.indexOf(inserted, first + 1) === -1 ? first : null
}

/**
 * Finds the position of a change by the text around it. Returns null unless it occurs exactly once.
 */
function placeInContext(bytes: Buffer, { inserted, context }: JournalChange): number | null {
  if (context === undefined) return null
  const [lead, trail] = context
  const place = onlyPlace(bytes, Buffer.from(lead + inserted + trail))
  return place === null ? null : place + Buffer.byteLength(lead)
}

/**
 * Returns the first line of content, without the heading, tags or validity of an appended entry.
 */
function summaryOf(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const line = lines.find((candidate) => !/^(?:#|<!-- valid )/.test(candidate)) ?? lines[0] ?? ''
  return shorten(line, 80)
}
