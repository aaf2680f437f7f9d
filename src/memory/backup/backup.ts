import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { messageOf, OgError } from '../../platform/error.ts'
import { syncFolder, writeFileAtomically } from '../../platform/file/files.ts'
import { backupFolder, listBackups, type Backup } from './backup-list.ts'
import { localTime } from '../text.ts'
import { resolveExistingFile } from '../write/memory-file.ts'
import { listBackedUpFiles } from '../write/restore-stage.ts'
import { withWriteLock, type Writer } from '../write/write-lock.ts'
import type { Workspace } from '../workspace.ts'
import { zipSync } from 'fflate'
import { openZip, type ZipArchive } from '../../platform/archive/zip-archive.ts'

export type BackupResult = Backup & {
  files: number
  /** True if the newest backup already has this content. The result then describes that backup. */
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
 * Writes an archive that upstream can read, then reads it back to verify it. `keep` limits the
 * number of backups; by default, old backups are never deleted. `files` saves reading the files
 * again. The caller must hold the write lock.
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

/** Returns the content of every Markdown file. The caller must hold the write lock. */
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
 * Deletes old backups, but never `made`, which was just written. Counts backups dated in the future
 * separately, so that a wrong clock does not cause valid backups to be deleted.
 */
async function retain(workspace: Workspace, made: string, keep: number): Promise<void> {
  const all = await listBackups(workspace)
  const place = all.findIndex(({ name }) => name === made)
  const groups = [all.slice(0, place), all.slice(place)]
  const superfluous = groups.flatMap((backups) => backups.slice(Math.max(1, keep)))
  for (const { path } of superfluous) await rm(path)
}

export function packArchive(files: ReadonlyMap<string, Uint8Array>, modified: Date): Uint8Array {
  return zipSync(Object.fromEntries(files), { level: 6, mtime: zipTime(modified) })
}

/**
 * Clamps a time to the years 1980 to 2099, which a ZIP can represent. A computer without a clock
 * battery starts in 1970.
 */
function zipTime(time: Date): Date {
  const year = Math.min(2099, Math.max(1980, time.getFullYear()))
  return year === time.getFullYear() ? time : new Date(year, 0, 1)
}

/**
 * Limit on unpacked bytes, far more than a real memory has. The sizes that an archive declares may
 * be wrong.
 */
const maxBytes = 512 * 1024 * 1024

/**
 * Unpacks the Markdown files at the top level and in `daily/` of a ZIP. Verifies their length and
 * CRC-32. Skips other files, such as upstream's index.
 * @throws OgError that describes the damage
 */
export async function unpackArchive(bytes: Buffer, name: string): Promise<Map<string, Buffer>> {
  const archive = openBackup(bytes, name)
  const paths = new Set<string>()
  let total = 0
  for (const { path, sizeBytes, refusal: refused } of archive.files) {
    if (!/^(?:daily\/)?[^/\\\0.][^/\\\0]*\.md$/.test(path)) continue
    total += sizeBytes
    if (total > maxBytes) throw damaged(name, 'its files have more than 512 MB')
    if (paths.has(path)) throw damaged(name, `"${path}" is in it twice`)
    if (refused !== null) throw damaged(name, `"${path}" is ${refused}`)
    paths.add(path)
  }
  const files = new Map<string, Buffer>()
  for await (const content of archive.contents(paths)) {
    if ('reason' in content) throw damaged(name, `"${content.path}" is damaged: ${content.reason}`)
    files.set(content.path, content.bytes)
  }
  return files
}

/** Reads the CRC-32 of each file from the central directory. */
function readArchiveChecksums(bytes: Buffer, name: string): Map<string, number> {
  return new Map(openBackup(bytes, name).files.map(({ path, checksum }) => [path, checksum]))
}

function openBackup(bytes: Buffer, name: string): ZipArchive {
  try {
    return openZip({ length: bytes.length, read: (at, length) => bytes.subarray(at, at + length) })
  } catch (error) {
    throw damaged(name, messageOf(error))
  }
}

function damaged(name: string, why: string): OgError {
  return new OgError(`Cannot read backup "${name}": ${why}`)
}
