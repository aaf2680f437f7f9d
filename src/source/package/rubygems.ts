import { join } from 'node:path'
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
import { readTextOrEmpty } from './settings-file.ts'

/**
 * Finds a version in the compact index of a gem server (guides.rubygems.org/rubygems-org-compact-
 * index-api). Some servers also have an API with the URLs of a gem.
 * @throws OgError if the server has no such version
 */
export async function rubygemsRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const { name } = packageName
  const index = await registry.text(`info/${name}`, 'text/plain, */*;q=0.5')
  if (index === null) return null
  // A line is `1.2.0 dependencies|requirements`, or `1.2.0-java …` for another platform.
  const versions = index.split('\n').flatMap((line) => /^(\d[\w.]*) /.exec(line)?.[1] ?? [])
  const version = chooseRegistryVersion(packageName, versions)
  const about = await registry.json(`api/v2/rubygems/${name}/versions/${version}.json`)
  const repository = about?.source_code_uri ?? about?.homepage_uri
  return {
    version,
    repository: typeof repository === 'string' ? repository : null,
    directory: null,
    tags: [...new Set([version, `${name}-${version}`])],
    pages: documentationUrls([
      ['documentation', about?.documentation_uri],
      ['homepage', about?.homepage_uri],
    ]),
    archive: registry.address(`gems/${name}-${version}.gem`),
  }
}

/** The first gem server in the user's .gemrc, else the one that gem prints. */
export async function rubygemsRegistry({ env, home }: Surroundings): Promise<RegistryLocation> {
  const text = await readTextOrEmpty(env.GEMRC || join(home, '.gemrc'))
  const own = /^:?sources:\s*\n(?:[ \t]*-[ \t]*)?["']?(https?:\/\/[^\s"']+)/m.exec(text)?.[1]
  const url = addFinalSlash(own ?? (await defaultRegistryUrl('rubygems', { env, home })))
  return { url, authorization: null, isStranger: false }
}
