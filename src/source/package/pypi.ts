import { OgError } from '../../platform/error.ts'
import { isRecord, parseJson } from '../../platform/json.ts'
import { NetworkError } from '../../platform/web/http.ts'
import { decodePercent } from '../page-address.ts'
import { attributesOf, tagTexts } from '../web/html-head.ts'
import { type PackageName, plainPackageName } from '../../version/package-name.ts'
import {
  type Registry,
  type RegistryLocation,
  type Surroundings,
  chooseRegistryVersion,
  documentationUrls,
  type PackageRelease,
  locationOf,
} from './registry.ts'
import { join } from 'node:path'
import { defaultRegistryUrl } from './client-default.ts'
import { readSettings } from './settings-file.ts'

/** A file of a package. `isYanked` means that its author has withdrawn it. */
type IndexFile = { name: string; url: string; version: string; isYanked: boolean }

const accept = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5'

/**
 * Finds a version in a Python package index (PEP 503 and 691). The documentation URL comes from a
 * wheel's metadata file (PEP 658), or from the JSON that some indexes offer.
 * @throws OgError if the index has no such version
 */
export async function pypiRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const name = plainPackageName(packageName.name)
  const page = registry.address(`${name}/`)
  const text = await registry.text(page, accept)
  if (text === null) return null
  const files = filesOf(text, page)
  const there = files.filter(({ isYanked }) => !isYanked)
  const usable = there.length > 0 ? there : files
  const version = chooseRegistryVersion(packageName, [
    ...new Set(usable.map((file) => file.version)),
  ])
  const own = usable.filter((file) => file.version === version)
  for (const { url } of own) registry.file(url)
  const wheel = own.find((file) => file.name.endsWith('.whl'))
  const beside = wheel === undefined ? null : await optional(registry, `${wheel.url}.metadata`)
  const projectUrls = beside === null ? await fromJson(name, registry) : fromMetadata(beside)
  const archive = own.find((file) => /\.(tar\.gz|zip|tgz)$/i.test(file.name)) ?? wheel
  return {
    version,
    repository: repositoryAmong(projectUrls),
    tags: [version, `${name}-${version}`],
    pages: documentationUrls(projectUrls),
    archive: archive?.url ?? null,
    code: (own.find((file) => file.name.endsWith('-none-any.whl')) ?? archive)?.url ?? null,
  }
}

async function optional(registry: Registry, url: string): Promise<string | null> {
  return registry.text(url, 'text/plain, application/json;q=0.9, */*;q=0.5').catch((error) => {
    if (error instanceof NetworkError || !(error instanceof OgError)) throw error
    return null
  })
}

type LabelledUrls = [label: string, url: string][]

function filesOf(text: string, base: string): IndexFile[] {
  const isHtml = /^\s*</.test(text)
  const listed = isHtml ? htmlFiles(text) : jsonFiles(text)
  return listed.flatMap(({ url, isYanked }) => {
    if (!URL.canParse(url, base)) return []
    const address = new URL(url, base)
    address.hash = ''
    const name = decodePercent(address.pathname.split('/').at(-1)!)
    const version = versionOf(name)
    return version === null ? [] : [{ name, url: address.href, version, isYanked }]
  })
}

const maxFiles = 200_000

function htmlFiles(html: string) {
  return tagTexts(html, 'a', maxFiles)
    .map(attributesOf)
    .flatMap((attributes) =>
      attributes.href ? [{ url: attributes.href, isYanked: 'data-yanked' in attributes }] : [],
    )
}

function jsonFiles(text: string) {
  const content = parseJson(text)
  const files = isRecord(content) && Array.isArray(content.files) ? content.files : []
  return files.flatMap((file: unknown) => {
    const { url, yanked } = isRecord(file) ? file : {}
    return typeof url === 'string' ? [{ url, isYanked: Boolean(yanked) }] : []
  })
}

function versionOf(file: string): string | null {
  const wheel = /^[^-]+-([^-]+)-.*\.whl$/i.exec(file)?.[1]
  const source = /-(\d[^-]*)\.(?:tar\.gz|tgz|zip|tar\.bz2)$/i.exec(file)?.[1]
  return wheel ?? source ?? null
}

/** Returns the project URLs in a metadata file, whose headers end at the first empty line. */
function fromMetadata(text: string): LabelledUrls {
  const head = text.split(/\r?\n\r?\n/, 1)[0]!
  return head.split(/\r?\n/).flatMap((line): LabelledUrls => {
    const [, label, url] = /^Project-URL:\s*([^,]*),\s*(\S+)\s*$/i.exec(line) ?? []
    const home = /^Home-page:\s*(\S+)\s*$/i.exec(line)?.[1]
    return home !== undefined ? [['Homepage', home]] : url === undefined ? [] : [[label!, url]]
  })
}

async function fromJson(name: string, registry: Registry): Promise<LabelledUrls> {
  const text = await optional(registry, `../pypi/${name}/json`)
  const content: unknown = text === null || !text.startsWith('{') ? null : parseJson(text)
  const metadata = isRecord(content) && isRecord(content.info) ? content.info : {}
  const { project_urls: urls, home_page: home } = metadata
  const urlEntries = isRecord(urls) ? Object.entries(urls) : []
  return [...urlEntries, ['Homepage', home] as const].flatMap(
    ([label, url]): LabelledUrls => (typeof url === 'string' && url !== '' ? [[label, url]] : []),
  )
}

/** Returns the repository among the labelled URLs, by its label or because it is on a forge. */
function repositoryAmong(projectUrls: LabelledUrls): string | null {
  const labelledAsRepository = projectUrls.find(([label]) => /^(source|repo|code|git)/i.test(label))
  const forge = /^https?:\/\/(www\.)?(github|gitlab|codeberg)\./i
  const onForge = projectUrls.find(([, url]) => forge.test(url))
  return (labelledAsRepository ?? onForge)?.[1] ?? null
}

/**
 * Finds the package index as pip does: from `PIP_INDEX_URL`, or from `index-url` in the virtual
 * environment's, the user's or the global pip file.
 */
export async function pypiRegistry(around: Surroundings): Promise<RegistryLocation> {
  const { env, home } = around
  const configuredUrl = env.PIP_INDEX_URL || (await fromFiles(env, home)) || ''
  const isAddress = URL.canParse(configuredUrl) && /^https?:/i.test(configuredUrl)
  return locationOf(isAddress ? configuredUrl : await defaultRegistryUrl('pypi', around))
}

async function fromFiles(env: Surroundings['env'], home: string): Promise<string | undefined> {
  const only = env.PIP_CONFIG_FILE
  const folder = env.XDG_CONFIG_HOME || join(home, '.config')
  const shared = (env.XDG_CONFIG_DIRS || '/etc/xdg')
    .split(':')
    .map((dir) => join(dir, 'pip', 'pip.conf'))
  const files = [
    ...(env.VIRTUAL_ENV ? [join(env.VIRTUAL_ENV, 'pip.conf')] : []),
    join(folder, 'pip', 'pip.conf'),
    join(home, '.pip', 'pip.conf'),
    '/etc/pip.conf',
    ...shared,
  ]
  // For pip, this value means that no file is read.
  if (only === '/dev/null') return undefined
  for (const file of only ? [only, ...files] : files) {
    const settings = await readSettings(file)
    for (const table of ['install', 'download', 'global']) {
      const url = settings.get(`${table}.index-url`) ?? settings.get(`${table}.index_url`)
      if (url !== undefined) return url
    }
  }
  return undefined
}
