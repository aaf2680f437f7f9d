import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncData } from '../../platform/file/edit-file.ts'
import { syncFolder } from '../../platform/file/files.ts'
import { journalNames, privatePath } from '../memory-files.ts'
import type { Workspace } from '../workspace.ts'
import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'

/**
 * A write that replaced `removed` with `inserted` at byte `offset` of a file with `size` bytes. It
 * is recorded before the file changes, so that it can be completed after a kill, or undone.
 */
export type JournalChange = {
  id: string
  /** ISO 8601, UTC. */
  at: string
  /** The kind of write: `append`, `replace_text`, `relate`, `undo` and others. */
  op: string
  file: string
  offset: number
  removed: string
  inserted: string
  size: number | null
  /** The text directly before and after the change. `undo` uses it to find the position. */
  context?: [string, string]
  undoes?: string
}

/** The newest journal file and its length, which every write changes. */
export type JournalEnd = { name: string; bytes: number }

/** The outcome of a change. `void` means that the change never reached the file. */
type JournalOutcome = { done: string } | { void: string }

/**
 * Appends a line to the journal. Syncs a change to disk before returning. An outcome needs no sync,
 * because it can be determined from the file.
 */
export async function writeJournal(
  workspace: Workspace,
  line: JournalChange | JournalOutcome,
): Promise<JournalEnd> {
  const folder = privatePath(workspace, 'journal')
  const newest = journalNames(workspace).at(-1) ?? ''
  // If the clock was set back, the line still belongs in the newest file.
  const own = 'at' in line ? `${line.at.slice(0, 7)}.jsonl` : newest
  const name = own < newest ? newest : own
  const path = join(folder, name)
  const isNew = !existsSync(path)
  if (isNew) await mkdir(folder, { recursive: true })
  const fd = openSync(path, 'a+')
  try {
    const { size } = fstatSync(fd)
    // After a power failure, the last line may be incomplete.
    const start = size > 0 && !endsLine(fd, size) ? '\n' : ''
    const bytes = Buffer.from(`${start}${JSON.stringify(line)}\n`)
    writeFileSync(fd, bytes)
    if ('at' in line) await syncData(fd)
    if (isNew) await syncFolder(folder)
    return { name, bytes: size + bytes.length }
  } finally {
    closeSync(fd)
  }
}

export function readJournalEnd(workspace: Workspace): JournalEnd | null {
  const name = journalNames(workspace).at(-1)
  if (name === undefined) return null
  return { name, bytes: statSync(privatePath(workspace, 'journal', name)).size }
}

export function newChangeId(now: Date): string {
  return `${now.getTime().toString(36)}-${randomBytes(3).toString('hex')}`
}

function endsLine(fd: number, size: number): boolean {
  const byte = Buffer.alloc(1)
  readSync(fd, byte, 0, 1, size - 1)
  return byte[0] === 10
}

/** Returns the newest change if its outcome is unknown. Reads only the end of the journal. */
export async function findUnfinishedChange(workspace: Workspace): Promise<JournalChange | null> {
  const name = journalNames(workspace).at(-1)
  if (name === undefined) return null
  await using file = await open(privatePath(workspace, 'journal', name), 'r')
  const { size } = await file.stat()
  for (let bytes = 1 << 16; ; bytes *= 8) {
    const start = Math.max(0, size - bytes)
    const length = size - start
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start)
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    if (start > 0) lines.shift()
    const last = lines.map(parseLine).findLast((line) => line !== null)
    if (last) return 'at' in last ? last : null
    if (start === 0) return null
  }
}

export async function readChanges(workspace: Workspace): Promise<JournalChange[]> {
  const names = journalNames(workspace)
  const texts = await Promise.all(
    names.map((name) => readFile(privatePath(workspace, 'journal', name), 'utf8')),
  )
  const lines = texts.flatMap((text) => text.split('\n').flatMap((line) => parseLine(line) ?? []))
  const voided = new Set(lines.flatMap((line) => ('void' in line ? [line.void] : [])))
  const tookPlace = (line: JournalChange | JournalOutcome): line is JournalChange =>
    'at' in line && !voided.has(line.id)
  return lines.filter(tookPlace).reverse()
}

function parseLine(line: string): JournalChange | JournalOutcome | null {
  const change = parseJsonOrUndefined(line)
  return isRecord(change) ? (change as JournalChange | JournalOutcome) : null
}
