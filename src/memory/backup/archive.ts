import { crc32, inflateRawSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { OgError } from '../../platform/error.ts'

/** A ZIP of these files; the same files at the same time are the same bytes. */
export function packArchive(files: ReadonlyMap<string, Uint8Array>, modified: Date): Uint8Array {
  return zipSync(Object.fromEntries(files), { level: 6, mtime: zipTime(modified) })
}

/** The nearest time in a ZIP: a machine without a battery starts its clock at 1970. */
function zipTime(time: Date): Date {
  const year = Math.min(2099, Math.max(1980, time.getFullYear()))
  return year === time.getFullYear() ? time : new Date(year, 0, 1)
}

/** The most bytes to unpack, far more than a memory has: the sizes in an archive may be false. */
const maxBytes = 512 * 1024 * 1024

/**
 * The files of a ZIP that are memory: Markdown at the top, and below `daily/`. Each is checked
 * against its length and CRC-32; others (upstream's index) are left out unread.
 * @throws OgError naming what is damaged
 */
export function unpackArchive(bytes: Buffer, name: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  let total = 0
  for (const entry of directory(bytes, name)) {
    if (!/^(?:daily\/)?[^/\\\0.][^/\\\0]*\.md$/.test(entry.name)) continue
    total += entry.sizeBytes
    if (total > maxBytes) throw damaged(name, 'its files have more than 512 MB')
    if (files.has(entry.name)) throw damaged(name, `"${entry.name}" is in it twice`)
    files.set(entry.name, content(bytes, entry, name))
  }
  return files
}

/** The CRC-32 of every file in an archive, as its central directory says. */
export function archiveSums(bytes: Buffer, name: string): Map<string, number> {
  return new Map(directory(bytes, name).map((entry) => [entry.name, entry.crc]))
}

type Entry = {
  name: string
  method: number
  crc: number
  packedBytes: number
  sizeBytes: number
  localOffset: number
}

/** The entries of the central directory (APPNOTE §4.3.12). */
function directory(bytes: Buffer, name: string): Entry[] {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || end + 22 > bytes.length) throw damaged(name, 'it is no ZIP archive')
  const nEntries = bytes.readUInt16LE(end + 10)
  const entries: Entry[] = []
  for (let i = 0, offset = bytes.readUInt32LE(end + 16); i < nEntries; i++) {
    if (offset + 46 > end || bytes.readUInt32LE(offset) !== 0x02014b50) {
      throw damaged(name, 'its directory is cut')
    }
    const nameEnd = offset + 46 + bytes.readUInt16LE(offset + 28)
    entries.push({
      name: bytes.toString('utf8', offset + 46, nameEnd),
      method: bytes.readUInt16LE(offset + 10),
      crc: bytes.readUInt32LE(offset + 16),
      packedBytes: bytes.readUInt32LE(offset + 20),
      sizeBytes: bytes.readUInt32LE(offset + 24),
      localOffset: bytes.readUInt32LE(offset + 42),
    })
    offset = nameEnd + bytes.readUInt16LE(offset + 30) + bytes.readUInt16LE(offset + 32)
  }
  return entries
}

function content(bytes: Buffer, entry: Entry, name: string): Buffer {
  const { localOffset: at, packedBytes, sizeBytes, method } = entry
  const wrong = (why: string) => damaged(name, `"${entry.name}" ${why}`)
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== 0x04034b50) throw wrong('is not there')
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  const packed = bytes.subarray(start, start + packedBytes)
  if (method !== 0 && method !== 8) throw wrong(`is packed by unknown method ${method}`)
  const unpacked = method === 0 ? packed : inflate(packed, sizeBytes, wrong)
  if (unpacked.length !== sizeBytes || crc32(unpacked) !== entry.crc) throw wrong('is damaged')
  return unpacked
}

function inflate(packed: Buffer, sizeBytes: number, wrong: (why: string) => OgError): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: sizeBytes + 1 })
  } catch {
    throw wrong('is damaged')
  }
}

function damaged(name: string, why: string): OgError {
  return new OgError(`Cannot read backup "${name}": ${why}`)
}
