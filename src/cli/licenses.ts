/**
 * Name, version and licence of everything that is bundled in the executable. During development
 * this file collects them; the build replaces it with the collected text (scripts/build/build.ts).
 */
export async function licensesText(): Promise<string> {
  const { collectLicenses } = await import('../../scripts/build/licenses.ts')
  return collectLicenses()
}
