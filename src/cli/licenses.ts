/**
 * Returns the names, versions and licences of everything bundled in the executable. The build
 * replaces this file with the collected text (scripts/build/build.ts).
 */
export async function licensesText(): Promise<string> {
  const { collectLicenses } = await import('../../scripts/build/licenses.ts')
  return collectLicenses()
}
