import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'
import { parseRelease, type Release } from './release.ts'

/** The versions in a range like `^18`, `18.x`, `>=2 <3`, or Python's `~=1.4`. */
type VersionRange = {
  /** The package in the text: `ui` in `ui@^1.2`; empty if there is none. */
  name: string
  /**
   * True if a release is in the range. A pre-release is in it only if the range contains one with
   * the same numbers, or if `withPre` is set.
   */
  allows(release: Release, options?: { withPre?: boolean }): boolean
}

export function parseRange(text: string): VersionRange | null {
  if (text.length > 200) return null
  const [, name = '', rest = text] = /^(@?[a-z][^@\s]*)@(.+)$/i.exec(text) ?? []
  if (!looksLikeRange(rest)) return null
  const excludedReleases = [...rest.matchAll(/!=\s*([^,\s]+)/g)].map(([, version]) =>
    parseRelease(version!),
  )
  const range = semverRange(rest.replace(/!=\s*[^,\s]+/g, ''))
  if (range === null) return null
  return {
    name,
    allows(release, { withPre = false } = {}) {
      const version = semverOf(release)
      if (excludedReleases.some((one) => one !== null && semverOf(one) === version)) return false
      return satisfies(version, range, { includePrerelease: withPre, loose: true })
    },
  }
}

function looksLikeRange(text: string): boolean {
  return /^[\^~<>=!*]|\|\||\s-\s|[,\s][<>=~^!]|\.[x*](\.[x*])*$/i.test(text)
}

/** Converts a range to npm's syntax; Python joins parts with commas, and has `~=` and `==1.4.*`. */
function semverRange(text: string): string | null {
  const parts = text
    .replace(/,/g, ' ')
    .trim()
    .split(/\s+(?=[<>=~^!]|$)/)
    .map(npmPart)
  const spelt = parts.join(' ').replace(/(^|[\s<>=^~])v(?=\d)/gi, '$1')
  return validRange(spelt, { loose: true }) === null ? null : spelt
}

/**
 * Converts a part of a range to npm's syntax. `~=1.4` is at least 1.4 and below 2, `~=1.4.2` at
 * least 1.4.2 and below 1.5.
 */
function npmPart(part: string): string {
  const [, sign = '', version = ''] = /^(~=|===?)\s*(.+)$/.exec(part) ?? []
  if (sign === '') return part
  if (sign !== '~=') return version
  const numbers = version.split('.')
  const upTo = numbers.slice(0, -1).map(Number)
  upTo[upTo.length - 1]! += 1
  return numbers.length < 2 ? `>=${version}` : `>=${version} <${upTo.join('.')}`
}

/**
 * Converts a release to semver: `1.2` becomes 1.2.0. A fourth number is dropped, because semver has
 * three.
 */
function semverOf({ numbers, pre }: Release): string {
  const three = [0, 1, 2].map((at) => numbers[at] ?? 0).join('.')
  const plain = pre.replace(/([a-z])(?=\d)/g, '$1.').replace(/[^a-z0-9.-]+/g, '-')
  return pre === '' ? three : `${three}-${plain}`
}
