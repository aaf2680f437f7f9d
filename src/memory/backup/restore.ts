import { OgError } from '../../platform/error.ts'
import type { Backup } from './backup-list.ts'
import { backUp, readBackup } from './backup.ts'
import { swapFiles } from './restore-stage.ts'
import { takeTurn } from '../write/turn.ts'
import type { Writer } from '../write/writer.ts'

export type RestoreResult = { restored: string; files: number; backup: string }

/**
 * Replaces the files by those of a backup: reads all of it first, backs up the present, stages and
 * swaps. Killed at any point, the files are the old ones or, at the next opening, the new ones.
 */
export async function restore(writer: Writer, chosen: Backup): Promise<RestoreResult> {
  const { workspace } = writer
  return takeTurn(writer, async ({ now }) => {
    const files = await readBackup(chosen)
    if (files.size === 0) {
      throw new OgError(`Cannot restore backup "${chosen.name}": it holds no memory files`)
    }
    const { name } = await backUp(workspace, now, { skipUnchanged: true })
    await swapFiles(workspace, files)
    return { restored: chosen.name, files: files.size, backup: name }
  })
}
