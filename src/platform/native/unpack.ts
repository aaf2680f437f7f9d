import { randomBytes } from 'node:crypto'
import {
  mkdir,
  open,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
  type FileHandle,
  lstat,
} from 'node:fs/promises'
import { join } from 'node:path'
import { openJobLimiter, type JobLimiter } from '../concurrency.ts'
import { OgError } from '../error.ts'
import { deleteLeftovers, explainDiskError } from '../file/space.ts'
import { sha256OfFile } from '../hash.ts'
import { createLockFile, lockExclusive } from '../lock.ts'
import { findFrames } from './asset.ts'
import type { BundledFiles, BundledFile } from './bundled.ts'
import { readFileSync, constants, existsSync, openSync } from 'node:fs'
import { writeFileAtomically } from '../file/files.ts'
import { isOnlyWritableByUser, whyUnsafe } from '../file/safe-folder.ts'

const stampName = 'unpacked.json'
const freshPrefix = '.new-'
export const replacedFolderPrefix = '.old-'
/** Name of the lock file that a process holds while it uses natives from the folder. */
export const leaseName = 'lease'

/**
 * Unpacks the bundled files to `root/<hash>` if they are missing, and returns that folder. A single
 * rename makes all files appear together. If two processes start together, only one unpacks.
 * Replaces a folder with a changed, truncated or missing file. `verify` hashes every byte.
 */
export async function unpack(
  embedded: BundledFiles,
  root: string,
  options: { verify?: boolean; offline?: boolean; onUnpacked?: () => void } = {},
): Promise<string> {
  const folder = join(root, embedded.hash)
  if (await isWhole(embedded, folder, options)) return folder
  await mkdir(root, { recursive: true, mode: 0o700 })
  const lock = { timeoutMs: 120_000, what: `the unpacked files in ${root}` }
  using _turn = await lockExclusive(join(root, '.lock'), lock)
  if (await isWhole(embedded, folder, options)) return folder
  for (const prefix of [freshPrefix, replacedFolderPrefix]) await deleteLeftovers(root, prefix)
  const fresh = join(root, `${freshPrefix}${randomBytes(4).toString('hex')}`)
  try {
    await mkdir(fresh, { mode: 0o700 })
    const turn = openJobLimiter(partsAtOnce)
    await allEnded(
      embedded.files.map(async (file) => {
        const path = await findFrames(file, { root, offline: options.offline })
        await unpackFile({ ...file, path }, join(fresh, file.name), turn)
      }),
    )
    createLockFile(join(fresh, leaseName))
    const stamp = JSON.stringify(await stamps(embedded, fresh))
    await writeFile(join(fresh, stampName), stamp, { mode: 0o644 })
    await swapIn(fresh, folder)
    options.onUnpacked?.()
  } catch (error) {
    throw explain(root, error)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return folder
}

/** True if `root` contains the bundled files with the expected sizes and times. */
export function isUnpacked(embedded: BundledFiles, root: string): Promise<boolean> {
  return isWhole(embedded, join(root, embedded.hash), {})
}

export async function damagedFiles(embedded: BundledFiles, folder: string): Promise<string[]> {
  const damaged: string[] = []
  for (const { name, sha256 } of embedded.files) {
    const actual = await sha256OfFile(join(folder, name)).catch(() => null)
    if (actual !== sha256) damaged.push(name)
  }
  return damaged
}

async function isWhole(
  embedded: BundledFiles,
  folder: string,
  options: { verify?: boolean },
): Promise<boolean> {
  const stamp = await readFile(join(folder, stampName), 'utf8').catch(() => null)
  if (stamp === null) return false
  if (stamp !== JSON.stringify(await stamps(embedded, folder))) return false
  return options.verify !== true || (await damagedFiles(embedded, folder)).length === 0
}

/** Returns the size and modification time of each file. Any later write changes them. */
async function stamps(embedded: BundledFiles, folder: string): Promise<unknown[]> {
  return Promise.all(
    embedded.files.map(async (file) => {
      const stats = await stat(join(folder, file.name)).catch(() => null)
      return [file.name, stats?.size ?? -1, stats?.mtimeMs ?? -1]
    }),
  )
}

/** Number of parts that are unpacked at once. Each part is held in memory as a whole. */
const partsAtOnce = 2

async function unpackFile(file: BundledFile, path: string, turn: JobLimiter): Promise<void> {
  await using out = await open(path, 'wx', 0o500)
  const source = Bun.file(file.path)
  if (file.parts === null) await writeStored(source.stream(), file, out)
  else {
    let from = 0
    await allEnded(
      file.parts.map((part) => {
        const frame = source.slice(from, (from += part.storedBytes))
        return turn.run(async () => {
          await writeAt(out, await unpackFrame(frame, file.name), part.start)
          // Without this, the memory of all parts would be in use together.
          Bun.gc(true)
        })
      }),
    )
  }
  // If there is a boot id, files are hashed again after a reboot, which detects damage by a power
  // cut. Without one, flush the file to disk.
  if (bootId() === '') await out.sync()
  // Use whole seconds because archives and image layers store no fractions.
  const now = Math.floor(Date.now() / 1000)
  await utimes(path, now, now)
}

/** Waits until all writers have ended, and then rejects if one of them rejected. */
async function allEnded(writers: Promise<void>[]): Promise<void> {
  await Promise.allSettled(writers)
  await Promise.all(writers)
}

/**
 * Decompresses a frame in a thread, which takes less time and memory than a stream. The
 * decompressor verifies the frame's checksum, which is much faster than SHA-256.
 */
async function unpackFrame(frame: Blob, name: string): Promise<Uint8Array> {
  const bytes = await frame.bytes()
  return Bun.zstdDecompress(bytes).catch((cause: unknown) => {
    throw damagedExecutable(name, cause)
  })
}

async function writeStored(
  bytes: AsyncIterable<Uint8Array>,
  { name, sha256 }: BundledFile,
  out: FileHandle,
): Promise<void> {
  const hash = new Bun.CryptoHasher('sha256')
  let at = 0
  for await (const piece of bytes) {
    hash.update(piece)
    await writeAt(out, piece, at)
    at += piece.length
  }
  if (hash.digest('hex') !== sha256) throw damagedExecutable(name)
}

async function writeAt(out: FileHandle, bytes: Uint8Array, start: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await out.write(bytes, done, bytes.length - done, start + done)).bytesWritten
  }
}

