import { zipSync } from 'fflate'
import { messageOf, OgError } from '../../platform/error.ts'
import { openZip, type ZipArchive } from '../../platform/archive/zip-archive.ts'

export function packArchive(files: ReadonlyMap<string, Uint8Array>, modified: Date): Uint8Array {
  return zipSync(Object.fromEntries(files), { level: 6, mtime: zipTime(modified) })
}

/**
 * Returns the nearest time that a ZIP can represent; the clock of a machine without a clock battery
 * starts in 1970.
 */
function zipTime(time: Date): Date {
  const year = Math.min(2099, Math.max(1980, time.getFullYear()))
  return year === time.getFullYear() ? time : new Date(year, 0, 1)
}

/**
 * Limit on unpacked bytes, far above the size of a real memory, because the sizes in an archive may
 * be wrong.
 */
const maxBytes = 512 * 1024 * 1024

/**
 * Unpacks the memory files of a ZIP: Markdown at the top level and in `daily/`. Checks their length
 * and CRC-32, and skips other files, such as upstream's index.
 * @throws OgError that names the damage
 */
export async function unpackArchive(bytes: Buffer, name: string): Promise<Map<string, Buffer>> {
  const archive = openBackup(bytes, name)
  const paths = new Set<string>()
  let total = 0
  for (const { path, sizeBytes, refusal: refused } of archive.files) {
    if (!/^(?:daily\/)?[^/\\\0.][^/\\\0]*\.md$/.test(path)) continue
    total += sizeBytes
    if (total > maxBytes) throw damaged(name, 'its files have more than 512 MB')
    if (paths.has(path)) throw damaged(name, `"${path}" is in it twice`)
    if (refused !== null) throw damaged(name, `"${path}" is ${refused}`)
    paths.add(path)
  }
  const files = new Map<string, Buffer>()
  for await (const content of archive.contents(paths)) {
    if ('reason' in content) throw damaged(name, `"${content.path}" is damaged: ${content.reason}`)
    files.set(content.path, content.bytes)
  }
  return files
}

/** Returns the CRC-32 of every file in an archive, as listed in its central directory. */
export function readArchiveChecksums(bytes: Buffer, name: string): Map<string, number> {
  return new Map(openBackup(bytes, name).files.map(({ path, checksum }) => [path, checksum]))
}

function openBackup(bytes: Buffer, name: string): ZipArchive {
  try {
    return openZip({ length: bytes.length, read: (at, length) => bytes.subarray(at, at + length) })
  } catch (error) {
    throw damaged(name, messageOf(error))
  }
}

function damaged(name: string, why: string): OgError {
  return new OgError(`Cannot read backup "${name}": ${why}`)
}
