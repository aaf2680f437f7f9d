import { OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { cratesRelease, cratesPlace } from './crates.ts'
import { goRelease, goPlaces } from './go.ts'
import { npmRelease, npmPlace } from './npm.ts'
import { packagePlace, type PackageName } from './package-name.ts'
import type { PackageRelease } from './package-release.ts'
import { pypiRelease, pypiPlace } from './pypi.ts'
import { openRegistry, type Registry, type RegistryOptions, type Surroundings } from './registry.ts'

type LookUp = { release: PackageRelease; registry: Registry }

/**
 * Looks up a package in its registry, which the settings of the package manager name.
 * @throws OgError if it has no such package or version, or cannot be reached
 */
export async function lookUp(
  named: PackageName,
  options: RegistryOptions & { surroundings: Surroundings },
): Promise<LookUp> {
  const { surroundings } = options
  if (named.registry === 'go') {
    const places = await goPlaces(named.name, surroundings)
    const release = await goRelease(named, places, options)
    if (release !== null) return release
    throw notThere(named, places.proxies.map(({ url }) => url).join(', ') || 'any proxy')
  }
  const place = await {
    npm: () => npmPlace(named.name, surroundings),
    pypi: () => pypiPlace(surroundings),
    crates: () => cratesPlace(surroundings),
  }[named.registry]()
  const registry = openRegistry(place, options)
  const release = await {
    npm: () => npmRelease(named, registry),
    pypi: () => pypiRelease(named, registry),
    crates: () => cratesRelease(named, registry, options),
  }[named.registry]()
  if (release !== null) return { release, registry }
  throw notThere(named, place.url)
}

function notThere(named: PackageName, place: string): OgError {
  const where = printableUrl(place)
  return new OgError(`Cannot find ${packagePlace(named)}: ${where} has no such package`, {
    hint: 'check the spelling, or name a source with --source',
  })
}
