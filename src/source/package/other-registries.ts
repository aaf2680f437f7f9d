import { join } from 'node:path'
import { isRecord, parseJsonOr } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'
import { defaultRegistryUrl } from './client-default.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  chooseRegistryVersion,
  documentationUrls,
  locationOf,
  textOrNull,
  type PackageRelease,
  type Registry,
  type RegistryLocation,
  type Surroundings,
} from './registry.ts'
import { readTextOrEmpty, xmlElements } from './settings-file.ts'

type Json = Record<string, unknown>

/**
 * Finds a version with Hex's API. The archive is the version's generated documentation if the
 * package repository has it, and the package itself otherwise.
 * @throws OgError if Hex has no such version
 */
export async function hexRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const { name } = packageName
  const about = await registry.json(`packages/${name}`)
  if (about === null) return null
  const releases = Array.isArray(about.releases) ? about.releases.filter(isRecord) : []
  const version = chooseRegistryVersion(
    packageName,
    releases.map((it) => String(it.version)),
  )
  const hasDocs = releases.find((it) => it.version === version)?.has_docs === true
  const links = isRecord(about.meta) && isRecord(about.meta.links) ? about.meta.links : {}
  const urls = Object.entries(links).filter(([, url]) => typeof url === 'string')
  const forge = urls.find(([label]) => /git|source|repo/i.test(label))?.[1]
  const file = hasDocs ? `docs/${name}-${version}.tar.gz` : `tarballs/${name}-${version}.tar`
  return {
    version,
    repository: textOrNull(forge),
    tags: [version],
    pages: documentationUrls(urls),
    archive: registry.file(registry.mirror + file),
  }
}

/** Returns Hex's API and the repository with its archives, from variables or from mix. */
export async function hexRegistry(around: Surroundings): Promise<RegistryLocation> {
  const { env } = around
  const api = env.HEX_API_URL || (await defaultRegistryUrl('hex', around))
  const mirror =
    env.HEX_MIRROR_URL ||
    env.HEX_MIRROR ||
    (await defaultRegistryUrl('hex', { ...around, setting: 'mirror_url' }))
  return { ...locationOf(api), mirror: locationOf(mirror).url }
}

/**
 * Finds a version in a NuGet feed (learn.microsoft.com/nuget/api/package-base-address-resource).
 * Its nuspec contains the URLs.
 * @throws OgError if the feed has no such version, or does not use protocol version 3
 */
export async function nugetRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const resources = (await registry.json(''))?.resources
  const base = (Array.isArray(resources) ? resources.filter(isRecord) : []).find((it) =>
    String(it['@type']).startsWith('PackageBaseAddress/3'),
  )?.['@id']
  if (typeof base !== 'string') {
    throw new OgError('Cannot read the NuGet feed: its index has no PackageBaseAddress')
  }
  const id = packageName.name.toLowerCase()
  const folder = `${registry.file(base).replace(/\/?$/, '/')}${id}/`
  const listed = (await registry.json(`${folder}index.json`))?.versions
  if (!Array.isArray(listed)) return null
  const version = chooseRegistryVersion(packageName, listed.map(String))
  const file = `${folder}${version.toLowerCase()}/${id}`
  const nuspec = await registry.text(`${file}.nuspec`, 'application/xml, */*;q=0.5')
  const elements = nuspec === null ? [] : xmlElements(nuspec, 'a nuspec')
  const at = (name: string) => elements.find(({ path }) => path === `package/metadata/${name}`)
  return {
    version,
    repository: at('repository')?.attributes.url ?? null,
    tags: [...new Set([version, `${packageName.name}-${version}`])],
    pages: documentationUrls([['homepage', at('projectUrl')?.text]]),
    archive: `${file}.${version.toLowerCase()}.nupkg`,
  }
}

/** Returns the first feed in the user's NuGet.Config, or the one that dotnet prints. */
export async function nugetRegistry(around: Surroundings): Promise<RegistryLocation> {
  const text = await readTextOrEmpty(join(around.home, '.nuget', 'NuGet', 'NuGet.Config'))
  const elements = text === '' ? [] : xmlElements(text, 'the NuGet.Config')
  const own = elements
    .filter(({ path }) => path.toLowerCase() === 'configuration/packagesources/add')
    .map(({ attributes }) => attributes.value ?? '')
    .find((url) => /^https?:/i.test(url) && URL.canParse(url))
  const url = own ?? (await defaultRegistryUrl('nuget', around))
  return { url, authorization: null, isStranger: false }
}

