import { parseGlob } from '../../platform/text/glob.ts'
import { isRecord } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'
import { NetworkError } from '../../platform/web/http.ts'
import { attributesOf, tagTexts } from '../web/html-head.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  openRegistry,
  type Registry,
  type RegistryOptions,
  type RegistryLocation,
  type Surroundings,
  chooseRegistryVersion,
  type PackageRelease,
  locationOf,
  textOrNull,
} from './registry.ts'
import { join } from 'node:path'
import { defaultRegistryUrl } from './client-default.ts'
import { readSettings } from './settings-file.ts'

type ModuleRelease = { release: PackageRelease; registry: Registry }

/**
 * Finds a module's version at the first proxy that has it (go.dev/ref/mod#goproxy-protocol). The
 * repository comes from the proxy, the path, or the host's response to `?go-get=1`, in this order.
 * Returns null if no proxy has the module and direct requests are not allowed.
 * @throws OgError if no proxy has such a version
 */
export async function goRelease(
  packageName: PackageName,
  { proxies, isDirect }: GoRegistries,
  options: RegistryOptions,
): Promise<ModuleRelease | null> {
  for (const { isFallible, ...place } of proxies) {
    const registry = openRegistry(place, options)
    const release = await fromProxy(packageName, registry, options).catch((error: unknown) => {
      options.signal?.throwIfAborted()
      if (!isFallible || !(error instanceof OgError)) throw error
      return null
    })
    if (release !== null) return { release, registry }
  }
  return isDirect ? releaseFromHost(packageName, options) : null
}

async function fromProxy(
  packageName: PackageName,
  registry: Registry,
  options: RegistryOptions,
): Promise<PackageRelease | null> {
  const path = `${escapeCapitals(packageName.name)}/@`
  const list = await registry.text(`${path}v/list`, 'text/plain, */*;q=0.5')
  if (list === null) return null
  const versions = list.split(/\s+/).filter((version) => version !== '')
  const version = await versionOf(packageName, versions, { path, registry })
  const place = `${path}v/${escapeCapitals(version)}`
  const entry = await registry.json(`${place}.info`)
  if (entry === null) return null
  const origin = isRecord(entry.Origin) ? entry.Origin : {}
  const repository = textOrNull(origin.URL) ?? (await repositoryOf(packageName.name, options))
  const archive = registry.address(`${place}.zip`)
  return { ...toRelease(packageName.name, version, repository), archive }
}

/** Returns the requested version. A module without tags still has a newest commit. */
async function versionOf(
  packageName: PackageName,
  versions: string[],
  { path, registry }: { path: string; registry: Registry },
): Promise<string> {
  if (versions.length > 0) {
    const { version } = packageName
    return chooseRegistryVersion({ ...packageName, version: version && withV(version) }, versions)
  }
  const latest = packageName.version === null ? await registry.json(`${path}latest`) : null
  return typeof latest?.Version === 'string'
    ? latest.Version
    : chooseRegistryVersion(packageName, [])
}

function withV(version: string): string {
  return /^\d/.test(version) ? `v${version}` : version
}

async function releaseFromHost(
  packageName: PackageName,
  options: RegistryOptions,
): Promise<ModuleRelease> {
  const repository = await repositoryOf(packageName.name, options)
  const url = `https://${packageName.name.split('/', 1)[0]}/`
  const registry = openRegistry({ url, authorization: null, isStranger: true }, options)
  // The repository resolves the version later.
  const version = packageName.version === null ? '' : withV(packageName.version)
  return {
    release: { ...toRelease(packageName.name, version, repository), archive: null },
    registry,
  }
}

function toRelease(
  module: string,
  version: string,
  repository: string | null,
): Omit<PackageRelease, 'archive'> {
  const tag = version.replace(/\+incompatible$/, '')
  const below = repository === null ? '' : folderOf(module, repository)
  return {
    version,
    repository,
    directory: below || null,
    tags: tag === '' ? [] : below === '' ? [tag] : [`${below}/${tag}`, tag],
    pages: [],
  }
}

/** Returns a module's folder in its repository: `sub` for `github.com/o/r/sub/v2`. */
function folderOf(module: string, repository: string): string {
  const root = repository.replace(/^\w+:\/\//, '').replace(/(\.git)?\/*$/, '')
  return module.startsWith(`${root}/`) ? module.slice(root.length + 1).replace(/\/?v\d+$/, '') : ''
}

export function escapeCapitals(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
}

const forge = /^((?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/[^/]+\/[^/]+)(?:\/|$)/

async function repositoryOf(module: string, options: RegistryOptions): Promise<string | null> {
  const repository = forge.exec(module)?.[1]
  if (repository !== undefined) return `https://${repository}`
  const url = `https://${module.split('/', 1)[0]}/`
  const host = openRegistry({ url, authorization: null, isStranger: true }, options)
  const page = `https://${module}?go-get=1`
  const text = await host.text(page, 'text/html').catch((error: unknown) => {
    options.signal?.throwIfAborted()
    // An unreachable host cannot name the repository, but the proxy still has the module.
    if (error instanceof NetworkError || error instanceof OgError) return null
    throw error
  })
  const imports = tagTexts(text ?? '', 'meta', 100)
    .map(attributesOf)
    .flatMap(({ name, content = '' }) => (name === 'go-import' ? [content.split(/\s+/)] : []))
  const vcsImport = imports.find(
    ([prefix = '', vcs]) => vcs === 'git' && (module === prefix || module.startsWith(`${prefix}/`)),
  )
  return vcsImport?.[2] ?? null
}

/** Where go looks for a module: proxies in order, and the module's own host. */
type GoRegistries = {
  /** With `isFallible`, any error selects the next proxy (`|`); otherwise a missing module. */
  proxies: (RegistryLocation & { isFallible: boolean })[]
  /** True if the repository itself may be contacted after the proxies. */
  isDirect: boolean
}

export async function goRegistries(
  module: string,
  { env, home }: Surroundings,
): Promise<GoRegistries> {
  const folder = env.XDG_CONFIG_HOME || join(home, '.config')
  const file = env.GOENV === 'off' ? null : env.GOENV || join(folder, 'go', 'env')
  const settings = file === null ? new Map<string, string>() : await readSettings(file)
  const setting = (name: string) => env[name] || settings.get(name)
  const isPrivate = (setting('GONOPROXY') ?? setting('GOPRIVATE') ?? '')
    .split(',')
    .some((glob) => glob.trim() !== '' && parseGlob(glob.trim()).matches(module))
  if (isPrivate) return { proxies: [], isDirect: true }
  const proxyList = setting('GOPROXY') ?? (await defaultRegistryUrl('go', { env, home }))
  const places: GoRegistries = { proxies: [], isDirect: false }
  for (const [, name = '', separator] of proxyList.matchAll(/([^,|]+)([,|]?)/g)) {
    const word = name.trim()
    if (word === 'off') break
    places.isDirect ||= word === 'direct'
    if (places.isDirect) break
    if (!/^https?:/i.test(word) || !URL.canParse(word)) continue
    places.proxies.push({ ...locationOf(word), isFallible: separator === '|' })
  }
  return places
}
