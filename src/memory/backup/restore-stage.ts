import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, syncTree, writeFileAtomically } from '../../platform/file/files.ts'
import { dayFiles, topFiles } from '../memory-files.ts'
import { privatePath } from '../private-path.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Replaces the present files by those of a backup, all or none. The new files are staged and
 * synced, then one rename decides; after it, the next opening of the workspace finishes the restore
 * if this call does not. Files that the backup lacks are deleted; the caller has backed them up.
 */
export async function swapFiles(
  workspace: Workspace,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const folder = privatePath(workspace, 'restore')
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  for (const [file, bytes] of files) {
    await mkdir(dirname(join(draft, file)), { recursive: true })
    await writeFile(join(draft, file), bytes)
  }
  await syncTree(draft)
  await rename(draft, folder)
  await syncFolder(dirname(folder))
  await finishRestore(workspace)
}

/** Whether a restore was decided and is not finished. */
export function isRestoring(workspace: Workspace): boolean {
  return existsSync(privatePath(workspace, 'restore'))
}

/** Finishes a restore that was decided; does nothing where there is none. */
export async function finishRestore(workspace: Workspace): Promise<void> {
  const folder = privatePath(workspace, 'restore')
  await rm(`${folder}.done`, { recursive: true, force: true })
  if (!isRestoring(workspace)) return
  const staged = await filesBelow(folder, '')
  for (const file of staged) {
    const path = join(workspace.path, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFileAtomically(path, await readFile(join(folder, file)))
  }
  for (const file of await truthFiles(workspace)) {
    if (!staged.includes(file)) await rm(join(workspace.path, file))
  }
  // Renamed before it is deleted: from half a stage, the next call would delete the other files.
  await rename(folder, `${folder}.done`)
  await rm(`${folder}.done`, { recursive: true, force: true })
}

/** The files that a backup holds: every Markdown file of the folder itself, and the daily logs. */
export async function truthFiles(workspace: Workspace): Promise<string[]> {
  return [...await topFiles(workspace), ...await dayFiles(workspace)]
}

async function filesBelow(folder: string, prefix: string): Promise<string[]> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true })
  const nested = entries.map((entry) => {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    return entry.isDirectory() ? filesBelow(folder, name) : [name]
  })
  return (await Promise.all(nested)).flat()
}
