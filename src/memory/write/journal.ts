import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../platform/file/files.ts'
import { journalNames, privatePath } from '../private-path.ts'
import type { Workspace } from '../workspace.ts'

/**
 * One write: in a file of `size` bytes, `removed` at byte `offset` became `inserted`. It is
 * recorded before the file is written, so that it can be completed and undone.
 */
export type JournalChange = {
  id: string
  /** ISO 8601, UTC. */
  at: string
  /** The kind of write: `append`, `replace_text`, `relate`, `undo`, … */
  op: string
  file: string
  offset: number
  removed: string
  inserted: string
  /** null if the file did not exist. */
  size: number | null
  /** The text directly before and after the change, by which `undo` finds it later. */
  context?: [string, string]
  /** The id of the change that this one undoes. */
  undoes?: string
}

/** The newest journal file and its length, which change with every write. */
export type JournalEnd = { name: string; bytes: number }

/** The outcome of a change: done, or void if it never reached the file. */
export type JournalOutcome = { done: string } | { void: string }

/**
 * Appends a line to the journal. A change is synced before this returns; an outcome is not, since
 * it can be determined again.
 */
export async function writeJournal(
  workspace: Workspace,
  line: JournalChange | JournalOutcome,
): Promise<JournalEnd> {
  const folder = privatePath(workspace, 'journal')
  const newest = (await journalNames(workspace)).at(-1) ?? ''
  // A clock that was set back must not put the newest line into an older file.
  const own = 'at' in line ? `${line.at.slice(0, 7)}.jsonl` : newest
  const name = own < newest ? newest : own
  const path = join(folder, name)
  const isNew = !existsSync(path)
  if (isNew) await mkdir(folder, { recursive: true })
  await using file = await open(path, 'a+')
  const { size } = await file.stat()
  // An incomplete line, left by a power failure, must stay separate.
  const start = size > 0 && !(await endsLine(file, size)) ? '\n' : ''
  const bytes = Buffer.from(`${start}${JSON.stringify(line)}\n`)
  await file.writeFile(bytes)
  if ('at' in line) await file.datasync()
  if (isNew) await syncFolder(folder)
  return { name, bytes: size + bytes.length }
}

export async function readJournalEnd(workspace: Workspace): Promise<JournalEnd | null> {
  const name = (await journalNames(workspace)).at(-1)
  if (name === undefined) return null
  await using file = await open(privatePath(workspace, 'journal', name), 'r')
  return { name, bytes: (await file.stat()).size }
}

/** A new id for a change. Ids sort by time. */
export function newChangeId(now: Date): string {
  return `${now.getTime().toString(36)}-${randomBytes(3).toString('hex')}`
}

async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 10
}
