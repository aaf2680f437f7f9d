import { OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { cratesRelease, cratesRegistry } from './crates.ts'
import { goRelease, goRegistries } from './go.ts'
import { hexRegistry, hexRelease } from './hex.ts'
import { mavenRegistry, mavenRelease } from './maven.ts'
import { npmRelease, npmRegistry } from './npm.ts'
import { nugetRegistry, nugetRelease } from './nuget.ts'
import { packageKey, type PackageName, type RegistryKind } from '../../version/package-name.ts'
import { packagistRegistry, packagistRelease } from './packagist.ts'
import { pypiRelease, pypiRegistry } from './pypi.ts'
import {
  openRegistry,
  type Registry,
  type RegistryLocation,
  type RegistryOptions,
  type Surroundings,
  type PackageRelease,
} from './registry.ts'
import { rubygemsRegistry, rubygemsRelease } from './rubygems.ts'

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
  const { place, read } = await openers[packageName.registry](packageName, surroundings)
  const registry = openRegistry(place, options)
  const release = await read(registry, options)
  if (release !== null) return { release, registry }
  throw missingError(packageName, place.url)
}

type Opened = {
  place: RegistryLocation
  read(registry: Registry, options: RegistryOptions): Promise<PackageRelease | null>
}

const openers: Record<
  Exclude<RegistryKind, 'go'>,
  (packageName: PackageName, surroundings: Surroundings) => Promise<Opened>
> = {
  npm: async (named, around) => ({
    place: await npmRegistry(named.name, around),
    read: (registry) => npmRelease(named, registry),
  }),
  pypi: async (named, around) => ({
    place: await pypiRegistry(around),
    read: (registry) => pypiRelease(named, registry),
  }),
  crates: async (named, around) => ({
    place: await cratesRegistry(around),
    read: (registry, options) => cratesRelease(named, registry, options),
  }),
  maven: async (named, around) => ({
    place: await mavenRegistry(around),
    read: (registry) => mavenRelease(named, registry),
  }),
  rubygems: async (named, around) => ({
    place: await rubygemsRegistry(around),
    read: (registry) => rubygemsRelease(named, registry),
  }),
  packagist: async (named, around) => ({
    place: await packagistRegistry(around),
    read: (registry) => packagistRelease(named, registry),
  }),
  nuget: async (named, around) => ({
    place: await nugetRegistry(around),
    read: (registry) => nugetRelease(named, registry),
  }),
  async hex(named, around) {
    const place = await hexRegistry(around)
    return { place, read: (registry) => hexRelease(named, registry, place) }
  },
}

function missingError(packageName: PackageName, place: string): OgError {
  const where = printableUrl(place)
  return new OgError(`Cannot find ${packageKey(packageName)}: ${where} has no such package`, {
    hint: 'check the spelling, or give a source with --source',
  })
}
