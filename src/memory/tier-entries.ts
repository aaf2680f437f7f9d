import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEntries, type MemoryEntry } from './entry.ts'
import { isOwnFile, memoryFiles } from './memory-files.ts'
import type { Workspace } from './workspace.ts'

export type FileEntry = MemoryEntry & { file: string }

/**
 * Returns all entries of all tiers, in file order. RELATIONS.md is left out, because it contains
 * relations.
 */
export async function readEntries(workspace: Workspace): Promise<FileEntry[]> {
  const files = (await memoryFiles(workspace)).filter((file) => file !== 'RELATIONS.md')
  return (await Promise.all(files.map((file) => entriesOf(workspace, file)))).flat()
}

export async function hasEntryInFile(
  workspace: Workspace,
  file: string,
  body: string,
): Promise<boolean> {
  const entries = await entriesOf(workspace, file)
  const same = entries.filter((entry) => entry.body === body)
  if (same.length === 0) return false
  const corrected = new Set(entries.flatMap(({ corrects }) => corrects))
  return same.some(({ id }) => !corrected.has(id))
}

async function entriesOf({ path }: Workspace, file: string): Promise<FileEntry[]> {
  const isOurs = isOwnFile(path, file)
  const text = isOurs ? await readFile(join(path, file), 'utf8').catch(() => '') : ''
  const day = /^daily\/(\d{4}-\d\d-\d\d)\.md$/.exec(file)?.[1]
  return parseEntries(text, { day }).map((entry) => ({ ...entry, file }))
}
