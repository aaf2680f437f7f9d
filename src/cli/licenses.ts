/**
 * Name, version and licence of everything that the executable carries. This file is what
 * `bun run src/main.ts` sees; the build replaces it by the collected text (scripts/build/build.ts).
 */
export async function licensesText(): Promise<string> {
  const { collectLicenses } = await import('../../scripts/build/licenses.ts')
  return collectLicenses()
}
