import { isObject } from '../../store/shape.ts'
import type { PackageName } from './package-name.ts'
import { chosenVersion, pagesOf, type PackageRelease } from './package-release.ts'
import type { Registry } from './registry.ts'

type Json = Record<string, unknown>

/**
 * Finds a version in npm's registry: one document for an exact version or the newest, else the list
 * of all versions first.
 * @throws OgError where the registry has no such package or version
 */
export async function npmRelease(
  named: PackageName, registry: Registry,
): Promise<PackageRelease | null> {
  const path = named.name.replace('/', '%2f')
  const { version } = named
  const isOne = version === null || /^\d+\.\d+\.\d+([-+].*)?$|^[a-z]+$/i.test(version)
  const manifest = isOne ? await registry.json(`${path}/${version ?? 'latest'}`) : null
  if (manifest !== null && typeof manifest.version === 'string') {
    return releaseOf(named.name, manifest, registry)
  }
  const all = await registry.json(path)
  if (all === null) return null
  const versions = isObject(all.versions) ? all.versions : {}
  const { latest } = isObject(all['dist-tags']) ? all['dist-tags'] : {}
  const chosen = version === null && typeof latest === 'string' && latest in versions ? latest
    : chosenVersion(named, Object.keys(versions))
  const listed = versions[chosen]
  const own = isObject(listed) ? listed : {}
  return releaseOf(named.name, { ...all, ...own, version: chosen }, registry)
}

function releaseOf(name: string, manifest: Json, registry: Registry): PackageRelease {
  const version = String(manifest.version)
  const { repository, homepage, dist } = manifest
  const { url, directory } = isObject(repository) ? repository : { url: repository }
  const { tarball } = isObject(dist) ? dist : {}
  const own = name.replace(/^@[^/]+\//, '')
  return {
    version,
    repository: typeof url === 'string' ? url : null,
    directory: typeof directory === 'string' ? directory : null,
    tags: [...new Set([version, `${name}@${version}`, `${own}@${version}`])],
    pages: pagesOf([['homepage', homepage]]),
    archive: typeof tarball === 'string' ? registry.file(tarball) : null,
  }
}
