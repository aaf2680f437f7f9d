import { open, readFile } from 'node:fs/promises'
import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import type { JournalChange, JournalOutcome } from './journal.ts'
import { journalNames, privatePath } from '../private-path.ts'
import type { Workspace } from '../workspace.ts'

/** Returns the newest change if its outcome is unknown. Reads only the end of one journal file. */
export async function findUnfinishedChange(workspace: Workspace): Promise<JournalChange | null> {
  const name = (await journalNames(workspace)).at(-1)
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

/** Returns all changes that were applied, newest first. */
export async function readChanges(workspace: Workspace): Promise<JournalChange[]> {
  const names = await journalNames(workspace)
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
