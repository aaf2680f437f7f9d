import { releaseOf } from './release.ts'
import { rangeOf } from './version-range.ts'
import type { VersionFrom } from './pick.ts'
import { matchingVersions } from './version.ts'
import { isDated, versionParts } from './version-shape.ts'

export type Chosen = {
  version: string
  /** All indexed versions of its library. */
  versions: readonly string[]
  /** The file of the project that contains the version, if there is one. */
  from?: VersionFrom | undefined
}

/**
 * Describes the rule that chose a version of a library, as a phrase that may follow a comma or
 * bracket: the typed version, a file of the project, or the default order.
 */
export function versionRule(chosen: Chosen, typed: string | null): string {
  const { from } = chosen
  if (typed !== null) return typedRule(chosen, typed)
  return from ? `${from.file} names ${from.package} ${from.named}` : defaultRule(chosen)
}

function defaultRule({ version, versions }: Chosen): string {
  const release = isDated(version) ? null : releaseOf(version)
  if (versions.length === 1) return 'the only version that is indexed'
  if (release !== null) {
    const kind = release.pre === '' ? 'release' : 'pre-release, since there is no release'
    return `of ${versions.length} versions the highest ${kind}`
  }
  const date = isDated(version) ? 'the newest date' : 'the last'
  const which = version === 'latest' ? '"latest"' : date
  return `of ${versions.length} versions ${which}, since there is no release`
}

function typedRule({ version, versions }: Chosen, typed: string): string {
  if (typed === version) return `"${typed}" was asked for`
  if (/^(all|\*)$/i.test(typed)) return `"${typed}" was asked for`
  const parts = versionParts(typed, versions)
  const part = parts.find((one) => matchingVersions(one, [...versions]).includes(version))
  if (part === version) return `"${typed}" was asked for`
  if (part !== undefined) return `of "${typed}", ${meaning(part, version)}`
  if (rangeOf(typed) !== null) return `"${typed}" allows it`
  return meaning(typed, version)
}

function meaning(typed: string, version: string): string {
  if (typed === 'latest') return 'the newest, since none is called "latest"'
  const count = (text: string) => releaseOf(text)?.numbers.length
  return count(typed) === count(version) ? `"${typed}" means it` : `the newest "${typed}"`
}
