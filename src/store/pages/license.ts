import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOptionalFile } from '../file-checks.ts'
import type { CheckBytes } from '../integrity/damage.ts'

export const licenseName = 'license.txt'

export async function writeLicense(folder: string, text: string): Promise<void> {
  await writeFile(join(folder, licenseName), text)
}

export async function readLicense(folder: string, check?: CheckBytes): Promise<string | null> {
  const bytes = await readOptionalFile(join(folder, licenseName), check)
  return bytes && bytes.toString('utf8')
}
