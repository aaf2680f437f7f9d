import { OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { cratesRelease, cratesRegistry } from './crates.ts'
import { goRelease, goRegistries } from './go.ts'
import { mavenRegistry, mavenRelease } from './maven.ts'
import { npmRelease, npmRegistry } from './npm.ts'
import * as other from './other-registries.ts'
import { packageKey, type PackageName, type RegistryKind } from '../../version/package-name.ts'
import { pypiRelease, pypiRegistry } from './pypi.ts'
import {
  openRegistry,
  type PackageRelease,
  type Registry,
  type RegistryLocation,
  type RegistryOptions,
  type Surroundings,
} from './registry.ts'

/**
 * Looks up a package in its registry, which comes from the package manager's settings.
 * @throws OgError if the registry has no such package or version, or cannot be reached
 */
export async function lookUpPackage(
  packageName: PackageName,
  options: RegistryOptions & { surroundings: Surroundings },
): Promise<{ release: PackageRelease; registry: Registry }> {
  const { surroundings } = options
  if (packageName.registry === 'go') {
    const places = await goRegistries(packageName.name, surroundings)
    const release = await goRelease(packageName, places, options)
    if (release !== null) return release
    throw missingError(packageName, places.proxies.map(({ url }) => url).join(', ') || 'any proxy')
  }
  const { locate, read } = readers[packageName.registry]
  const place = await locate(surroundings, packageName.name)
  const registry = openRegistry(place, options)
  const release = await read(packageName, registry, options)
  if (release !== null) return { release, registry }
  throw missingError(packageName, place.url)
}

type Reader = {
  locate(surroundings: Surroundings, name: string): Promise<RegistryLocation>
  read(
    packageName: PackageName,
    registry: Registry,
    options: RegistryOptions,
  ): Promise<PackageRelease | null>
}

const readers: Record<Exclude<RegistryKind, 'go'>, Reader> = {
  npm: { locate: npmRegistry, read: npmRelease },
  pypi: { locate: pypiRegistry, read: pypiRelease },
  crates: { locate: cratesRegistry, read: cratesRelease },
  maven: { locate: mavenRegistry, read: mavenRelease },
  rubygems: { locate: other.rubygemsRegistry, read: other.rubygemsRelease },
  packagist: { locate: other.packagistRegistry, read: other.packagistRelease },
  nuget: { locate: other.nugetRegistry, read: other.nugetRelease },
  hex: { locate: other.hexRegistry, read: other.hexRelease },
}

function missingError(packageName: PackageName, place: string): OgError {
  const where = printableUrl(place)
  return new OgError(`Cannot find ${packageKey(packageName)}: ${where} has no such package`, {
    hint: 'check the spelling, or give a source with --source',
  })
}
