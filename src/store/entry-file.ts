import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../platform/file/files.ts'
import { sha256 } from '../platform/hash.ts'
import { findEntryFault } from './registry-schema.ts'
import type { Entry } from './registry.ts'

/**
 * The registry row with which a generation was first published, stored in the generation's folder.
 * og rebuilds a lost registry from these files. They lack later changes to the row, such as a newer
 * date label, the commit of an unchanged source, or a calibration.
 */
export type EntryFile = Omit<Entry, 'previous'>

const name = 'entry.json'
const format = 1

/**
 * Writes the row into its generation's folder unless it is already there. Call it before the
 * registry references the generation.
 */
export async function writeEntryFile(folder: string, entry: EntryFile): Promise<void> {
  const { key, library, version, live } = entry
  const path = join(folder, 'generations', live.id, name)
  if (existsSync(path)) return
  const row: EntryFile = { key, library, version, live }
  const text = JSON.stringify({ format, sum: sumOf(row), entry: row }, null, 1)
  await writeFileAtomically(path, `${text}\n`)
}

/** Returns a generation's row, or null if it has no trustworthy row. */
export async function readEntryFile(folder: string, id: string): Promise<EntryFile | null> {
  const text = await readFile(join(folder, 'generations', id, name), 'utf8').catch(() => '')
  return parseEntryFile(text, id)
}

/** Parses the entry file of generation `id`. Returns null if its content is not trustworthy. */
export function parseEntryFile(text: string, id: string): EntryFile | null {
  try {
    const { format: storedFormat, sum, entry } = JSON.parse(text)
    if (storedFormat !== format || sum !== sumOf(entry)) return null
    const isValid = findEntryFault({ ...entry, previous: null }) === null && entry.live.id === id
    return isValid ? entry : null
  } catch {
    return null
  }
}

/**
 * Deletes the rows in the folders of removed generations. Otherwise, while a reader still has such
 * a generation open, a repair could restore it.
 */
export async function forgetEntryFiles(folder: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await rm(join(folder, 'generations', id, name), { force: true })
}

export async function publishedIds(folder: string): Promise<string[]> {
  const root = join(folder, 'generations')
  const names = await readdir(root).catch(() => [])
  return names.filter((id) => /^[\w-]+$/.test(id) && existsSync(join(root, id, name)))
}

function sumOf(entry: unknown): string {
  return sha256(JSON.stringify(entry))
}
