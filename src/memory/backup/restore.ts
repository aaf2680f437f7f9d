import { OgError } from '../../platform/error.ts'
import type { Backup } from './backup-list.ts'
import { writeBackup, readMarkdownFiles, readBackup } from './backup.ts'
import { unchangedFilesWarning, swapFiles } from './restore-stage.ts'
import { withWriteLock } from '../write/write-lock.ts'
import type { Writer } from '../write/writer.ts'

export type RestoreResult = { restored: string; files: number; backup: string; warning?: string }

/**
 * Restores a backup: reads it completely, backs up the current files, stages the new ones and swaps
 * them. If the process is killed, the workspace has either the old files or, after it is opened
 * again, the new ones.
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
