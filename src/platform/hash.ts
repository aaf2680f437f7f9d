import {
  createReadStream,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { OgError } from './error.ts'
import { whyNotRegularFile } from './file/read-file.ts'
import { whyUnsafe } from './file/safe-folder.ts'

export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(content).digest('hex')
}

/** Reading and hashing a file of up to this size at once is faster than opening a stream. */
const pieceBytes = 1 << 20

/** Returns the SHA-256 of a file. @throws OgError if the file cannot be read */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  try {
    const stats = statSync(path)
    if (stats.isFile() && stats.size <= pieceBytes) return sha256(readFileSync(path))
    for await (const piece of createReadStream(path, { highWaterMark: pieceBytes })) {
      hasher.update(piece)
    }
  } catch (cause) {
    throw new OgError(`Cannot read "${path}": ${(cause as Error).message}`, { cause })
  }
  return hasher.digest('hex')
}

/**
 * Checks that a file has the expected SHA-256. After success, writes a stamp with the file's size,
 * times and inode to `stampFolder`. Later calls only compare the stamp, unless other users may
 * write there, because hashing a model takes longer than answering a query with it.
 * @throws OgError that names the file, the expected hash and the actual hash
 */
export async function verifyFile(
  path: string,
  { sha256: expected, stampFolder }: { sha256: string; stampFolder: string | null },
): Promise<void> {
  // Read the state before hashing: a change during hashing then invalidates the stamp.
  const state = `${expected} ${fileState(path)}\n`
  const stampPath = stampFolder && join(stampFolder, stampName(path))
  if (stampPath && textOrEmpty(stampPath) === state && whyUnsafe(stampPath) === null) return
  const sha256 = await sha256OfFile(path)
  if (sha256 !== expected) {
    throw new OgError(`Cannot use "${path}": sha256 is ${sha256}, expected ${expected}`, {
      hint: 'the file is damaged or has other content: delete it, then run the command again',
    })
  }
  if (stampPath) writeStamp(stampPath, state)
}

function fileState(path: string): string {
  try {
    const stats = statSync(path, { bigint: true })
    const why = whyNotRegularFile(stats)
    if (why !== null) throw new Error(why)
    const { size, mtimeNs, ctimeNs, ino } = stats
    return `${size} ${mtimeNs} ${ctimeNs} ${ino}`
  } catch (cause) {
    throw new OgError(`Cannot read "${path}": ${(cause as Error).message}`, { cause })
  }
}

/** The path of a bundled file contains a descriptor number, which differs between processes. */
function stampName(path: string): string {
  return `${basename(path)}-${sha256(realpathSync(path)).slice(0, 16)}`
}

function textOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function writeStamp(path: string, state: string): void {
  try {
    mkdirSync(resolve(path, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(path, state, { mode: 0o600 })
  } catch {
    // If the stamp cannot be written, for example in a read-only cache, the next start hashes the
    // file again.
  }
}
