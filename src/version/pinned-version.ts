import { plainPackageName } from './package-name.ts'
import {
  comparePre,
  newestFirst,
  parseRelease,
  type Release,
  parseRange,
  isDateVersion,
} from './release.ts'
import { anyVersion } from './jvm-project.ts'
import type { Pin } from './project.ts'

/** The indexed version nearest to the project's version, and the file that contains the pin. */
type PinnedVersion = { version: string; pin: Pin }

/**
 * Returns the version of a library that is nearest to the project's version. Returns null if the
 * project has none, or if none of `versions` has the same major number.
 */
export function pinnedVersion(
  pins: readonly Pin[],
  library: string,
  versions: readonly string[],
): PinnedVersion | null {
  for (const pin of pinsFor(pins, library)) {
    const version = nearVersion(pin.named, versions)
    if (version !== null) return { version, pin }
  }
  return null
}

/** Caches the pins of each library because a server searches thousands of pins for each query. */
const byName = new WeakMap<readonly Pin[], Map<string, readonly Pin[]>>()

/** Returns the pins whose package fits the library, best first. */
function pinsFor(pins: readonly Pin[], library: string): readonly Pin[] {
  const ofLibrary = byName.getOrInsertComputed(pins, () => new Map<string, readonly Pin[]>())
  const cachedPin = ofLibrary.get(library)
  if (cachedPin !== undefined) return cachedPin
  const rankedPins = pins
    .filter((pin) => pin.named !== anyVersion)
    .flatMap((pin) => {
      const rank = likeness(pin.package, library)
      return rank === null ? [] : [{ pin, rank }]
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ pin }) => pin)
  const preferredFirst = [...Map.groupBy(rankedPins, (pin) => pin.package).values()].flatMap(
    (ofPackage) => [preferredPin(ofPackage)!, ...ofPackage],
  )
  ofLibrary.set(library, preferredFirst)
  return preferredFirst
}

/**
 * Returns the pin with a package's version in the nearest folder. A lock file may be in a parent
 * folder and may contain several versions, so this prefers the locked version that the nearest
 * range allows. Otherwise returns the first pin.
 */
export function preferredPin(pins: readonly Pin[]): Pin | undefined {
  const [first] = pins
  if (pins.length < 2) return first
  const parsed = pins.map((pin) => ({ pin, range: parseRange(pin.named) }))
  const range = parsed.find((it) => it.range !== null)?.range
  const locked = parsed.find((it) => {
    const release = it.range === null ? parseRelease(it.pin.named) : null
    return release !== null && range?.allows(release, { withPre: true })
  })
  return locked?.pin ?? first
}

/**
 * Returns the version nearest to the given one. Prefers the same version, then one with the same
 * major and minor number, then one with the same major number. If several qualify, takes the
 * highest that is not above the given version, and otherwise the lowest. For a range, returns the
 * newest version in it. Pre-releases count only if nothing else matches.
 */
export function nearVersion(request: string, versions: readonly string[]): string | null {
  const releases = versions.flatMap((version) => {
    const release = isDateVersion(version) ? null : parseRelease(version)
    return release === null ? [] : [{ version, release }]
  })
  const range = parseRange(request)
  if (range !== null) {
    const allowed = releases.filter(({ release }) => range.allows(release))
    return sortVersions(allowed).at(-1)?.version ?? null
  }
  const target = parseRelease(request)
  if (target === null) return null
  const same = releases.find(
    ({ release }) => numbersOf(release, 4) === numbersOf(target, 4) && release.pre === target.pre,
  )
  if (same !== undefined) return same.version
  const alike = (count: number) =>
    stable(releases.filter(({ release }) => numbersOf(release, count) === numbersOf(target, count)))
  const near = sortVersions(alike(2).length > 0 ? alike(2) : alike(1))
  const below = near.filter(({ release }) => compareReleases(release, target) <= 0)
  return (below.at(-1) ?? near[0])?.version ?? null
}

type VersionRelease = { version: string; release: Release }

function stable(tagged: VersionRelease[]): VersionRelease[] {
  const releases = tagged.filter(({ release }) => release.pre === '')
  return releases.length > 0 ? releases : tagged
}

function sortVersions(tagged: VersionRelease[]): VersionRelease[] {
  return tagged.toSorted((a, b) => compareReleases(a.release, b.release))
}

/**
 * Compares the numbers first. A pre-release precedes the release with the same numbers. A commit
 * after the release (`1.2.0-5-g1a2b3c4`) follows it.
 */
export function compareReleases(a: Release, b: Release): number {
  const [plainA, plainB] = [
    { ...a, pre: '' },
    { ...b, pre: '' },
  ]
  return newestFirst(plainB, plainA) || comparePre(a.pre, b.pre)
}

/** Returns the first `count` numbers as text. Missing numbers are 0, so 1.2 becomes 1.2.0. */
function numbersOf({ numbers }: Release, count: number): string {
  return Array.from({ length: count }, (_, at) => numbers[at] ?? 0).join('.')
}

/**
 * Rates how well a package name fits a library name. 0 is best, and null means no match. `react`
 * prefers react to react-dom and @scope/react. `gin` fits github.com/gin-gonic/gin, and `nextjs`
 * fits next.
 */
function likeness(packageName: string, library: string): number | null {
  const plainLibrary = plainPackageName(library)
  if (plainPackageName(packageName) === plainLibrary) return 0
  const [, scope, scoped] = /^@([^/]+)\/(.+)$/.exec(packageName) ?? []
  if (scope === 'types') return null
  const own = scoped ?? unitOf(packageName) ?? lastOfPath(packageName) ?? packageName
  const close =
    scope === undefined
      ? [own, own.replace(/[-_.]?js$/, ''), `${own}js`, `${own}-js`]
      : [`${scope}-${scoped}`, ...(/^(core|cli)$/.test(scoped!) ? [scope] : [])]
  if (close.some((name) => plainPackageName(name) === plainLibrary)) return 1
  if (
    /-(dom|core)$/.test(own) &&
    plainPackageName(own.replace(/-(dom|core)$/, '')) === plainLibrary
  )
    return 2
  return scoped !== undefined && plainPackageName(scoped) === plainLibrary ? 3 : null
}

/** Returns the library name in a Maven (`group:artifact`) or Composer (`vendor/name`) package. */
function unitOf(packageName: string): string | null {
  const artifact = /^[\w.-]+:([\w.-]+)$/.exec(packageName)?.[1]
  const [, vendor, name] = /^([\w-]+)\/([\w.-]+)$/.exec(packageName) ?? []
  return artifact ?? (vendor === undefined ? null : vendor === name ? name : `${vendor}-${name}`)
}

/** Returns `gin` for the module path `github.com/gin-gonic/gin/v2`, or null for other text. */
function lastOfPath(packageName: string): string | null {
  for (const path of [packageName.replace(/[/.]v\d+$/, ''), packageName]) {
    const slash = path.lastIndexOf('/')
    const isPlace = slash < path.length - 1 && /.\.[^/]+\//.test(path.slice(0, slash + 1))
    if (isPlace) return path.slice(slash + 1)
  }
  return null
}
