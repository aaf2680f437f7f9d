import { openZip } from '../../platform/archive/zip-archive.ts'
import { messageOf } from '../../platform/error.ts'
import { unreadableError } from '../decode.ts'

/** Maximum size of one contained file, and of all files read from one document, in bytes. */
const fileLimit = 16 * 2 ** 20
const totalLimit = 64 * 2 ** 20

/** Reads text files from a document that is a ZIP archive, such as an EPUB or docx file. */
export type ZippedFiles = {
  paths: readonly string[]
  /** Returns the text of a file, or null if it is missing. */
  text(path: string): Promise<string | null>
}

/** @throws OgError with `path` if the bytes are not a ZIP archive or are too large */
export function openZipped(bytes: Uint8Array, path: string): ZippedFiles {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = (at: number, length: number) => whole.subarray(at, at + length)
  const fail = (reason: string) => unreadableError(path, reason)
  let left = totalLimit
  const archive = attempt(() => openZip({ length: whole.length, read }), fail)
  const byPath = new Map(archive.files.map((file) => [file.path, file]))
  return {
    paths: [...byPath.keys()],
    async text(inner) {
      const file = byPath.get(inner)
      if (file === undefined || file.refusal !== null) return null
      left -= file.sizeBytes
      if (file.sizeBytes > fileLimit || left < 0) throw fail('it unpacks to over 64 MB')
      for await (const content of archive.contents(new Set([inner]))) {
        if ('reason' in content) throw fail(content.reason)
        return new TextDecoder().decode(content.bytes)
      }
      return null
    },
  }
}

function attempt<T>(open: () => T, fail: (reason: string) => Error): T {
  try {
    return open()
  } catch (error) {
    throw fail(messageOf(error))
  }
}
