import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The text of the source's licence, beside the tables of a generation. */
export const licenseName = 'license.txt'

export async function writeLicense(folder: string, text: string): Promise<void> {
  await writeFile(join(folder, licenseName), text)
}

/** Null where none was kept: the source has none, or an earlier version wrote the generation. */
export async function readLicense(
  folder: string, check: (bytes: Uint8Array) => void = () => {},
): Promise<string | null> {
  const bytes = await readFile(join(folder, licenseName)).catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes !== null) check(bytes)
  return bytes && bytes.toString('utf8')
}
