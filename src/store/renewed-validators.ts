import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../platform/file/files.ts'
import { remoteOf } from './remote/attached.ts'

/**
 * New validators (such as ETags) of pages that turned out to be unchanged, by URL. Writing a new
 * generation for them would be wasteful, so they are stored next to its tables, and only updates
 * read them.
 */
export async function readRenewed(folder: string, id: string): Promise<Map<string, string>> {
  const text = await readFile(renewedPath(folder, id), 'utf8').catch(() => '{}')
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>))
  } catch {
    return new Map() // They are only an optimisation: without them, pages are fetched again.
  }
}

export async function writeRenewed(
  folder: string,
  id: string,
  validators: ReadonlyMap<string, string>,
): Promise<void> {
  const text = `${JSON.stringify(Object.fromEntries(validators))}\n`
  await writeFileAtomically(renewedPath(folder, id), text)
  await remoteOf(folder)?.writeNotes(id, text)
}

function renewedPath(folder: string, id: string): string {
  return join(folder, 'generations', id, 'renewed-validators.json')
}
