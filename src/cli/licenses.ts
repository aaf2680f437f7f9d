/**
 * Returns name, version and licence of everything that is bundled in the executable. During
 * development this function collects them; the build replaces this file with the collected text
 * (scripts/build/build.ts).
 */
export async function licensesText(): Promise<string> {
  const { collectLicenses } = await import('../../scripts/build/licenses.ts')
  return collectLicenses()
}
