import { pack, type Header } from 'tar-stream'
import type { ArchiveBytes } from '../../../src/platform/archive/archive-bytes.ts'

export type TarEntry = Partial<Header> & { name: string; text?: string | Uint8Array }

/** Makes a tar archive of entries of every kind. */
export async function tarEntries(entries: readonly TarEntry[]): Promise<Buffer> {
  const packed = pack()
  for (const { text, ...header } of entries) {
    if (text === undefined) packed.entry(header)
    else packed.entry(header, text)
  }
  packed.finalize()
  return Buffer.concat(await Array.fromAsync(packed as AsyncIterable<Uint8Array>))
}

/** Wraps bytes as an archive on disk. */
export function archiveBytes(bytes: Buffer): ArchiveBytes {
  return { length: bytes.length, read: (at, length) => bytes.subarray(at, at + length) }
}
