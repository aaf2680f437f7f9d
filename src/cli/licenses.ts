import { licensesPath } from './licenses-text.ts'

/** Name, version and licence of everything that the executable carries. */
export async function licensesText(): Promise<string> {
  if (licensesPath !== null) return Bun.file(licensesPath).text()
  const { collectLicenses } = await import('../../scripts/licenses.ts')
  return collectLicenses()
}
