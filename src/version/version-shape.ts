import { rangeOf } from './version-range.ts'

/** Whether a version is a date, as that of a folder: `2026-01-31` is no pre-release of 2026. */
export function isDated(version: string): boolean {
  return /(^|-)\d{4}-\d{2}-\d{2}$/.test(version)
}

/** The versions in a list with commas; empty where the text is a label, a range or no list. */
export function versionParts(typed: string, versions: readonly string[]): string[] {
  if (versions.includes(typed) || rangeOf(typed) !== null || !typed.includes(',')) return []
  return [
    ...new Set(
      typed
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ),
  ]
}
