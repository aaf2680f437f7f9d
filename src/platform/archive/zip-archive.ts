import { crc32, inflateRawSync } from 'node:zlib'
import {
  type ArchiveBytes,
  checkFileCount,
  type Archive,
  type ArchiveFile,
} from './archive-bytes.ts'

/**
 * Opens a ZIP archive and reads its central directory. Ignores files that the directory does not
 * list.
 * @throws Error whose message is only the reason
 */
export function openZip(bytes: ArchiveBytes): ZipArchive {
  const files = directory(bytes)
  return {
    files,
    async *contents(paths) {
      for (const file of files) {
        if (!paths.has(file.path)) continue
        yield { path: file.path, ...attempt(() => content(bytes, file)) }
      }
    },
  }
}

export type ZipArchive = Archive<ArchiveFile & { checksum: number }>

type ZipFile = ZipArchive['files'][number] & {
  method: number
  packedBytes: number
  localOffset: number
}

const maxDirectoryBytes = 64 * 2 ** 20
const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const wideEndSignature = 0x06064b50
const locatorSignature = 0x07064b50

function directory(bytes: ArchiveBytes): ZipFile[] {
  const { first, end, count, shift } = locateDirectory(bytes)
  checkFileCount(count)
  if (end - first > maxDirectoryBytes) throw new Error('its directory is over 64 MB')
  const entries = bytes.read(first, end - first)
  const files: ZipFile[] = []
  let at = 0
  for (let index = 0; index < count; index++) {
    if (at + 46 > entries.length || entries.readUInt32LE(at) !== entrySignature) {
      throw new Error('its directory is damaged')
    }
    const { file, length } = entryAt(entries, at)
    // Folder entries are skipped here but count toward the total.
    if (!file.path.endsWith('/')) files.push({ ...file, localOffset: file.localOffset + shift })
    at += length
  }
  return files
}

/**
 * Location of the central directory. `shift` is the number of bytes before the archive, for example
 * in a self-extracting one.
 */
type DirectoryLocation = { first: number; end: number; count: number; shift: number }

function locateDirectory(bytes: ArchiveBytes): DirectoryLocation {
  const { end, record } = endRecord(bytes)
  const wide = wideEnd(bytes, end)
  const [count, length, offset, before] = wide ?? [
    record.readUInt16LE(10),
    record.readUInt32LE(12),
    record.readUInt32LE(16),
    end,
  ]
  const first = before - length
  const isAt = (at: number) =>
    count === 0 || (at >= 0 && at + 4 <= before && isSigned(bytes, at, entrySignature))
  // The directory normally ends where the end record begins.
  if (first >= 0 && isAt(first)) return { first, end: before, count, shift: first - offset }
  if (isAt(offset)) return { first: offset, end: before, count, shift: 0 }
  throw new Error('its directory is damaged')
}

function isSigned(bytes: ArchiveBytes, at: number, signature: number): boolean {
  const start = bytes.read(at, 4)
  return start.length === 4 && start.readUInt32LE() === signature
}

/** Returns the last record whose comment reaches the end of the file, and its offset. */
function endRecord(bytes: ArchiveBytes): { end: number; record: Buffer } {
  const from = Math.max(0, bytes.length - 22 - 0xffff)
  const tail = bytes.read(from, bytes.length - from)
  const recordAt = (at: number) => ({ end: from + at, record: tail.subarray(at) })
  let last = -1
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== endSignature) continue
    if (at + 22 + tail.readUInt16LE(at + 20) === tail.length) return recordAt(at)
    last = Math.max(last, at)
  }
  // Other bytes may follow an intact archive.
  if (last < 0) throw new Error('it is not a ZIP archive, or is cut off')
  return recordAt(last)
}

/** Returns the directory's entry count, length, offset and end from the ZIP64 record, if any. */
function wideEnd(bytes: ArchiveBytes, end: number): [number, number, number, number] | null {
  const locator = end - 20
  if (locator < 0 || !isSigned(bytes, locator, locatorSignature)) return null
  const recordOffset = wholeNumber(bytes.read(locator, 20), 8)
  const isThere = (at: number) =>
    at >= 0 && at + 56 <= locator && isSigned(bytes, at, wideEndSignature)
  // Bytes before the archive shift the record. Without extensions, the record ends at the locator.
  const at = [recordOffset, locator - 56].find(isThere)
  if (at === undefined) throw new Error('its directory is damaged')
  const record = bytes.read(at, 56)
  return [wholeNumber(record, 32), wholeNumber(record, 40), wholeNumber(record, 48), at]
}

