import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'
import { packArchive, writeBackup, readMarkdownFiles, readBackup } from './backup.ts'
import { unchangedFilesWarning, swapFiles } from '../write/restore-stage.ts'
import { seeds } from '../workspace.ts'
import { withWriteLock, type Writer } from '../write/write-lock.ts'
import type { Backup } from './backup-list.ts'

export type MemoryExport = { bytes: Uint8Array; files: number }

export async function exportMemory(writer: Writer): Promise<MemoryExport> {
  return withWriteLock(writer, async ({ now }) => {
    const files = await readMarkdownFiles(writer.workspace)
    return { bytes: packArchive(files, now), files: files.size }
  })
}

export type ImportResult = {
  files: number
  /** Name of the backup of the previous content; null if the memory was new. */
  backup: string | null
  warning?: string
}

/**
 * Replaces all files, in one atomic step, with those of an archive or of another workspace's
 * folder. The source can be from og or upstream.
 * @throws OgError if this memory already has content and `replace` is false
 */
export async function importMemory(
  writer: Writer,
  path: string,
  options: { replace: boolean },
): Promise<ImportResult> {
  const files = await filesAt(path)
  const { workspace } = writer
  return withWriteLock(writer, async ({ now }) => {
    const present = await readMarkdownFiles(workspace)
    const isNew = isUntouched(present)
    if (!isNew && !options.replace) {
      throw new OgError(`Cannot import into memory "${workspace.name}": it is not empty`, {
        hint: '--workspace NAME imports into another one, and --replace backs this one up first',
      })
    }
    const backup = isNew
      ? null
      : await writeBackup(workspace, now, { skipUnchanged: true, files: present })
    const left = await swapFiles(workspace, files, present)
    return { files: files.size, backup: backup?.name ?? null, ...unchangedFilesWarning(left) }
  })
}

async function filesAt(path: string): Promise<Map<string, Uint8Array>> {
  const stats = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new OgError(`Cannot read ${path}: ${messageOf(cause)}`, { cause })
  })
  const files = stats.isDirectory()
    ? await filesInFolder(path)
    : await readBackup({ name: basename(path), path })
  if (files.size > 0) return files
  throw new OgError(`Cannot import ${path}: it contains no memory files`, {
    hint: 'give a workspace (a folder with MEMORY.md) or a backup (a ZIP of one)',
  })
}

async function filesInFolder(folder: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  for (const prefix of ['', 'daily/']) {
    const entries = await readdir(join(folder, prefix), { withFileTypes: true }).catch(() => [])
    const names = entries
      .filter((entry) => entry.isFile() && /^[^.].*\.md$/.test(entry.name))
      .map(({ name }) => prefix + name)
    for (const name of names.sort()) files.set(name, await readFile(join(folder, name)))
  }
  return files
}

function isUntouched(files: ReadonlyMap<string, Uint8Array>): boolean {
  return [...files].every(([name, bytes]) => {
    const text = Buffer.from(bytes).toString('utf8').trim()
    return text === '' || text === seeds[name]?.trim()
  })
}

export type RestoreResult = { restored: string; files: number; backup: string; warning?: string }

/**
 * Restores a backup: reads all of it, backs up the current files, stages the new files and then
 * swaps them. If the process is killed, the old files stay, or the next open of the workspace
 * completes the swap.
 */
export async function restore(writer: Writer, chosen: Backup): Promise<RestoreResult> {
  const { workspace } = writer
  return withWriteLock(writer, async ({ now }) => {
    const files = await readBackup(chosen)
    if (files.size === 0) {
      throw new OgError(`Cannot restore backup "${chosen.name}": it contains no memory files`)
    }
    const present = await readMarkdownFiles(workspace)
    const { name } = await writeBackup(workspace, now, { skipUnchanged: true, files: present })
    const left = await swapFiles(workspace, files, present)
    const result = { restored: chosen.name, files: files.size, backup: name }
    return { ...result, ...unchangedFilesWarning(left) }
  })
}
