import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../platform/file/files.ts'
import { sha256 } from '../platform/hash.ts'
import { entryFault, readEntry, storedEntry } from './registry-schema.ts'
import type { Entry } from './registry.ts'

/**
 * The row of the registry under which a generation was first published, in its own folder: from
 * these a lost registry is made again. What the row learns later (a newer date as label, the
 * commit of a source that stayed as it was, a calibration) is not written here again.
 */
export type EntryFile = Omit<Entry, 'previous'>

const name = 'entry.json'
const format = 1

/**
 * Writes the row into its generation's folder, unless one is there. Called before the registry
 * names the generation.
 */
export async function writeEntryFile(folder: string, entry: EntryFile): Promise<void> {
  const { key, library, version, live } = entry
  const path = join(folder, 'generations', live.id, name)
  if (existsSync(path)) return
  const { previous: _, ...written } = storedEntry({ key, library, version, live, previous: null })
  const text = JSON.stringify({ format, sum: sumOf(written), entry: written }, null, 1)
  await writeFileAtomically(path, `${text}\n`)
}

/** Reads the row that a generation keeps; null where there is none that can be trusted. */
export async function readEntryFile(folder: string, id: string): Promise<EntryFile | null> {
  const text = await readFile(join(folder, 'generations', id, name), 'utf8').catch(() => '')
  return parseEntryFile(text, id)
}

/** The row in the text of an entry file of generation `id`; null where it cannot be trusted. */
export function parseEntryFile(text: string, id: string): EntryFile | null {
  try {
    const { format: written, sum, entry } = JSON.parse(text)
    if (written !== format || sum !== sumOf(entry)) return null
    const row = { ...entry, previous: null }
    if (entryFault(row) !== null || entry.live.id !== id) return null
    const { previous: _, ...file } = readEntry(row)
    return file
  } catch {
    return null
  }
}

/**
 * Deletes the rows that removed generations keep of themselves. A reader may still hold such a
 * generation open, and a repair would take it for one that the registry has lost.
 */
export async function forgetEntryFiles(folder: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await rm(join(folder, 'generations', id, name), { force: true })
}

/** Ids of the generations that a registry has named at some time, as far as they are there. */
export async function publishedIds(folder: string): Promise<string[]> {
  const root = join(folder, 'generations')
  const names = await readdir(root).catch(() => [])
  return names.filter((id) => /^[\w-]+$/.test(id) && existsSync(join(root, id, name)))
}

function sumOf(entry: unknown): string {
  return sha256(JSON.stringify(entry))
}
