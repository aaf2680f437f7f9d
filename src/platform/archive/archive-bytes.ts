import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../error.ts'
import { createTempFolder } from '../file/files.ts'
import { explainDiskError } from '../file/space.ts'

/** The bytes of an archive. They are read on demand because they may exceed memory. */
export type ArchiveBytes = {
  length: number
  /** Reads up to `length` bytes. Returns fewer at the end of the archive. */
  read(at: number, length: number): Buffer
}

/** Opens a local archive and keeps it open until it is disposed. */
export function openArchiveFile(path: string): ArchiveBytes & Disposable {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  return {
    length: size,
    read(at, length) {
      const bytes = Buffer.allocUnsafe(at < 0 ? 0 : Math.max(0, Math.min(length, size - at)))
      let nBytes = 0
      while (nBytes < bytes.length) {
        const count = readSync(file, bytes, nBytes, bytes.length - nBytes, at + nBytes)
        if (count === 0) break
        nBytes += count
      }
      return bytes.subarray(0, nBytes)
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}

/**
 * Saves a download to a temporary file without decompressing it.
 * @throws OgError if the file cannot be written
 */
export async function saveArchive(
  pieces: AsyncIterable<Uint8Array>,
): Promise<ArchiveBytes & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await createTempFolder('og-archive'))
  const path = join(folder, 'archive')
  await write(path, pieces)
  const { length, read } = stack.use(openArchiveFile(path))
  const resources = stack.move()
  return { length, read, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function write(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const file = openSync(path, 'wx', 0o600)
  try {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at)
    }
  } catch (error) {
    const refusal = explainDiskError(error, 'TMPDIR')
    if (refusal === null) throw error
    const { why, hint } = refusal
    throw new OgError(`Cannot keep the archive: ${why}`, { hint, cause: error })
  } finally {
    closeSync(file)
  }
}

export type ArchiveFile = {
  path: string
  sizeBytes: number
  /** The reason why the file cannot be a page, or null. */
  refusal: string | null
}

/** The content of a file, or the reason why it cannot be read. */
export type ArchiveContent = { path: string } & ({ bytes: Buffer } | { reason: string })

/** Maximum number of files in an archive. Archives of documentation contain fewer. */
const maxFiles = 250_000

/**
 * Rejects an archive with too many files.
 * @throws Error whose message is only the reason
 */
export function checkFileCount(nFiles: number): void {
  if (nFiles > maxFiles) throw new Error(`it holds over ${maxFiles.toLocaleString('en')} files`)
}

export type Archive<File extends ArchiveFile = ArchiveFile> = {
  files: File[]
  /** Yields the contents of files in archive order. A path that occurs twice is yielded twice. */
  contents(paths: Pick<ReadonlySet<string>, 'has'>): AsyncIterable<ArchiveContent>
}
