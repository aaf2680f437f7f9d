import { constants, existsSync, openSync, readFileSync } from 'node:fs'
import { lstat, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../file/files.ts'
import { isOnlyWritableByUser, whyUnsafe } from '../file/safe-folder.ts'
import { bootId } from './boot-id.ts'
import type { BundledFiles } from './bundled.ts'
import { damagedFiles } from './unpack.ts'

type OpenedNatives = {
  /**
   * The path of the folder's descriptor in /proc, which refers to the same folder even if a folder
   * above it is moved. On a system without /proc, the path of the folder itself.
   */
  through: string
  /**
   * Untrusted files: their bytes differ from the bytes in the executable, or other users may write
   * to them.
   */
  foreign: string[]
}

/**
 * Opens an unpacked folder and checks every file in it. Files are hashed once per boot: a stamp in
 * `stampFolder` records their change times (ctime), which no program can set.
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
  // Read before hashing, so that a change during hashing does not match the stamp next time.
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

/**
 * Writes the stamp. If the stamp cannot be written, as in a read-only image, the next start hashes
 * the files again.
 */
async function keepStamp(stampFolder: string, stamp: string, state: string): Promise<void> {
  try {
    await mkdir(stampFolder, { recursive: true, mode: 0o700 })
    await writeFileAtomically(stamp, state, { mode: 0o600 })
  } catch (error) {
    if (!/^(?:EROFS|EACCES|EPERM|ENOSPC|EDQUOT|ENOTDIR|EEXIST)$/.test(codeOf(error))) throw error
  }
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code)
