import { matchRef } from '../source/ref-match.ts'
import { newestFirst, releaseOf } from '../source/release.ts'

const localDate = /^local-\d{4}-\d{2}-\d{2}$/
const anyDate = /(^|-)\d{4}-\d{2}-\d{2}$/

/** The label of a local folder's version on that day, local time: `local-2026-01-31`. */
export function isLocalDate(version: string): boolean {
  return localDate.test(version)
}

/**
 * The version meant when none is named: the highest release, else the highest pre-release, else
 * `latest`, else the newest date, else the last by name. `versions` is not empty.
 */
export function defaultVersion(versions: string[]): string {
  const [newest] = versions
    // A date looks like a pre-release of the year: `2026` followed by `-01-31`.
    .filter((version) => !anyDate.test(version) && releaseOf(version) !== null)
    .sort((a, b) => newestFirst(releaseOf(a), releaseOf(b)))
  if (newest !== undefined) return newest
  if (versions.includes('latest')) return 'latest'
  const dates = versions.filter((version) => anyDate.test(version)).sort(byDate)
  return (dates.at(-1) ?? [...versions].sort().at(-1)) as string
}

/**
 * The version that a typed one means, by the rules that find a repository's tag: itself, `v`
 * toggled, `name@1.2.3` for `1.2.3`, else the newest that begins so (`0.115` → `0.115.3`). Null
 * where there is none. @throws OgError where several packages have one
 */
export function matchVersion(typed: string, versions: string[]): string | null {
  if (versions.includes(typed)) return typed
  const tags = versions.filter((version) => !anyDate.test(version))
  const refs = tags.map((name) => ({ name, kind: 'tag' as const, commit: name }))
  return matchRef(refs, typed, '')?.name ?? null
}

function byDate(a: string, b: string): number {
  return a.slice(-10) < b.slice(-10) ? -1 : 1
}