function wholeNumber(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}

function entryAt(bytes: Buffer, at: number): { file: ZipFile; length: number } {
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
    bytes.readUInt16LE(at + offset),
  ) as [number, number, number]
  const flags = bytes.readUInt16LE(at + 8)
  const mode = bytes.readUInt32LE(at + 38) >>> 16
  const name = bytes.subarray(at + 46, at + 46 + nameLength)
  const afterName = at + 46 + nameLength
  const extra = extraFields(bytes.subarray(afterName, afterName + extraLength))
  const isUnix = bytes[at + 5] === 3
  const [sizeBytes, packedBytes, localOffset] = places(extra.get(1), [
    bytes.readUInt32LE(at + 24),
    bytes.readUInt32LE(at + 20),
    bytes.readUInt32LE(at + 42),
  ])
  const file: ZipFile = {
    path: nameOf(name, { flags, unicode: extra.get(0x7075) }).replaceAll('\\', '/'),
    sizeBytes,
    refusal: flags & 1 ? 'encrypted' : isUnix && (mode & 0o170000) === 0o120000 ? 'a link' : null,
    method: bytes.readUInt16LE(at + 10),
    packedBytes,
    checksum: bytes.readUInt32LE(at + 16),
    localOffset,
  }
  return { file, length: 46 + nameLength + extraLength + commentLength }
}

function extraFields(bytes: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>()
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at + 2)
    fields.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return fields
}

/** Returns the sizes and the offset. The ZIP64 field has only values that exceed 32 bits. */
function places(wide: Buffer | undefined, short: [number, number, number]): typeof short {
  let at = 0
  return short.map((value) => {
    if (value !== 0xffffffff || wide === undefined || at + 8 > wide.length) return value
    at += 8
    return wholeNumber(wide, at - 8)
  }) as typeof short
}

/**
 * Decodes a file name as UTF-8 if the archive or Info-ZIP's field says so. Many tools do not
 * declare UTF-8, so any name that is valid UTF-8 is also decoded as such. Other names use the
 * MS-DOS code page.
 */
function nameOf(
  name: Buffer,
  { flags, unicode }: { flags: number; unicode: Buffer | undefined },
): string {
  const isOfName =
    unicode !== undefined &&
    unicode.length > 5 &&
    unicode[0] === 1 &&
    unicode.readUInt32LE(1) === crc32(name)
  if (isOfName) return unicode.toString('utf8', 5)
  if (flags & 0x800 || isUtf8(name)) return name.toString('utf8')
  return Array.from(name, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : cp437[byte - 0x80],
  ).join('')
}

/** The upper half of code page 437. */
const cp437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═' +
  '╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes)
}

/** Compressed content may be up to twice the file's size plus this many bytes. */
const sparePackedBytes = 2 ** 20

function content(bytes: ArchiveBytes, file: ZipFile): Buffer {
  const { localOffset: at, method, packedBytes, sizeBytes } = file
  const head = bytes.read(at, 30)
  if (head.length < 30 || head.readUInt32LE() !== localSignature) {
    throw new Error('its position in the archive is damaged')
  }
  if (packedBytes > 2 * sizeBytes + sparePackedBytes) {
    throw new Error('it differs from the directory of the archive')
  }
  const start = at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const packed = bytes.read(start, packedBytes)
  if (method !== 0 && method !== 8)
    throw new Error(`its compression method ${method} is not supported`)
  // Allow one byte more than the size in the directory, to detect a wrong size.
  const plain = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: sizeBytes + 1 })
  if (plain.length !== sizeBytes || crc32(plain) !== file.checksum) {
    throw new Error('it differs from the directory of the archive')
  }
  return plain
}

function attempt(read: () => Buffer): { bytes: Buffer } | { reason: string } {
  try {
    return { bytes: read() }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return { reason: code ? 'it differs from the directory of the archive' : message }
  }
}
