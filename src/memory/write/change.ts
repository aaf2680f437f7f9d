import { existsSync, statSync, type Stats } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { appendDurably, editFile, type FileSnapshot } from '../../platform/file/edit-file.ts'
import { OgError } from '../../platform/error.ts'
import { syncFolder } from '../../platform/file/files.ts'
import { type JournalChange, newChangeId, writeJournal } from './journal.ts'
import type { MemoryFile } from './memory-file.ts'
import { decodeText } from '../text.ts'
import type { LockedWriter, AppendedText } from './write-lock.ts'

export async function appendText(
  turn: LockedWriter,
  { file, path }: MemoryFile,
  { text, op }: { text: string; op: string },
): Promise<JournalChange> {
  const before = statSync(path, { throwIfNoEntry: false }) ?? null
  if (before === null) await createFolder(dirname(path))
  const change = newChange(turn, {
    op,
    file,
    offset: before?.size ?? 0,
    removed: '',
    inserted: text,
    size: before?.size ?? null,
  })
  await writeJournal(turn.writer.workspace, change)
  const after = await appendDurably(path, Buffer.from(text))
  if (before === null) await syncFolder(dirname(path))
  turn.writer.settled = await writeJournal(turn.writer.workspace, { done: change.id })
  await follow(turn, { file, appended: text, before, after })
  return change
}

/** Returns the id of a write, and a warning if updating the index failed. */
export function writeFields({ warning }: LockedWriter, { id }: Pick<JournalChange, 'id'>) {
  return { write_id: id, ...(warning !== null && { warning }) }
}

/** The complete new text of a file, with data for the caller. */
type PlannedText = { after: string }

type TextEdit<Plan extends PlannedText> = {
  op: string
  undoes?: string
  /**
   * Plans the edit for the given text. If another program changes the file meanwhile, it is called
   * again with the new text. If it then throws, the file keeps that program's text.
   */
  plan: (text: string, bytes: Buffer) => Plan | Promise<Plan>
}

type EditedText<Plan> = { plan: Plan; change: JournalChange | null }

/**
 * Edits an existing file and records the difference in the journal. Keeps text that another program
 * writes at the same time (`editFile`).
 */
export async function editText<Plan extends PlannedText>(
  turn: LockedWriter,
  { file, path }: MemoryFile,
  { op, undoes, plan }: TextEdit<Plan>,
): Promise<EditedText<Plan>> {
  const { workspace } = turn.writer
  let last: { plan: Plan; change: JournalChange | null; before: Stats } | undefined
  const close = async (outcome: 'done' | 'void') => {
    if (!last?.change) return
    const { id } = last.change
    const line = outcome === 'done' ? { done: id } : { void: id }
    turn.writer.settled = await writeJournal(workspace, line)
  }
  const planAgain = async (current: FileSnapshot | null) => {
    await close('void')
    last = undefined
    if (current === null) throw new OgError(`File not found: ${file}`)
    const text = decodeText(current.bytes, file)
    const planned = await plan(text, current.bytes)
    const { after } = planned
    last = { plan: planned, change: null, before: current.stats }
    if (after === text) return null
    const part = { ...findDifference(text, after), size: current.bytes.length }
    last.change = newChange(turn, { op, file, ...part, ...(undoes && { undoes }) })
    await writeJournal(workspace, last.change)
    return after
  }
  const edit = { plan: planAgain, keepsAppended: true, name: file, limitMb: 4096 }
  const after = await editFile(path, edit).catch(async (error: unknown) => {
    // After a system error, the next write checks whether the file has changed.
    if (error instanceof OgError) await close('void')
    throw error
  })
  const { plan: planned, change, before } = last!
  if (after === null) return { plan: planned, change: null }
  await close('done')
  await follow(turn, { file, appended: null, before, after })
  return { plan: planned, change }
}

function newChange({ now }: LockedWriter, change: Omit<JournalChange, 'id' | 'at'>): JournalChange {
  return { id: newChangeId(now), at: now.toISOString(), ...change }
}

async function follow(turn: LockedWriter, text: AppendedText): Promise<void> {
  try {
    await turn.writer.onWritten(text)
  } catch (error) {
    turn.warning = `Index sync failed: ${(error as Error).message}`
  }
}

async function createFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await mkdir(folder, { recursive: true })
  await syncFolder(dirname(folder))
}

export function findDifference(
  old: string,
  text: string,
): Required<Pick<JournalChange, 'offset' | 'removed' | 'inserted' | 'context'>> {
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
    context: [
      old.slice(Math.max(0, start - nContext), start).replace(/^[\udc00-\udfff]/, ''),
      old
        .slice(old.length - end)
        .slice(0, nContext)
        .replace(/[\ud800-\udbff]$/, ''),
    ],
  }
}

const nContext = 40

function isSecondHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}
