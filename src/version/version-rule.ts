import { parseRelease } from './release.ts'
import { parseRange } from './version-range.ts'
import type { VersionFrom } from './pick.ts'
import { matchingVersions } from './version.ts'
import { isDateVersion, versionParts } from './version-shape.ts'

type ChosenVersion = {
  version: string
  versions: readonly string[]
  from?: VersionFrom | undefined
}

/**
 * Describes the rule that chose a version of a library, as a phrase that may follow a comma or
 * bracket: the typed version, a project file, or the default order.
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
  if (request === version) return `"${request}" was asked for`
  if (/^(all|\*)$/i.test(request)) return `"${request}" was asked for`
  const parts = versionParts(request, versions)
  const part = parts.find((one) => matchingVersions(one, [...versions]).includes(version))
  if (part === version) return `"${request}" was asked for`
  if (part !== undefined) return `of "${request}", ${meaning(part, version)}`
  if (parseRange(request) !== null) return `"${request}" allows it`
  return meaning(request, version)
}

function meaning(request: string, version: string): string {
  if (request === 'latest') return 'the newest, since none is called "latest"'
  const count = (text: string) => parseRelease(text)?.numbers.length
  return count(request) === count(version) ? `"${request}" means it` : `the newest "${request}"`
}