export async function packagistRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const name = packageName.name.toLowerCase()
  const root = await registry.json('packages.json')
  const path = textOrNull(root?.['metadata-url']) ?? '/p2/%package%.json'
  const metadata = await registry.json(registry.file(path.replace('%package%', name)))
  const listed = isRecord(metadata?.packages) ? metadata.packages[name] : undefined
  if (!Array.isArray(listed)) return null
  const releases = expanded(listed.filter(isRecord))
  const version = chooseRegistryVersion(
    packageName,
    releases.map((it) => String(it.version)),
  )
  const { source, dist, support, homepage } = releases.find((it) => it.version === version)!
  const urlOf = (value: unknown) => (isRecord(value) ? textOrNull(value.url) : null)
  const archive = isRecord(dist) && dist.type === 'zip' ? urlOf(dist) : null
  return {
    version,
    repository: urlOf(source),
    tags: [version],
    pages: documentationUrls([
      ['docs', isRecord(support) ? support.docs : null],
      ['homepage', homepage],
    ]),
    archive: archive === null ? null : registry.file(archive),
  }
}

/** Expands entries that contain only changes to the previous one. `__unset` removes a field. */
function expanded(entries: readonly Json[]): Json[] {
  let last: Json = {}
  return entries.map((entry) => {
    const fields = Object.entries({ ...last, ...entry }).filter(([, it]) => it !== '__unset')
    last = Object.fromEntries(fields)
    return last
  })
}

/** Returns the first repository in Composer's config.json, or the one that composer prints. */
export async function packagistRegistry(around: Surroundings): Promise<RegistryLocation> {
  const { env, home } = around
  const folders = env.COMPOSER_HOME
    ? [env.COMPOSER_HOME]
    : [join(env.XDG_CONFIG_HOME || join(home, '.config'), 'composer'), join(home, '.composer')]
  for (const folder of folders) {
    const url = repositoryIn(await readConfig(join(folder, 'config.json')))
    if (url !== null) return locationOf(url)
  }
  return locationOf(await defaultRegistryUrl('packagist', around))
}

async function readConfig(path: string): Promise<unknown> {
  const text = await readTextOrEmpty(path)
  if (text.trim() === '') return {}
  const refuse = (_why: string, cause: unknown) =>
    new OgError(`Cannot read ${JSON.stringify(path)}: it is not valid JSON`, { cause })
  return parseJsonOr(text, refuse)
}

function repositoryIn(config: unknown): string | null {
  const listed = isRecord(config) ? (config.repositories ?? {}) : {}
  for (const it of Object.values(listed as Json)) {
    const url = isRecord(it) && it.type === 'composer' ? textOrNull(it.url) : null
    if (url !== null && /^https?:/i.test(url)) return url
  }
  return null
}

/**
 * Finds a version in a gem server's compact index
 * (guides.rubygems.org/rubygems-org-compact-index-api). Some servers also have an API with a gem's
 * URLs.
 * @throws OgError if the server has no such version
 */
export async function rubygemsRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const { name } = packageName
  const index = await registry.text(`info/${name}`, 'text/plain, */*;q=0.5')
  if (index === null) return null
  // A line is `1.2.0 dependencies|requirements`, or `1.2.0-java …` for a specific platform.
  const versions = index.split('\n').flatMap((line) => /^(\d[\w.]*) /.exec(line)?.[1] ?? [])
  const version = chooseRegistryVersion(packageName, versions)
  const about = await registry.json(`api/v2/rubygems/${name}/versions/${version}.json`)
  return {
    version,
    repository: textOrNull(about?.source_code_uri ?? about?.homepage_uri),
    tags: [...new Set([version, `${name}-${version}`])],
    pages: documentationUrls([
      ['documentation', about?.documentation_uri],
      ['homepage', about?.homepage_uri],
    ]),
    archive: registry.address(`gems/${name}-${version}.gem`),
  }
}

/** Returns the first gem server in the user's .gemrc, or the one that gem prints. */
export async function rubygemsRegistry(around: Surroundings): Promise<RegistryLocation> {
  const text = await readTextOrEmpty(around.env.GEMRC || join(around.home, '.gemrc'))
  const own = /^:?sources:\s*\n(?:[ \t]*-[ \t]*)?["']?(https?:\/\/[^\s"']+)/m.exec(text)?.[1]
  return locationOf(own ?? (await defaultRegistryUrl('rubygems', around)))
}
