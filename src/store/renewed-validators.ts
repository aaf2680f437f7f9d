import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../platform/file/files.ts'
import { remoteOf } from './remote/attached.ts'

/**
 * What sources noted of pages that turned out to be as they were, by url: new tags of old pages. A
 * generation is not written again for it; these stand beside its tables, only updates read them.
 */
export async function readRenewed(folder: string, id: string): Promise<Map<string, string>> {
  const text = await readFile(renewedPath(folder, id), 'utf8').catch(() => '{}')
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>))
  } catch {
    return new Map() // Only notes: without them pages are fetched once more.
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
