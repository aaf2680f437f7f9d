import { parseRange } from './release.ts'

/**
 * True if a version is a date, as for a local folder: `2026-01-31` is not a pre-release of 2026.
 */
export function isDateVersion(version: string): boolean {
  return /(^|-)\d{4}-\d{2}-\d{2}$/.test(version)
}

/**
 * Returns the versions in a comma-separated list; empty if the text is a label, a range, or not a
 * list.
 */
export function versionParts(text: string, versions: readonly string[]): string[] {
  if (versions.includes(text) || parseRange(text) !== null || !text.includes(',')) return []
  return [
    ...new Set(
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ),
  ]
}
