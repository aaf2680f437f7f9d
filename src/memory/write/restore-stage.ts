import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { editFile, type FileSnapshot } from '../../platform/file/edit-file.ts'
import { syncFolder, syncTree } from '../../platform/file/files.ts'
import { filesBelow } from '../../platform/file/space.ts'
import { appendedBytes, savedFileHash } from '../../platform/file/saved-file.ts'
import { type FileIdentity, removeFile } from '../../platform/file/recover-edits.ts'
import { dayFiles, topFiles, privatePath } from '../memory-files.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Replaces the current files with the files of a backup. Stages and syncs the new files, then
 * commits with one rename. If the process dies after that, the next open of the workspace completes
 * the restore. Deletes files that the backup lacks. `present` contains the files that the caller
 * has backed up. If another program has appended lines to a file, keeps the lines; if it has
 * changed the file otherwise, keeps the whole file.
 * @returns the files that another program has changed
 */
export async function swapFiles(
  workspace: Workspace,
  files: ReadonlyMap<string, Uint8Array>,
  present: ReadonlyMap<string, Uint8Array>,
): Promise<string[]> {
  for (const file of files.keys()) refuseLongName(file)
  const folder = privatePath(workspace, 'restore')
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  for (const [file, bytes] of files) {
    await mkdir(dirname(join(draft, file)), { recursive: true })
    await writeFile(join(draft, file), bytes)
  }
  await writeFile(join(draft, presentName), JSON.stringify(sumsOf(present)))
  await syncTree(draft)
  await rename(draft, folder)
  await syncFolder(dirname(folder))
  return finishRestore(workspace)
}

/** File systems allow 255 bytes. The name of the temporary file is longer than the file's own. */
const maxNameBytes = 200

function refuseLongName(file: string): void {
  const bytes = Buffer.byteLength(basename(file))
  if (bytes <= maxNameBytes) return
  const start = `${file.slice(0, 40)}…`
  throw new OgError(
    `Cannot write "${start}": its name has ${bytes} bytes, the limit is ${maxNameBytes}`,
    { hint: 'nothing was changed; rename the file in the archive or folder' },
  )
}

/** The staged file with the checksums of the files to replace. */
const presentName = '.present.json'

type Sums = Record<string, FileIdentity>

function sumsOf(files: ReadonlyMap<string, Uint8Array>): Sums {
  return Object.fromEntries(
    [...files].map(([file, bytes]) => [file, { size: bytes.length, hash: savedFileHash(bytes) }]),
  )
}

export function isRestoring(workspace: Workspace): boolean {
  return existsSync(privatePath(workspace, 'restore'))
}

/**
 * Completes a committed restore, if any.
 * @returns the files that another program has changed
 */
export async function finishRestore(workspace: Workspace): Promise<string[]> {
  const folder = privatePath(workspace, 'restore')
  await rm(`${folder}.done`, { recursive: true, force: true })
  if (!isRestoring(workspace)) return []
  const all = await filesBelow(folder)
  const staged = all.filter((file) => file !== presentName)
  const sums = JSON.parse(await readFile(join(folder, presentName), 'utf8')) as Sums
  const left: string[] = []
  for (const file of staged) {
    const path = join(workspace.path, file)
    await mkdir(dirname(path), { recursive: true })
    const bytes = await readFile(join(folder, file))
    if (!(await putStaged(path, bytes, sums[file] ?? absent))) left.push(file)
  }
  for (const file of await listBackedUpFiles(workspace)) {
    if (staged.includes(file)) continue
    const path = join(workspace.path, file)
    if (sums[file] !== undefined) await removeFile(path, sums[file])
  }
  // If the deletion of the stage were interrupted, the next call would delete the restored files.
  // The rename prevents that.
  await rename(folder, `${folder}.done`)
  await rm(`${folder}.done`, { recursive: true, force: true })
  return left
}

const absent: FileIdentity = { size: Infinity, hash: '' }

/**
 * Moves a staged file into place. Returns false if another program has changed the existing file.
 */
async function putStaged(path: string, staged: Buffer, sums: FileIdentity): Promise<boolean> {
  let isOurs = true
  const plan = (before: FileSnapshot | null): Buffer | null => {
    isOurs = true
    if (before === null) return staged
    const { bytes } = before
    const isPut = appendedBytes(staged, bytes) !== null
    const isBackedUp = savedFileHash(bytes.subarray(0, sums.size)) === sums.hash
    // If one text is a prefix of the other, their lengths show which version is on disk.
    if (isPut && (!isBackedUp || staged.length >= sums.size)) return null
    isOurs = isBackedUp
    return isBackedUp ? Buffer.concat([staged, bytes.subarray(sums.size)]) : null
  }
  await editFile(path, { plan, keepsAppended: true, limitMb: 4096 })
  return isOurs
}

export function unchangedFilesWarning(files: string[]): { warning?: string } {
  if (files.length === 0) return {}
  return { warning: `not restored: another program changed ${files.join(', ')} meanwhile` }
}

export async function listBackedUpFiles(workspace: Workspace): Promise<string[]> {
  return [...topFiles(workspace), ...dayFiles(workspace)]
}
