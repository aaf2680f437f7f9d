import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../platform/files.ts'
import type { Workspace } from './workspace.ts'

/**
 * One write: in a file that was `size` bytes long, `removed` at `offset` (bytes) became `inserted`.
 * It is written here before it is written there; so it can be finished, and undone.
 */
export type Change = {
  id: string
  /** ISO 8601, UTC. */
  at: string
  /** What asked for it: `append`, `replace_text`, `relate`, `undo`, … */
  op: string
  file: string
  offset: number
  removed: string
  inserted: string
  /** null: there was no such file. */
  size: number | null
  /** The id of the change that this one takes back. */
  undoes?: string
}

/** A hidden folder beside the files: the journal, the lock, what a restore stages. */
export const privateFolder = '.og'

/** Where all journals of this workspace end; the same number means that nobody wrote since. */
export type JournalEnd = { name: string; bytes: number }

/** What became of a change: it is in its file, or never came that far. */
export type Outcome = { done: string } | { void: string }

/** Adds a line. A change does not return before it is on the disk; an outcome can be told anew. */
export async function writeJournal(
  workspace: Workspace,
  line: Change | Outcome,
): Promise<JournalEnd> {
  const folder = journalFolder(workspace)
  const newest = (await journalNames(workspace)).at(-1) ?? ''
  // A clock that was set back must not hide the newest line in an older file.
  const wanted = 'at' in line ? `${line.at.slice(0, 7)}.jsonl` : newest
  const name = wanted < newest ? newest : wanted
  const isNew = !existsSync(join(folder, name))
  if (isNew) await mkdir(folder, { recursive: true })
  await using file = await open(join(folder, name), 'a+')
  const { size } = await file.stat()
  // A line that a power cut left without its end stays alone.
  const start = size > 0 && !(await endsLine(file, size)) ? '\n' : ''
  const bytes = Buffer.from(`${start}${JSON.stringify(line)}\n`)
  await file.writeFile(bytes)
  if ('at' in line) await file.datasync()
  if (isNew) await syncFolder(folder)
  return { name, bytes: size + bytes.length }
}

export async function journalEnd(workspace: Workspace): Promise<JournalEnd | null> {
  const name = (await journalNames(workspace)).at(-1)
  if (name === undefined) return null
  await using file = await open(join(journalFolder(workspace), name), 'r')
  return { name, bytes: (await file.stat()).size }
}

/** The newest change, unless its outcome is known. Reads the end of one file. */
export async function openChange(workspace: Workspace): Promise<Change | null> {
  const name = (await journalNames(workspace)).at(-1)
  if (name === undefined) return null
  await using file = await open(join(journalFolder(workspace), name), 'r')
  const { size } = await file.stat()
  for (let bytes = 1 << 16; ; bytes *= 8) {
    const start = Math.max(0, size - bytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    if (start > 0) lines.shift()
    const last = lines.map(parseLine).findLast((line) => line !== null)
    if (last) return 'at' in last ? last : null
    if (start === 0) return null
  }
}

/** All changes that took place, newest first. */
export async function changes(workspace: Workspace): Promise<Change[]> {
  const names = await journalNames(workspace)
  const texts = await Promise.all(
    names.map((name) => readFile(join(journalFolder(workspace), name), 'utf8')),
  )
  const lines = texts.flatMap((text) => text.split('\n').flatMap((line) => parseLine(line) ?? []))
  const voided = new Set(lines.flatMap((line) => ('void' in line ? [line.void] : [])))
  const found = lines.filter((line): line is Change => 'at' in line && !voided.has(line.id))
  return found.reverse()
}

/** Sorts by time; never given twice. */
export function newChangeId(now: Date): string {
  return `${now.getTime().toString(36)}-${randomBytes(3).toString('hex')}`
}

function journalFolder({ path }: Workspace): string {
  return join(path, privateFolder, 'journal')
}

async function journalNames(workspace: Workspace): Promise<string[]> {
  const names = await readdir(journalFolder(workspace)).catch(() => [])
  return names.filter((name) => /^\d{4}-\d\d\.jsonl$/.test(name)).sort()
}

async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 10
}

/** null for a line that was cut. */
function parseLine(line: string): Change | Outcome | null {
  if (!line.endsWith('}')) return null
  try {
    return JSON.parse(line) as Change | Outcome
  } catch {
    return null
  }
}
