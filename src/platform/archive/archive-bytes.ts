import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../error.ts'
import { createTempFolder } from '../file/files.ts'
import { explainDiskError } from '../file/space.ts'

/** The bytes of an archive, read from disk on demand because it may be larger than memory. */
export type ArchiveBytes = {
  length: number
  /** Reads `length` bytes, or fewer at the end of the archive. */
  read(at: number, length: number): Buffer
}

/** The bytes of a local file, which stays open until it is disposed. */
export function openArchiveFile(path: string): ArchiveBytes & Disposable {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  return {
    length: size,
    read(at, length) {
      const bytes = Buffer.allocUnsafe(at < 0 ? 0 : Math.max(0, Math.min(length, size - at)))
      let filled = 0
      while (filled < bytes.length) {
        const count = readSync(file, bytes, filled, bytes.length - filled, at + filled)
        if (count === 0) break
        filled += count
      }
      return bytes.subarray(0, filled)
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}

/**
 * Saves a download, still compressed, as a temporary file.
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
