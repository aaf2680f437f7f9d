import { crc32, inflateRawSync } from 'node:zlib'
import type { Archive, ArchiveFile } from './archive-file.ts'

/**
 * Opens a ZIP by its directory, which stands at its end: what it does not list is not in it.
 * @throws Error whose message is the reason alone
 */
export function openZip(bytes: Buffer): Archive {
  const files = directory(bytes)
  return {
    files,
    async *contents(wanted) {
      for (const file of files) {
        if (!wanted.has(file.path)) continue
        yield { path: file.path, ...attempt(() => content(bytes, file)) }
      }
    },
  }
}

type ZipFile = ArchiveFile & {
  method: number
  packedBytes: number
  checksum: number
  localOffset: number
}

/** A directory that fills the memory is no documentation. */
const maxFiles = 200_000
const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50

function directory(bytes: Buffer): ZipFile[] {
  const end = bytes.lastIndexOf('PK\x05\x06', bytes.length, 'latin1')
  if (end < 0 || end + 22 > bytes.length) throw new Error('it is no ZIP archive, or is cut off')
  const count = bytes.readUInt16LE(end + 10)
  const start = bytes.readUInt32LE(end + 16)
  if (bytes.readUInt32LE(end) !== endSignature || start === 0xffffffff || count === 0xffff) {
    throw new Error('it is a ZIP64 archive, which is for files over 4 GB')
  }
  const files: ZipFile[] = []
  for (let at = start; files.length < Math.min(count, maxFiles); ) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== entrySignature) {
      throw new Error('its directory is damaged')
    }
    const { file, length } = entryAt(bytes, at)
    if (!file.path.endsWith('/')) files.push(file)
    at += length
  }
  return files
}

function entryAt(bytes: Buffer, at: number): { file: ZipFile; length: number } {
  const [nameLength, extraLength, commentLength] =
    [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [number, number, number]
  const flags = bytes.readUInt16LE(at + 8)
  const mode = bytes.readUInt32LE(at + 38) >>> 16
  const name = bytes.subarray(at + 46, at + 46 + nameLength)
  const isUnix = bytes[at + 5] === 3
  const file: ZipFile = {
    path: name.toString(flags & 0x800 || isUtf8(name) ? 'utf8' : 'latin1').replaceAll('\\', '/'),
    sizeBytes: bytes.readUInt32LE(at + 24),
    refused: flags & 1 ? 'encrypted' : isUnix && (mode & 0o170000) === 0o120000 ? 'a link' : null,
    method: bytes.readUInt16LE(at + 10),
    packedBytes: bytes.readUInt32LE(at + 20),
    checksum: bytes.readUInt32LE(at + 16),
    localOffset: bytes.readUInt32LE(at + 42),
  }
  return { file, length: 46 + nameLength + extraLength + commentLength }
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes)
}

function content(bytes: Buffer, file: ZipFile): Buffer {
  const { localOffset: at, method, packedBytes, sizeBytes } = file
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== localSignature) {
    throw new Error('its place in the archive is damaged')
  }
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  const packed = bytes.subarray(start, start + packedBytes)
  if (method !== 0 && method !== 8) throw new Error(`packed by method ${method}, not known here`)
  // One byte over what the directory says is the proof that it lies.
  const plain = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: sizeBytes + 1 })
  if (plain.length !== sizeBytes || crc32(plain) !== file.checksum) {
    throw new Error('not what the directory of the archive says')
  }
  return plain
}

function attempt(read: () => Buffer): { bytes: Buffer } | { reason: string } {
  try {
    return { bytes: read() }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return { reason: code ? 'not what the directory of the archive says' : message }
  }
}
