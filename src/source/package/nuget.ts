import { join } from 'node:path'
import { isRecord } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'
import { defaultRegistryUrl } from './client-default.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  type Registry,
  type RegistryLocation,
  type Surroundings,
  chooseRegistryVersion,
  documentationUrls,
  type PackageRelease,
} from './registry.ts'
import { readTextOrEmpty, xmlElements } from './settings-file.ts'

/**
 * Finds a version in a NuGet feed (learn.microsoft.com/nuget/api/package-base-address-resource).
 * Its nuspec has the URLs.
 * @throws OgError if the feed has no such version, or is none of version 3
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
  const elements = nuspec === null ? [] : await xmlElements(nuspec, 'a nuspec')
  const at = (name: string) => elements.find(({ path }) => path === `package/metadata/${name}`)
  return {
    version,
    repository: at('repository')?.attributes.url ?? null,
    directory: null,
    tags: [...new Set([version, `${packageName.name}-${version}`])],
    pages: documentationUrls([['homepage', at('projectUrl')?.text]]),
    archive: `${file}.${version.toLowerCase()}.nupkg`,
  }
}

/** The first feed in the user's NuGet.Config, else the one that dotnet prints. */
export async function nugetRegistry({ env, home }: Surroundings): Promise<RegistryLocation> {
  const text = await readTextOrEmpty(join(home, '.nuget', 'NuGet', 'NuGet.Config'))
  const elements = text === '' ? [] : await xmlElements(text, 'the NuGet.Config')
  const own = elements
    .filter(({ path }) => path.toLowerCase() === 'configuration/packagesources/add')
    .map(({ attributes }) => attributes.value ?? '')
    .find((url) => /^https?:/i.test(url) && URL.canParse(url))
  const url = own ?? (await defaultRegistryUrl('nuget', { env, home }))
  return { url, authorization: null, isStranger: false }
}
