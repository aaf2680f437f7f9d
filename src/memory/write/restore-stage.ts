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
 * Atomically replaces the current files with the files of a backup. The new files are staged and
 * synced, then one rename commits the restore; if the process dies after that, the next open of the
 * workspace completes the restore. Deletes files that the backup lacks. `present` are the files
 * that the caller has backed up. If a different program later appends lines to a file, they stay;
 * if it changes the file in any other way, the whole file stays.
 * @returns the files left unchanged because a different program had changed them
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

/** File systems allow names of 255 bytes, and the name of the temporary file is longer. */
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

/** Name of the file in the stage that contains the checksums of the files to replace. */
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
 * Completes a committed restore, if there is one.
 * @returns the files left unchanged because a different program had changed them
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
  // Renames the folder before deleting it: after a partial deletion of the stage, the next call
  // would delete the other files.
  await rename(folder, `${folder}.done`)
  await rm(`${folder}.done`, { recursive: true, force: true })
  return left
}

const absent: FileIdentity = { size: Infinity, hash: '' }

/**
 * Moves a staged file into place. Returns false if a different program has changed the existing
 * file.
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
