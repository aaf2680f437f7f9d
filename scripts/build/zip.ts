import { openZip } from '../../src/platform/archive/zip-archive.ts'

/**
 * Returns the content of an entry in a ZIP archive, such as a jar.
 * @throws Error if the archive is damaged or does not contain the entry
 */
export async function zipEntry(archive: Buffer, name: string): Promise<Buffer> {
  const { length } = archive
  const zip = openZip({ length, read: (at, length) => archive.subarray(at, at + length) })
  for await (const entry of zip.contents(new Set([name]))) {
    if ('reason' in entry) throw new Error(`cannot read entry "${name}": ${entry.reason}`)
    return entry.bytes
  }
  throw new Error(`the archive holds no entry "${name}"`)
}
