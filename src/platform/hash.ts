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

/** Opening a stream takes longer than reading and hashing a smaller file at once. */
const pieceBytes = 1 << 20

/** The SHA-256 of a file, reading it in pieces. @throws OgError if the file cannot be read */
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
 * Checks that a file has the expected SHA-256. A file that passed gets a stamp in `stampFolder`
 * with its size, times and inode. The file is not read again until one of these changes, unless
 * other users may write there, because hashing a model takes longer than answering a query with it.
 * @throws OgError that names the file, the expected hash and the actual hash
 */
export async function verifyFile(
  path: string,
  { sha256: expected, stampFolder }: { sha256: string; stampFolder: string | null },
): Promise<void> {
  // Read before hashing, so that a change during hashing does not match the stamp next time.
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

/** Bundled files are named through a descriptor, whose number differs between processes. */
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
    // If the stamp cannot be written, as in a read-only cache, the next start hashes the file
    // again.
  }
}
