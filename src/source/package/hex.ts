import { isRecord } from '../../platform/json.ts'
import { defaultRegistryUrl } from './client-default.ts'
import { addFinalSlash } from './npm.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  type Registry,
  type RegistryLocation,
  type Surroundings,
  chooseRegistryVersion,
  documentationUrls,
  type PackageRelease,
} from './registry.ts'

/**
 * Finds a version by the API of Hex. The archive is the generated documentation of the version,
 * which the repository of packages has, else the package itself.
 * @throws OgError if Hex has no such version
 */
export async function hexRelease(
  packageName: PackageName,
  registry: Registry,
  { mirror }: { mirror: string },
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
    repository: forge === undefined ? null : String(forge),
    directory: null,
    tags: [version],
    pages: documentationUrls(urls),
    archive: registry.file(mirror + file),
  }
}

/** The API of Hex, and the repository with its archives, from variables or from mix. */
export async function hexRegistry({
  env,
  home,
}: Surroundings): Promise<RegistryLocation & { mirror: string }> {
  const api = env.HEX_API_URL || (await defaultRegistryUrl('hex', { env, home }))
  const mirror =
    env.HEX_MIRROR_URL ||
    env.HEX_MIRROR ||
    (await defaultRegistryUrl('hex', { env, home, setting: 'mirror_url' }))
  const place = { authorization: null, isStranger: false }
  return { url: addFinalSlash(api), mirror: addFinalSlash(mirror), ...place }
}
