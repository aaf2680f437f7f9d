import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isOwnFile, type Workspace, realpathOf } from './workspace.ts'
import { parseEntries, type MemoryEntry } from './entry.ts'

export function memoryFiles(workspace: Workspace): string[] {
  const { path, customFiles } = workspace
  const days = dayFiles(workspace)
  const fixed = ['MEMORY.md', 'USER.md', 'AGENTS.md', 'RELATIONS.md']
  const own = customFiles.map(({ name }) => name).filter((name) => !fixed.includes(name))
  const exists = (file: string) => existsSync(join(path, file))
  return [...fixed.filter(exists), ...days, ...own.filter(exists)]
}

/**
 * Returns the Markdown files in `daily` by name: logs (`YYYY-MM-DD.md`, oldest first) and others.
 */
export function dayFiles({ path }: Workspace): string[] {
  return markdownIn(path, 'daily').map((name) => `daily/${name}`)
}

export function topFiles({ path }: Workspace): string[] {
  return markdownIn(path)
}

function markdownIn(workspace: string, folder = ''): string[] {
  const target = realpathOf(join(workspace, folder))
  if (target === null || !`${target}${sep}`.startsWith(workspace + sep)) return []
  return namesIn(target)
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .filter((name) => isOwnFile(workspace, join(folder, name)))
    .sort()
}

/** Synchronous, because for small folders a switch to a thread takes longer than reading. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * Returns a path in the hidden folder of a workspace, which contains the journal, the lock and the
 * restore stage.
 */
export function privatePath({ path }: Workspace, ...names: string[]): string {
  return join(path, '.og', ...names)
}

export function journalNames(workspace: Workspace): string[] {
  const names = namesIn(privatePath(workspace, 'journal'))
  return names.filter((name) => /^\d{4}-\d\d\.jsonl$/.test(name)).sort()
}

export type FileEntry = MemoryEntry & { file: string }

/** Returns all entries in file order. Skips RELATIONS.md, which contains no entries. */
export async function readEntries(workspace: Workspace): Promise<FileEntry[]> {
  const files = memoryFiles(workspace).filter((file) => file !== 'RELATIONS.md')
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
