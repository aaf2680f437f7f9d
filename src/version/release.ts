import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'

/**
 * The parts of a tag. For example, `@scope/ui@1.2.0-rc.1` has the package `@scope/ui`, the numbers
 * [1, 2, 0] and the pre-release `rc.1`.
 */
export type Release = { name: string; numbers: number[]; pre: string; post: string }

const maxLength = 300

const releaseShape = /^(?:(?!v?\d)(.+?)[@/_-])?v?(\d+(?:\.\d+)*)(.*)$/i

/** Parses the release in a tag. Returns null if the tag has no number, like most branches. */
export function parseRelease(tag: string): Release | null {
  if (tag.length > maxLength) return null
  const [whole, name, numbers, rest] = releaseShape.exec(tag) ?? []
  if (whole === undefined) return null
  const isPost = /^(\+|[.-]?(post|final|release|(jre|jdk|android)\d*$|ga$|sp\d))/i.test(rest!)
  return {
    name: name ?? '',
    numbers: numbers!.split('.').map(Number),
    pre: isPost ? '' : rest!.replace(/^[-._]/, '').toLowerCase(),
    post: isPost ? rest! : '',
  }
}

/** Orders stable releases first, then newer ones. Names without a release are last. */
export function newestFirst(a: Release | null, b: Release | null): number {
  if (!a || !b) return Number(a === null) - Number(b === null)
  if ((a.pre === '') !== (b.pre === '')) return a.pre === '' ? -1 : 1
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (b.numbers[at] ?? 0) - (a.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  return comparePre(b.pre, a.pre) || byNumbers(b.post, a.post)
}

/**
 * Compares names and treats their digits as numbers: `.post10` is newer than `.post9`. Creates the
 * collator at the first comparison because loading Intl's data takes a millisecond.
 */
export function byNumbers(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true })
  return collator.compare(a, b)
}

let collator: Intl.Collator | null = null

/** A commit after a tag, as `git describe` names it, and uncommitted changes. */
const describeSuffix = /^(?:(.*?)-)?(\d+)-g[0-9a-f]{4,64}(?:-dirty)?$/

/**
 * Compares pre-releases. `rc1` equals `rc.1`, so rc10 is newer than rc9. A commit after a tag is
 * newer than the tag and its pre-releases.
 */
export function comparePre(a: string, b: string): number {
  const [left, right] = [afterTag(a), afterTag(b)]
  if ((left.pre === '') !== (right.pre === '')) return left.pre === '' ? 1 : -1
  return compareNames(left.pre, right.pre) || left.commits - right.commits
}

/**
 * Parses a commit after a tag. `rc.1-2-g1a2b3c4` is 2 commits after `rc.1`, and `2-g1a2b3c4` is 2
 * commits after a release.
 */
function afterTag(pre: string): { pre: string; commits: number } {
  const [, tag = '', commits] = describeSuffix.exec(pre) ?? []
  return commits === undefined ? { pre, commits: 0 } : { pre: tag, commits: Number(commits) }
}

function compareNames(a: string, b: string): number {
  const spelt = (pre: string) =>
    parse(`0.0.0-${pre.replace(/([a-z])(?=\d)/g, '$1.').replace(/[^a-z0-9.-]+/g, '-')}`)
  const [left, right] = [spelt(a), spelt(b)]
  return left && right ? left.compare(right) : byNumbers(a, b)
}

/** The versions in a range like `^18`, `18.x`, `>=2 <3`, or Python's `~=1.4`. */
type VersionRange = {
  /** The package in the text: `ui` in `ui@^1.2`; empty if there is none. */
  name: string
  /**
   * True if a release is in the range. A pre-release is included only if the range contains one
   * with the same numbers, or if `withPre` is set.
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

/** Converts a range to npm's syntax. Python joins parts with commas and has `~=` and `==1.4.*`. */
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
 * Converts a part of a range to npm's syntax. `~=1.4` means at least 1.4 and below 2, and `~=1.4.2`
 * means at least 1.4.2 and below 1.5.
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

/** Converts a release to semver: `1.2` becomes 1.2.0. Drops a fourth number. */
function semverOf({ numbers, pre }: Release): string {
  const three = [0, 1, 2].map((at) => numbers[at] ?? 0).join('.')
  const plain = pre.replace(/([a-z])(?=\d)/g, '$1.').replace(/[^a-z0-9.-]+/g, '-')
  return pre === '' ? three : `${three}-${plain}`
}

/** True for the date of a local folder: `2026-01-31` is not a pre-release of 2026. */
export function isDateVersion(version: string): boolean {
  return /(^|-)\d{4}-\d{2}-\d{2}$/.test(version)
}

/** Returns the versions in a comma-separated list. Empty for a label, a range or other text. */
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
