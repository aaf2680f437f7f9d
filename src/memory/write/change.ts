import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { appendSynced } from '../../platform/file/append.ts'
import { syncFolder, writeFileAtomically } from '../../platform/file/files.ts'
import { difference } from './difference.ts'
import { type JournalChange, newChangeId, writeJournal } from './journal.ts'
import type { MemoryPlace } from './place.ts'
import type { Turn, Written } from './writer.ts'

/** Adds to the end of a file, which need not exist; costs the same however long the file is. */
export async function appendText(
  turn: Turn,
  { file, path }: MemoryPlace,
  options: { text: string; op: string },
): Promise<JournalChange> {
  const { text, op } = options
  const before = await stat(path).catch(() => null)
  if (before === null) await createFolder(dirname(path))
  const change = newChange(turn, {
    op, file, offset: before?.size ?? 0, removed: '', inserted: text, size: before?.size ?? null,
  })
  await writeJournal(turn.writer.workspace, change)
  const after = await appendSynced(path, text)
  if (before === null) await syncFolder(dirname(path))
  turn.writer.settled = await writeJournal(turn.writer.workspace, { done: change.id })
  await follow(turn, { file, appended: text, before, after })
  return change
}

/** Replaces all of a file that exists; the journal keeps the part that differs. */
export async function replaceText(
  turn: Turn,
  { file, path }: MemoryPlace,
  options: { before: string; after: string; op: string; undoes?: string },
): Promise<JournalChange> {
  const { before: old, after: text, op, undoes } = options
  const before = await stat(path)
  const part = { ...difference(old, text), size: before.size, ...(undoes && { undoes }) }
  const change = newChange(turn, { op, file, ...part })
  await writeJournal(turn.writer.workspace, change)
  await writeFileAtomically(path, text)
  turn.writer.settled = await writeJournal(turn.writer.workspace, { done: change.id })
  await follow(turn, { file, appended: null, before, after: await stat(path) })
  return change
}

function newChange({ now }: Turn, change: Omit<JournalChange, 'id' | 'at'>): JournalChange {
  return { id: newChangeId(now), at: now.toISOString(), ...change }
}

async function follow(turn: Turn, written: Written): Promise<void> {
  try {
    await turn.writer.onWritten(written)
  } catch (error) {
    turn.warning = `Index sync failed: ${(error as Error).message}`
  }
}

async function createFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await mkdir(folder, { recursive: true })
  await syncFolder(dirname(folder))
}
