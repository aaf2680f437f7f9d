import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, syncTree, writeFileAtomically } from '../../platform/file/files.ts'
import { dayFiles, topFiles } from '../memory-files.ts'
import { privatePath } from '../private-path.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Puts the files of a backup in the place of the present ones, all or none: they are staged and
 * synced, then one rename decides, and from there on whoever opens the workspace next brings it to
 * an end. Files of today that the backup lacks go; the caller has kept them in a backup.
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

/** Whether a restore was decided and is not at its end. */
export function isRestoring(workspace: Workspace): boolean {
  return existsSync(privatePath(workspace, 'restore'))
}

/** Brings a restore to its end that was decided; does nothing where there is none. */
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
  // Gone by one rename: half a stage would have the rest of the files removed.
  await rename(folder, `${folder}.done`)
  await rm(`${folder}.done`, { recursive: true, force: true })
}

/** What a backup holds: every Markdown file of the folder itself, and the daily logs. */
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
