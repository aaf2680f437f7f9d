import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { appendDurably } from './edit-file.ts'
import { syncFolder } from './files.ts'
import { savedFileName, savedFileHash, type SavedFile, parseSavedName } from './saved-file.ts'
import { readFinalBytes, canSeeWriters } from './exchange.ts'

/**
 * Completes killed `editFile` calls in this folder. Deletes unused new content, and deletes old
 * files after moving the text that was appended to them. Call only while no edit of these files is
 * running.
 */
export async function recoverEdits(folder: string): Promise<void> {
  for (const fileName of await readdir(folder).catch(() => [])) {
    const keptFile = parseSavedName(fileName)
    if (keptFile !== null) await recover(folder, { fileName, kept: keptFile })
    // The content of an interrupted write, or of a new file that another process is finishing.
    else if (/^\..+\.(?:\d+\.)?[0-9a-f]{12}$/.test(fileName))
      rmSync(join(folder, fileName), { force: true })
  }
}

/** Identifies the bytes of a file by size and `savedFileHash`. */
export type FileIdentity = { size: number; hash: string }

/**
 * Removes a file with these bytes. Text that another process appends during the removal becomes the
 * file's new content. A file that has changed in any other way stays.
 */
export async function removeFile(path: string, { size, hash }: FileIdentity): Promise<void> {
  const folder = dirname(path)
  const sees = canSeeWriters(path, statSync(path))
  // No file has inode 0, so recovery treats the file with this name as the old one.
  const kept: SavedFile = { name: basename(path), newInode: 0n, size, hash }
  const fileName = savedFileName(kept)
  renameSync(path, join(folder, fileName))
  await readFinalBytes(join(folder, fileName), sees)
  await recover(folder, { fileName, kept })
  await syncFolder(folder)
}

async function recover(
  folder: string,
  { fileName, kept }: { fileName: string; kept: SavedFile },
): Promise<void> {
  const [path, target] = [join(folder, fileName), join(folder, kept.name)]
  const inode = inodeOf(path)
  const targetInode = inodeOf(target)
  if (inode === kept.newInode || inode === targetInode) return rmSync(path)
  if (targetInode === null && fileName.endsWith('~')) return renameSync(path, target)
  const bytes = readFileSync(path)
  const isRead = savedFileHash(bytes.subarray(0, kept.size)) === kept.hash
  if (!isRead) {
    // Another process wrote the file, and no edit has read its text. A file newer than ours stays.
    const isFree = targetInode === null || targetInode === kept.newInode
    renameSync(path, isFree ? target : `${target}.kept`)
    return
  }
  const appended = bytes.subarray(kept.size)
  const isThere =
    appended.length === 0 || (targetInode !== null && readFileSync(target).includes(appended))
  if (!isThere) await appendDurably(target, appended)
  rmSync(path)
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null
}
