import { matchRef } from './ref-match.ts'
import { newestFirst, releaseOf } from './release.ts'
import { rangeOf } from './version-range.ts'
import { isDated, versionParts } from './version-shape.ts'

const localDate = /^local-\d{4}-\d{2}-\d{2}$/

/** Whether a version is the label of a local folder on a day, in local time: `local-2026-01-31`. */
export function isLocalDate(version: string): boolean {
  return localDate.test(version)
}

/** The label of a local folder on a day, in local time. */
export function localDateOf(day: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `local-${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/**
 * The version meant when none is named: the highest release, else the highest pre-release, else
 * `latest`, else the newest date, else the last by name. `versions` is not empty.
 */
export function defaultVersion(versions: string[]): string {
  const [newest] = versions
    // A date would be parsed as a pre-release of the year: `2026` followed by `-01-31`.
    .filter((version) => !isDated(version) && releaseOf(version) !== null)
    .sort((a, b) => newestFirst(releaseOf(a), releaseOf(b)))
  if (newest !== undefined) return newest
  if (versions.includes('latest')) return 'latest'
  const dates = versions.filter((version) => isDated(version)).sort(byDate)
  return (dates.at(-1) ?? [...versions].sort().at(-1)) as string
}

/**
 * The version that a typed one means, by the rules that find a repository's tag: itself, `v`
 * toggled, `name@1.2.3` for `1.2.3`, else the newest that begins so (`0.115` → `0.115.3`). Null
 * where there is none. @throws OgError where several packages have one
 */
export function matchVersion(typed: string, versions: string[]): string | null {
  if (versions.includes(typed)) return typed
  const tags = versions.filter((version) => !isDated(version))
  const refs = tags.map((name) => ({ name, kind: 'tag' as const, commit: name }))
  return matchRef(refs, typed, '')?.name ?? null
}

/** Whether a typed version asks for several: `all`, a list with commas, or a range. */
export function asksForSeveral(typed: string): boolean {
  return /^(all|\*)$/i.test(typed) || rangeOf(typed) !== null || typed.includes(',')
}

/**
 * The versions that a search asks for, newest first: for `all` each one, for a range those it
 * allows, for a list its members; else the one that is meant. Empty where there is none.
 */
export function matchingVersions(typed: string, versions: string[]): string[] {
  if (versions.includes(typed)) return [typed]
  const meant = new Set(allMeant(typed, versions))
  return newestVersionsFirst(versions.filter((version) => meant.has(version)))
}

/** Sorts versions in the order of preference as a default. */
export function newestVersionsFirst(versions: readonly string[]): string[] {
  const left = [...versions]
  return versions.map(() => left.splice(left.indexOf(defaultVersion(left)), 1)[0]!)
}

function allMeant(typed: string, versions: string[]): string[] {
  if (/^(all|\*)$/i.test(typed)) return versions
  const range = rangeOf(typed)
  if (range === null) {
    const parts = typed.includes(',') ? versionParts(typed, versions) : [typed]
    return parts.flatMap((part) => matchVersion(part, versions) ?? [])
  }
  const allowed = (withPre: boolean) =>
    versions.filter((version) => {
      const release = isDated(version) ? null : releaseOf(version)
      const isNamed = range.name === '' || range.name === release?.name
      return release !== null && isNamed && range.allows(release, { withPre })
    })
  const stable = allowed(false)
  return stable.length > 0 ? stable : allowed(true)
}

function byDate(a: string, b: string): number {
  return a.slice(-10) < b.slice(-10) ? -1 : 1
}
