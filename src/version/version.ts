import { matchRef } from './ref-match.ts'
import { newestFirst, releaseOf, type Release } from './release.ts'
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
 * `latest`, else the newest date, else the last by name. `versions` is not empty; the order in
 * which they were indexed does not matter.
 */
export function defaultVersion(versions: readonly string[]): string {
  return newestVersionsFirst(versions)[0]!
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
  // A date would be parsed as a pre-release of the year: `2026` followed by `-01-31`.
  const labels = versions.map((version) => ({
    version,
    release: isDated(version) ? null : releaseOf(version),
  }))
  return labels.sort(byPreference).map(({ version }) => version)
}

type Label = { version: string; release: Release | null }

function byPreference(a: Label, b: Label): number {
  return (
    rankOf(a) - rankOf(b) ||
    newestFirst(a.release, b.release) ||
    byDate(b.version, a.version) ||
    byName(a, b)
  )
}

/** Releases before `latest` before dates before other names. */
function rankOf({ version, release }: Label): number {
  if (release !== null) return 0
  if (version === 'latest') return 1
  return isDated(version) ? 2 : 3
}

/** Puts the shortest spelling of a release first (`1.2.0`, `v1.2.0`), of other names the last. */
function byName(a: Label, b: Label): number {
  if (a.release !== null && a.version.length !== b.version.length) {
    return a.version.length - b.version.length
  }
  return Number(a.version < b.version) - Number(a.version > b.version)
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
  if (!isDated(a) || !isDated(b)) return 0
  return Number(a.slice(-10) > b.slice(-10)) - Number(a.slice(-10) < b.slice(-10))
}
