import { OgError } from '../../platform/error.ts'
import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import { archiveTexts } from '../archive/archive.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  type Registry,
  type RegistryOptions,
  type RegistryLocation,
  type Surroundings,
  chooseRegistryVersion,
  documentationUrls,
  type PackageRelease,
  locationOf,
  textOrNull,
} from './registry.ts'
import { join } from 'node:path'
import { defaultRegistryUrl } from './client-default.ts'
import { foldersAbove } from './installed.ts'
import { compatibleVersion, crateManifest, type CrateRelative } from './crate-manifest.ts'
import { readTextOrEmpty } from './settings-file.ts'

/**
 * Finds a crate's version in a sparse index. The index lacks the repository and documentation URLs,
 * so og reads them from the crate's Cargo.toml.
 * @throws OgError if the index has no such version, or the crate cannot be read
 */
export async function cratesRelease(
  packageName: PackageName,
  registry: Registry,
  options: RegistryOptions,
): Promise<PackageRelease | null> {
  const usable = await usableCrates(packageName.name, registry)
  if (usable === null) return null
  const version = chooseRegistryVersion(
    packageName,
    usable.map((crate) => crate.version),
  )
  const crate = usable.find((one) => one.version === version)!
  const { name } = crate
  const config = await registry.json('config.json')
  if (typeof config?.dl !== 'string') {
    throw new OgError('Cannot read the index of crates: its config.json names no download address')
  }
  const { dl } = config
  const archiveOf = (one: Crate) => registry.file(downloadAddress(dl, one))
  const archive = archiveOf(crate)
  const reading = { ...options, reach: registry.reach }
  const { texts } = await archiveTexts(archive, reading, (path) => path === 'Cargo.toml')
  const manifest = await crateManifest(texts.get('Cargo.toml') ?? '')
  if (manifest === null) {
    throw new OgError('Cannot read the Cargo.toml of the crate: it is not valid TOML')
  }
  const { repository, documentation, homepage } = manifest.own
  const lookups = manifest.relatives.map((it) => findRelative(it, registry))
  const relatives = (await Promise.all(lookups)).filter((it) => it !== null)
  return {
    version,
    repository: textOrNull(repository),
    tags: [version, `${name}-${version}`, `${name}-v${version}`],
    pages: documentationUrls([
      ['documentation', documentation],
      ['homepage', homepage],
    ]),
    archive,
    relatives: relatives.map(archiveOf),
  }
}

async function usableCrates(name: string, registry: Registry): Promise<Crate[] | null> {
  const index = await registry.text(indexPath(name), 'text/plain, */*;q=0.5')
  if (index === null) return null
  const crates = index.split('\n').flatMap(crateOf)
  const there = crates.filter(({ isYanked }) => !isYanked)
  return there.length > 0 ? there : crates
}

async function findRelative(
  { name, requirement }: CrateRelative,
  registry: Registry,
): Promise<Crate | null> {
  const crates = (await usableCrates(name, registry)) ?? []
  const versions = crates.map((crate) => crate.version)
  const version = compatibleVersion(requirement, versions)
  return crates.find((crate) => crate.version === version) ?? null
}

type Crate = { name: string; version: string; checksum: string; isYanked: boolean }

/** Returns a crate's path in the index: `to/ki/tokio`. Shorter names are in other folders. */
function indexPath(crate: string): string {
  const name = crate.toLowerCase()
  if (name.length <= 2) return `${name.length}/${name}`
  if (name.length === 3) return `3/${name[0]}/${name}`
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`
}

function crateOf(line: string): Crate[] {
  // Like cargo, skip lines that cannot be parsed.
  const crate = parseJsonOrUndefined(line)
  if (!isRecord(crate) || typeof crate.vers !== 'string') return []
  const { name, vers: version, cksum, yanked } = crate
  return [{ name: String(name), version, checksum: String(cksum), isYanked: yanked === true }]
}

/** https://doc.rust-lang.org/cargo/reference/registry-index.html#index-configuration */
function downloadAddress(dl: string, { name, version, checksum }: Omit<Crate, 'isYanked'>): string {
  const prefix = indexPath(name).replace(/\/[^/]*$/, '')
  const markers: Record<string, string> = {
    '{crate}': name,
    '{version}': version,
    '{prefix}': prefix,
    '{sha256-checksum}': checksum,
    '{lowerprefix}': prefix.toLowerCase(),
  }
  if (!Object.keys(markers).some((marker) => dl.includes(marker))) {
    return `${dl}/${name}/${version}/download`
  }
  return Object.entries(markers).reduce((url, [marker, value]) => url.replaceAll(marker, value), dl)
}

type Json = Record<string, unknown>

/**
 * Finds the sparse crate index as cargo does: the public one, or the target of
 * `source.crates-io.replace-with` in the `.cargo/config.toml` of the project, of a folder above it,
 * or of `CARGO_HOME`, in this order.
 * @throws OgError if cargo uses an index that is not sparse
 */
export async function cratesRegistry({ env, home, cwd }: Surroundings): Promise<RegistryLocation> {
  const own = env.CARGO_HOME || join(home, '.cargo')
  const folders = foldersAbove(cwd).map((folder) => join(folder, '.cargo'))
  const users = [own, join(home, '.cargo')]
  const files = [...folders.filter((folder) => !users.includes(folder)), own]
  const settings = await Promise.all(files.map(readConfig))
  const at = (...path: string[]) => {
    const index = settings.findIndex((config) => valueAt(config, path) !== undefined)
    return { value: valueAt(settings[index], path), isStranger: index < settings.length - 1 }
  }
  let place: { value: unknown; isStranger: boolean } | null = null
  for (let name = 'crates-io', hops = 0; hops < 5; hops++) {
    const next = at('source', name, 'replace-with')
    if (typeof next.value !== 'string') break
    name = next.value
    const variable = `CARGO_REGISTRIES_${name.toUpperCase().replaceAll('-', '_')}_INDEX`
    const definition = [at('source', name, 'registry'), at('registries', name, 'index')].find(
      ({ value }) => value !== undefined,
    )
    const isStranger = next.isStranger || (definition?.isStranger ?? false)
    place = { value: env[variable] ?? definition?.value, isStranger }
  }
  place ??= { value: await defaultRegistryUrl('crates', { env, home }), isStranger: false }
  const url = /^sparse\+(https?:.*)$/i.exec(String(place.value))?.[1]
  if (url !== undefined && URL.canParse(url)) {
    return { ...locationOf(url), isStranger: place.isStranger }
  }
  throw new OgError(
    'Cannot read the index that the settings of cargo name: it is not a sparse one',
    { hint: 'og reads "sparse+https://…"; name the repository of the crate with --source' },
  )
}

/** Returns cargo's settings in a folder. cargo reads `config`, the older file name, first. */
async function readConfig(folder: string): Promise<Json> {
  const text =
    (await readTextOrEmpty(join(folder, 'config'))) ||
    (await readTextOrEmpty(join(folder, 'config.toml')))
  if (text.trim() === '') return {}
  const { parse } = await import('smol-toml')
  try {
    return parse(text) as Json
  } catch (cause) {
    const what = `the settings of cargo in "${folder}"`
    throw new OgError(`Cannot read ${what}: they are not valid TOML`, { cause })
  }
}

function valueAt(config: unknown, path: string[]): unknown {
  return path.reduce((value, name) => (isRecord(value) ? value[name] : undefined), config)
}
