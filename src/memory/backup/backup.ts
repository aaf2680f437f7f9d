import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { messageOf, OgError } from '../../platform/error.ts'
import { syncFolder, writeFileAtomically } from '../../platform/file/files.ts'
import { readArchiveChecksums, packArchive, unpackArchive } from './archive.ts'
import { backupFolder, listBackups, type Backup } from './backup-list.ts'
import { localTime } from '../clock.ts'
import { resolveExistingFile } from '../write/memory-file.ts'
import { listBackedUpFiles } from './restore-stage.ts'
import { withWriteLock } from '../write/write-lock.ts'
import type { Workspace } from '../workspace.ts'
import type { Writer } from '../write/writer.ts'

export type BackupResult = Backup & {
  files: number
  /**
   * True if nothing was written because the newest backup has the same content; the result is then
   * that backup.
   */
  unchanged?: true
}

type BackupOptions = { skipUnchanged?: boolean; keep?: number }

export async function backUpWorkspace(
  writer: Writer,
  options: BackupOptions = {},
): Promise<BackupResult> {
  return withWriteLock(writer, async (turn) => writeBackup(writer.workspace, turn.now, options))
}

/**
 * Writes an archive that upstream can read, and verifies it by reading it back. `keep` is the
 * number of backups to keep; by default all are kept. `files` are the files, if the caller has
 * already read them. The caller holds the lock.
 */
export async function writeBackup(
  workspace: Workspace,
  now: Date,
  options: BackupOptions & { files?: Map<string, Uint8Array> } = {},
): Promise<BackupResult> {
  const { files = await readMarkdownFiles(workspace) } = options
  const [newest] = await listBackups(workspace)
  if (options.skipUnchanged === true && newest && (await holds(newest, files))) {
    return { ...newest, files: files.size, unchanged: true }
  }
  const folder = backupFolder(workspace)
  await mkdir(folder, { recursive: true })
  const name = unusedName(folder, now)
  const path = join(folder, `${name}.zip`)
  await writeFileAtomically(path, packArchive(files, now))
  await syncFolder(workspace.path)
  const { files: verified } = await verifyBackup({ name, path })
  if (options.keep !== undefined) await retain(workspace, name, options.keep)
  return { name, path, files: verified }
}

export async function verifyBackup({ name, path }: Backup): Promise<{ files: number }> {
  return { files: (await readBackup({ name, path })).size }
}

export async function readBackup({ name, path }: Backup): Promise<Map<string, Buffer>> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new OgError(`Cannot read backup "${name}": ${messageOf(cause)}`, { cause })
  })
  return unpackArchive(bytes, name)
}

/** Returns the bytes of every Markdown file. The caller holds the lock. */
export async function readMarkdownFiles(workspace: Workspace): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  for (const file of await listBackedUpFiles(workspace)) {
    files.set(file, await readFile(resolveExistingFile(workspace, file).path))
  }
  return files
}

async function holds({ name, path }: Backup, files: Map<string, Uint8Array>): Promise<boolean> {
  const sums = await readFile(path)
    .then((bytes) => readArchiveChecksums(bytes, name))
    .catch(() => null)
  if (sums === null) return false
  const isSame = ([file, bytes]: [string, Uint8Array]) => sums.get(file) === crc32(bytes)
  return sums.size === files.size && [...files].every(isSame)
}

/** Returns an unused name; two backups in the same second get different names. */
function unusedName(folder: string, now: Date): string {
  const { day, time } = localTime(now)
  const seconds = String(now.getSeconds()).padStart(2, '0')
  const stem = `${day}_${time.replace(':', '')}${seconds}`
  for (let i = 1; ; i++) {
    const name = i === 1 ? stem : `${stem}-${i}`
    if (!existsSync(join(folder, `${name}.zip`))) return name
  }
}

/**
 * Deletes all but the newest backups, and keeps `made`, which was just written. Backups with a
 * later date are counted separately: the clock was wrong then or is wrong now, which must not
 * delete valid backups.
 */
async function retain(workspace: Workspace, made: string, keep: number): Promise<void> {
  const all = await listBackups(workspace)
  const place = all.findIndex(({ name }) => name === made)
  const groups = [all.slice(0, place), all.slice(place)]
  const superfluous = groups.flatMap((backups) => backups.slice(Math.max(1, keep)))
  for (const { path } of superfluous) await rm(path)
}
