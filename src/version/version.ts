import { matchRef } from './ref-match.ts'
import {
  newestFirst,
  parseRelease,
  type Release,
  parseRange,
  isDateVersion,
  versionParts,
} from './release.ts'
import type { Source } from '../store/source.ts'
import type { VersionFrom } from './project.ts'

const localDate = /^local-\d{4}-\d{2}-\d{2}$/

/** True if a version labels a local folder with a day in local time: `local-2026-01-31`. */
export function isLocalDate(version: string): boolean {
  return localDate.test(version)
}

export function localDateOf(day: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `local-${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/**
 * Returns the default version. In order of preference, this is the highest release, the highest
 * pre-release, `latest`, the newest date, or the last name. `versions` must not be empty. Its order
 * does not matter.
 */
export function defaultVersion(versions: readonly string[]): string {
  return newestVersionsFirst(versions)[0]!
}

/**
 * Returns the version that matches a typed one, by the rules for a repository's tags: the same
 * text, with or without `v`, `name@1.2.3` for `1.2.3`, and finally the newest that starts with it
 * (`0.115` → `0.115.3`). Returns null if none matches.
 * @throws OgError if several packages have a match
 */
export function matchVersion(request: string, versions: string[]): string | null {
  if (versions.includes(request)) return request
  const tags = versions.filter((version) => !isDateVersion(version))
  const refs = tags.map((name) => ({ name, kind: 'tag' as const, commit: name }))
  return matchRef(refs, request, '')?.name ?? null
}

/** True if the text can match several versions: `all`, a comma-separated list, or a range. */
export function asksForSeveral(request: string): boolean {
  return /^(all|\*)$/i.test(request) || parseRange(request) !== null || request.includes(',')
}

/**
 * Returns the versions that a search selects, newest first: every version for `all`, the versions
 * in a range, the members of a list, or the single match.
 */
export function matchingVersions(request: string, versions: string[]): string[] {
  if (versions.includes(request)) return [request]
  const matches = new Set(allMatches(request, versions))
  return newestVersionsFirst(versions.filter((version) => matches.has(version)))
}

/** Sorts versions so that the default comes first. */
export function newestVersionsFirst(versions: readonly string[]): string[] {
  // A date would be parsed as a pre-release of the year: `2026` followed by `-01-31`.
  const labels = versions.map((version) => ({
    version,
    release: isDateVersion(version) ? null : parseRelease(version),
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

function rankOf({ version, release }: Label): number {
  if (release !== null) return 0
  if (version === 'latest') return 1
  return isDateVersion(version) ? 2 : 3
}

/** Sorts `1.2.0` before `v1.2.0`, and names without a release in descending order. */
function byName(a: Label, b: Label): number {
  if (a.release !== null && a.version.length !== b.version.length) {
    return a.version.length - b.version.length
  }
  return Number(a.version < b.version) - Number(a.version > b.version)
}

function allMatches(request: string, versions: string[]): string[] {
  if (/^(all|\*)$/i.test(request)) return versions
  const range = parseRange(request)
  if (range === null) {
    const parts = request.includes(',') ? versionParts(request, versions) : [request]
    return parts.flatMap((part) => matchVersion(part, versions) ?? [])
  }
  const inRange = (withPre: boolean) =>
    versions.filter((version) => {
      const release = isDateVersion(version) ? null : parseRelease(version)
      const isNamed = range.name === '' || range.name === release?.name
      return release !== null && isNamed && range.allows(release, { withPre })
    })
  const stable = inRange(false)
  return stable.length > 0 ? stable : inRange(true)
}

function byDate(a: string, b: string): number {
  if (!isDateVersion(a) || !isDateVersion(b)) return 0
  return Number(a.slice(-10) > b.slice(-10)) - Number(a.slice(-10) < b.slice(-10))
}

type ChosenVersion = {
  version: string
  versions: readonly string[]
  from?: VersionFrom | undefined
}

/**
 * Names the rule that chose a library's version, as a phrase that may follow a comma or bracket:
 * the typed version, a project file, or the default order.
 */
export function versionRule(chosen: ChosenVersion, request: string | null): string {
  const { from } = chosen
  if (request !== null) return requestRule(chosen, request)
  return from ? `${from.file} names ${from.package} ${from.named}` : defaultRule(chosen)
}

function defaultRule({ version, versions }: ChosenVersion): string {
  const release = isDateVersion(version) ? null : parseRelease(version)
  if (versions.length === 1) return 'the only version that is indexed'
  if (release !== null) {
    const kind = release.pre === '' ? 'release' : 'pre-release, since there is no release'
    return `of ${versions.length} versions the highest ${kind}`
  }
  const date = isDateVersion(version) ? 'the newest date' : 'the last'
  const which = version === 'latest' ? '"latest"' : date
  return `of ${versions.length} versions ${which}, since there is no release`
}

function requestRule({ version, versions }: ChosenVersion, request: string): string {
  if (request === version) return `"${request}" was requested`
  if (/^(all|\*)$/i.test(request)) return `"${request}" was requested`
  const parts = versionParts(request, versions)
  const part = parts.find((one) => matchingVersions(one, [...versions]).includes(version))
  if (part === version) return `"${request}" was requested`
  if (part !== undefined) return `of "${request}", ${meaning(part, version)}`
  if (parseRange(request) !== null) return `"${request}" allows it`
  return meaning(request, version)
}

function meaning(request: string, version: string): string {
  if (request === 'latest') return 'the newest, since none is called "latest"'
  const count = (text: string) => parseRelease(text)?.numbers.length
  return count(request) === count(version) ? `"${request}" means it` : `the newest "${request}"`
}

export type VersionLabel = {
  version: string
  source: Source
  ref?: string | null
  commit?: string | null
  pack?: unknown
}

/**
 * True if og derived a version's label from the state of local files (a date, or the name of the
 * checked-out commit) and no user chose it. The next update replaces such a version. A library has
 * at most one.
 */
export function isAutomaticLabel({ version, source, ref, commit, pack }: VersionLabel): boolean {
  if (isLocalDate(version)) return true
  return source.kind === 'local_path' && Boolean(commit) && !ref && !pack
}