function damagedExecutable(name: string, cause?: unknown): OgError {
  const hint = 'download it again'
  return new OgError(`Cannot unpack ${name}: the executable is damaged`, { hint, cause })
}

/** Replaces the damaged folder, if there is one. The caller holds the lock. */
async function swapIn(fresh: string, folder: string): Promise<void> {
  // Rename instead of deleting in place, so that the path never leads to an incomplete folder.
  const aside = join(folder, '..', `${replacedFolderPrefix}${randomBytes(4).toString('hex')}`)
  await rename(folder, aside).catch((error) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(fresh, folder)
  await rm(aside, { recursive: true, force: true })
}

/** Explains a full disk. Passes on other errors because the caller tries another folder. */
function explain(root: string, cause: unknown): unknown {
  const { code } = cause as { code?: string }
  if (code !== 'ENOSPC' && code !== 'EFBIG') return cause
  const { why, hint } = explainDiskError(cause, 'OG_CACHE_DIR')!
  const needs = code === 'ENOSPC' ? 'og needs 300 MB there; ' : ''
  return new OgError(`Cannot unpack into ${root}: ${why}`, { hint: `${needs}${hint}`, cause })
}

/**
 * Returns the system's boot id, or an empty string on systems other than Linux. After a reboot,
 * files must be checked again because another system may have changed the disk, or a power cut may
 * have lost unwritten data.
 */
export function bootId(): string {
  if (process.platform !== 'linux') return ''
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

type OpenedNatives = {
  /**
   * The folder's path through its descriptor in /proc, which stays valid if a parent folder moves.
   * Without /proc, the folder's own path.
   */
  through: string
  /** Untrusted files: their bytes differ from the executable's, or other users can write them. */
  foreign: string[]
}

/**
 * Opens an unpacked folder and checks every file in it. Hashes the files once per boot and records
 * their change times (ctime), which no program can set, in a stamp in `stampFolder`.
 */
export async function openNatives(
  embedded: BundledFiles,
  folder: string,
  { stampFolder, isHashed = false }: { stampFolder: string; isHashed?: boolean },
): Promise<OpenedNatives> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const through = throughDescriptor(openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), folder)
  const foreign = await notOwn(embedded, through)
  if (foreign.length > 0) return { through, foreign }
  // Read the state before hashing: a change during hashing then invalidates the stamp.
  const state = await stateOf(embedded, through)
  const stamp = join(stampFolder, embedded.hash)
  if (stampText(stamp) === state) return { through, foreign }
  if (!isHashed) foreign.push(...(await damagedFiles(embedded, through)))
  if (foreign.length === 0) await keepStamp(stampFolder, stamp, state)
  return { through, foreign }
}

function throughDescriptor(descriptor: number, folder: string): string {
  const path = `/proc/self/fd/${descriptor}`
  return process.platform === 'linux' && existsSync(path) ? path : folder
}

async function notOwn(embedded: BundledFiles, through: string): Promise<string[]> {
  if (!isOnlyWritableByUser(await stat(through))) return ['the folder itself']
  const states = await Promise.all(
    embedded.files.map(async ({ name }) => {
      const stats = await lstat(join(through, name)).catch(() => null)
      return stats?.isFile() && isOnlyWritableByUser(stats) ? null : name
    }),
  )
  return states.filter((name) => name !== null)
}

async function stateOf(embedded: BundledFiles, through: string): Promise<string> {
  const names = ['', ...embedded.files.map(({ name }) => name)]
  const lines = await Promise.all(
    names.map(async (name) => {
      const { ino, size, mtimeNs, ctimeNs } = await stat(join(through, name), { bigint: true })
      return [name, ino, size, mtimeNs, ctimeNs].join(' ')
    }),
  )
  return `${[bootId(), ...lines].join('\n')}\n`
}

function stampText(path: string): string | null {
  try {
    return whyUnsafe(path) === null ? readFileSync(path, 'utf8') : null
  } catch {
    return null
  }
}

/** Writes the stamp. If this fails, the next start hashes the files again. */
async function keepStamp(stampFolder: string, stamp: string, state: string): Promise<void> {
  try {
    await mkdir(stampFolder, { recursive: true, mode: 0o700 })
    await writeFileAtomically(stamp, state, { mode: 0o600 })
  } catch (error) {
    if (!/^(?:EROFS|EACCES|EPERM|ENOSPC|EDQUOT|ENOTDIR|EEXIST)$/.test(codeOf(error))) throw error
  }
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code)
