import { inflateRawSync } from 'node:zlib'

/**
 * The content of one entry of a ZIP archive (a jar is one), stored or deflated. Enough for the
 * packages that the build opens: no encryption, no ZIP64, no checksum (callers compare a SHA-256).
 * @throws Error where the archive is none, or does not hold the entry
 */
export function zipEntry(archive: Buffer, name: string): Buffer {
  const entry = entries(archive).find((candidate) => candidate.name === name)
  if (entry === undefined) throw new Error(`the archive holds no entry "${name}"`)
  // The name and extra lengths of the local header may differ from the directory's.
  const { localOffset } = entry
  expectSignature(archive, localOffset, 0x04034b50)
  const nameLength = archive.readUInt16LE(localOffset + 26)
  const extraLength = archive.readUInt16LE(localOffset + 28)
  const start = localOffset + 30 + nameLength + extraLength
  const packed = archive.subarray(start, start + entry.packedBytes)
  if (entry.method === 0) return packed
  if (entry.method === 8) return inflateRawSync(packed, { maxOutputLength: entry.sizeBytes + 1 })
  throw new Error(`entry "${name}" is packed by unknown method ${entry.method}`)
}

type Entry = {
  name: string
  method: number
  packedBytes: number
  sizeBytes: number
  localOffset: number
}

/** The central directory (APPNOTE §4.3.12), which alone is reliable about sizes. */
function entries(archive: Buffer): Entry[] {
  const end = endOfDirectory(archive)
  const nEntries = archive.readUInt16LE(end + 10)
  let offset = archive.readUInt32LE(end + 16)
  const found: Entry[] = []
  for (let i = 0; i < nEntries; i++) {
    expectSignature(archive, offset, 0x02014b50)
    const nameEnd = offset + 46 + archive.readUInt16LE(offset + 28)
    found.push({
      name: archive.toString('utf8', offset + 46, nameEnd),
      method: archive.readUInt16LE(offset + 10),
      packedBytes: archive.readUInt32LE(offset + 20),
      sizeBytes: archive.readUInt32LE(offset + 24),
      localOffset: archive.readUInt32LE(offset + 42),
    })
    offset = nameEnd + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32)
  }
  return found
}

/** The record that ends the file, before a comment of up to 64 KiB. */
function endOfDirectory(archive: Buffer): number {
  const offset = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (offset < 0 || offset + 22 > archive.length) throw new Error('not a ZIP archive')
  return offset
}

function expectSignature(archive: Buffer, offset: number, signature: number): void {
  const fits = offset + 4 <= archive.length
  if (!fits || archive.readUInt32LE(offset) !== signature) throw new Error('damaged ZIP archive')
}
