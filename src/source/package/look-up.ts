import { OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { cratesRelease, cratesRegistry } from './crates.ts'
import { goRelease, goRegistries } from './go.ts'
import { npmRelease, npmRegistry } from './npm.ts'
import { packageKey, type PackageName } from './package-name.ts'
import type { PackageRelease } from './package-release.ts'
import { pypiRelease, pypiRegistry } from './pypi.ts'
import { openRegistry, type Registry, type RegistryOptions, type Surroundings } from './registry.ts'

type LookUp = { release: PackageRelease; registry: Registry }

/**
 * Looks up a package in its registry, which comes from the settings of the package manager.
 * @throws OgError if the registry has no such package or version, or cannot be reached
 */
export async function lookUpPackage(
  packageName: PackageName,
  options: RegistryOptions & { surroundings: Surroundings },
): Promise<LookUp> {
  const { surroundings } = options
  if (packageName.registry === 'go') {
    const places = await goRegistries(packageName.name, surroundings)
    const release = await goRelease(packageName, places, options)
    if (release !== null) return release
    throw missingError(packageName, places.proxies.map(({ url }) => url).join(', ') || 'any proxy')
  }
  const place = await {
    npm: () => npmRegistry(packageName.name, surroundings),
    pypi: () => pypiRegistry(surroundings),
    crates: () => cratesRegistry(surroundings),
  }[packageName.registry]()
  const registry = openRegistry(place, options)
  const release = await {
    npm: () => npmRelease(packageName, registry),
    pypi: () => pypiRelease(packageName, registry),
    crates: () => cratesRelease(packageName, registry, options),
  }[packageName.registry]()
  if (release !== null) return { release, registry }
  throw missingError(packageName, place.url)
}

function missingError(packageName: PackageName, place: string): OgError {
  const where = printableUrl(place)
  return new OgError(`Cannot find ${packageKey(packageName)}: ${where} has no such package`, {
    hint: 'check the spelling, or name a source with --source',
  })
}
