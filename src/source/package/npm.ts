import { isRecord } from '../../platform/json.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  type Registry,
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
import { readSettings } from './settings-file.ts'

type Json = Record<string, unknown>

/**
 * Finds a version in npm's registry. Reads one document for an exact version or the newest one.
 * Otherwise, reads the list of all versions first.
 * @throws OgError if the registry has no such package or version
 */
export async function npmRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const path = packageName.name.replace('/', '%2f')
  const { version } = packageName
  const isOne = version === null || /^\d+\.\d+\.\d+([-+].*)?$|^[a-z]+$/i.test(version)
  const manifest = isOne ? await registry.json(`${path}/${version ?? 'latest'}`) : null
  if (manifest !== null && typeof manifest.version === 'string') {
    return releaseOf(packageName.name, manifest, registry)
  }
  const all = await registry.json(path)
  if (all === null) return null
  const versions = isRecord(all.versions) ? all.versions : {}
  const { latest } = isRecord(all['dist-tags']) ? all['dist-tags'] : {}
  const chosen =
    version === null && typeof latest === 'string' && latest in versions
      ? latest
      : chooseRegistryVersion(packageName, Object.keys(versions))
  const listed = versions[chosen]
  const own = isRecord(listed) ? listed : {}
  return releaseOf(packageName.name, { ...all, ...own, version: chosen }, registry)
}

function releaseOf(name: string, manifest: Json, registry: Registry): PackageRelease {
  const version = String(manifest.version)
  const { repository, homepage, dist } = manifest
  const { url, directory } = isRecord(repository) ? repository : { url: repository }
  const { tarball } = isRecord(dist) ? dist : {}
  const own = name.replace(/^@[^/]+\//, '')
  return {
    version,
    repository: textOrNull(url),
    directory: textOrNull(directory),
    tags: [...new Set([version, `${name}@${version}`, `${own}@${version}`])],
    pages: documentationUrls([['homepage', homepage]]),
    archive: typeof tarball === 'string' ? registry.file(tarball) : null,
  }
}

/**
 * Finds a package's registry as npm does: from `npm_config_registry`, the project's .npmrc, the
 * user's, and the global one. In files, `@scope:registry` has precedence. Takes only the URL from
 * the project's file: no token, and no `${VARIABLE}`.
 */
export async function npmRegistry(
  { env, home, cwd }: Surroundings,
  name: string,
): Promise<RegistryLocation> {
  const variables = new Map(
    Object.entries(env).flatMap(([key, value]) => {
      const setting = /^npm_config_(.+)$/i.exec(key)?.[1]
      if (setting === undefined || !value) return []
      // npm keeps the case of keys that name a host.
      return [[setting.startsWith('//') ? setting : setting.toLowerCase(), value] as const]
    }),
  )
  const prefix = variables.get('prefix') ?? env.PREFIX
  const [user, all] = await Promise.all([
    readSettings(variables.get('userconfig') ?? join(home, '.npmrc')),
    readSettings(variables.get('globalconfig') ?? join(prefix ?? '/usr/local', 'etc', 'npmrc')),
  ])
  const project = cwd === home ? new Map<string, string>() : await readSettings(join(cwd, '.npmrc'))
  const own = [variables, user, all].map((settings) => expandVariables(settings, env))
  const scope = /^(@[^/]+)\//.exec(name)?.[1]
  for (const key of scope === undefined ? ['registry'] : [`${scope}:registry`, 'registry']) {
    const variable = own[0]!.get(key)
    const theirs = variable === undefined ? project.get(key) : undefined
    const url = variable ?? theirs ?? own[1]!.get(key) ?? own[2]!.get(key)
    if (url === undefined || !URL.canParse(url) || !/^https?:/i.test(url)) continue
    const place = locationOf(url)
    const isStranger = theirs !== undefined
    return { ...place, authorization: isStranger ? null : tokenOf(place.url, own), isStranger }
  }
  const place = locationOf(await defaultRegistryUrl('npm', { env, home }))
  return { ...place, authorization: tokenOf(place.url, own) }
}

/** Expands `${VARIABLE}` in the settings of a user's file, for example in a token. */
function expandVariables(
  settings: Map<string, string>,
  env: Surroundings['env'],
): Map<string, string> {
  return new Map(
    [...settings].map(([name, value]) => [
      name,
      value.replace(/\$\{([^}]+)\}/g, (whole, variable: string) => env[variable] ?? whole),
    ]),
  )
}

/** Returns a URL's token from the longest matching prefix (`//host/path/:_authToken`). */
function tokenOf(url: string, settings: Map<string, string>[]): string | null {
  const { host, pathname } = new URL(url)
  const parts = pathname.split('/').filter((part) => part !== '')
  for (let count = parts.length; count >= 0; count--) {
    const path = parts
      .slice(0, count)
      .map((part) => `${part}/`)
      .join('')
    const setting = (name: string) =>
      settings.map((one) => one.get(`//${host}/${path}:${name}`)).find((it) => it !== undefined)
    const [token, auth] = [setting('_authToken'), setting('_auth')]
    if (token !== undefined) return `Bearer ${token}`
    if (auth !== undefined) return `Basic ${auth}`
  }
  return null
}
