import semver from 'semver'

const localDate = /^local-\d{4}-\d{2}-\d{2}$/

/** The label of a local folder's version on that day, local time: `local-2026-01-31`. */
export function isLocalDate(version: string): boolean {
  return localDate.test(version)
}

/**
 * The version meant when none is named: the highest release, else the highest pre-release, else
 * `latest`, else the newest date, else the last by name. `versions` is not empty.
 */
export function defaultVersion(versions: string[]): string {
  const ranked = versions.map((version) => ({ version, parsed: semanticVersion(version) }))
  const numbered = ranked.filter((it) => it.parsed !== null)
  const releases = numbered.filter((it) => it.parsed!.prerelease.length === 0)
  const pool = releases.length > 0 ? releases : numbered
  if (pool.length > 0) {
    return pool.reduce((a, b) => (semver.compareBuild(b.parsed!, a.parsed!) > 0 ? b : a)).version
  }
  if (versions.includes('latest')) return 'latest'
  const dates = versions.filter(isLocalDate).sort()
  return (dates.at(-1) ?? [...versions].sort().at(-1)) as string
}

/**
 * The version that a typed one means: itself, `v` toggled, else the newest that it is a prefix of
 * (`0.115` → `0.115.3`). Null where there is none.
 */
export function matchVersion(typed: string, versions: string[]): string | null {
  if (versions.includes(typed)) return typed
  const toggled = typed.startsWith('v') ? typed.slice(1) : `v${typed}`
  if (versions.includes(toggled)) return toggled
  const bare = typed.replace(/^v/, '')
  if (!/^\d+(\.\d+)?$/.test(bare)) return null
  const below = versions.filter((version) => versionNumber(version)?.startsWith(`${bare}.`))
  return below.length > 0 ? defaultVersion(below) : null
}

/** `v1.2`, `pkg@1.2.3`, `release-1.2.3-rc.1` → their semantic version, missing parts as 0. */
function semanticVersion(version: string): semver.SemVer | null {
  const number = versionNumber(version)
  if (number === null) return null
  const [core = '', ...rest] = number.split(/(?=[-+])/)
  const full = [...core.split('.'), '0', '0'].slice(0, 3).join('.')
  return semver.parse(full + rest.join(''), { loose: true })
}

function versionNumber(version: string): string | null {
  return version.match(/(?:^|[@/_-])v?(\d+(?:\.\d+){0,2}(?:[-+][\w.+-]+)?)$/)?.[1] ?? null
}
