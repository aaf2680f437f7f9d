import { messageOf, OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import type { SitemapFilter, Source } from '../../store/source.ts'
import { archiveTexts } from '../archive/archive.ts'
import { lookUpPackage } from '../package/look-up.ts'
import {
  parsePackage,
  packageKey,
  type PackageName,
  type RegistryKind,
} from '../../version/package-name.ts'
import type { Surroundings, PackageRelease } from '../package/registry.ts'
import { repositoryAddress } from '../git/address.ts'
import { openCrawler, reasonWithoutUrl, type CrawlOptions } from '../web/crawler.ts'
import { unreachableGap, type SourceChoice, type RejectedCandidate } from './choice.ts'
import { findDocsFolder, addReadme } from './docs-folder.ts'
import { chooseInstalled, notInstalled } from './installed-choice.ts'
import { chooseForRepository } from './repository-choice.ts'
import { chooseForSite } from './site-choice.ts'
import { forgeOf } from '../page-address.ts'

export type PackageOptions = CrawlOptions & {
  version: string | null
  surroundings: Surroundings
  /** Registries that did not respond. og does not contact them again. */
  deadRegistries?: Map<RegistryKind, OgError>
  /** True to read the installed package without contacting its registry. */
  onlyInstalled?: boolean
  /** True if only the API reference is read, for which the registry's archive is enough. */
  onlyApi?: boolean
  docsRs?: string
}

export async function chooseForPackage(
  source: Extract<Source, { kind: 'package' }>,
  options: PackageOptions,
): Promise<SourceChoice> {
  const { signal, onlyInstalled = false, deadRegistries = new Map() } = options
  const { version = null, url } = source
  const packageName = { ...parsePackage(url)!, version: options.version ?? version }
  const { registry } = packageName
  try {
    if (onlyInstalled) throw notInstalled(packageName)
    const dead = deadRegistries.get(registry)
    if (dead !== undefined) throw dead
    return await chooseFromRegistry(packageName, options)
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    if (error.code === 'unreachable') deadRegistries.set(registry, error)
    const choice = await chooseInstalled(packageName, options)
    if (choice === null) throw error
    if (onlyInstalled) return choice
    const rejected = [{ place: `the registry of ${url}`, reason: messageOf(error) }]
    if (error.code !== 'unreachable') return { ...choice, rejected }
    const intended: Source = { kind: 'package', url, version: choice.version! }
    return { ...choice, rejected, incomplete: unreachableGap(hostIn(error), intended) }
  }
}

/** Returns the host in an error message about an address. */
function hostIn({ message }: OgError): string {
  const url = /"(https?:[^"]+)"/.exec(message)?.[1] ?? ''
  return URL.canParse(url) ? new URL(url).host : 'its registry'
}

/**
 * Chooses the documentation of a package version. This is the first that exists of: docs.rs for a
 * crate; the Read the Docs archive of that version; a documentation folder in the repository at the
 * version's tag; the site in the package's metadata; the README in the repository; the archive in
 * the registry. The metadata is untrusted, so og may contact only public hosts and the registry
 * that the user configured.
 * @throws OgError if the registry has no such package, or no documentation is found
 */
async function chooseFromRegistry(
  packageName: PackageName,
  options: PackageOptions,
): Promise<SourceChoice> {
  const { release, registry } = await lookUpPackage(packageName, options)
  const hosts = [...registry.reach.hosts, ...(options.reach?.hosts ?? [])]
  const reach = { hosts, folder: null }
  const archive = registry.isClosed ? null : release.archive
  const search: PackageSearch = {
    packageName,
    registryUrl: registry.isClosed ? null : registry.address(''),
    release: { ...release, archive },
    unreachableHosts: [],
    rejected: [],
    ...options,
    reach,
  }
  const { unreachableHosts, rejected } = search
  const choice = await firstSource(search)
  if (choice === null) throw notFoundError(packageName, release, rejected)
  const place = packageKey(packageName)
  // Domains of small projects often expire. Only the README remains then.
  const gap = unreachableHosts.find(({ isUnknownName }) => !(choice.isLeast && isUnknownName))
  const intended: Source = { kind: 'package', url: place, version: release.version }
  return {
    source: { ...choice.source, package: place, ...archivesOfCode(choice.source, search) },
    how: choice.how,
    version: choice.version,
    release: release.version,
    rejected,
    reach,
    ...(gap && { incomplete: unreachableGap(gap.host, intended) }),
  }
}

function archivesOfCode(
  source: Source,
  { packageName, registryUrl, release: { archive, code = archive, relatives = [] } }: PackageSearch,
): Pick<Source, 'apiArchive' | 'relatives' | 'registry'> {
  if (archive === null || code === null) return {}
  const hasDependencies = /^(?:npm|pypi)$/.test(packageName.registry) && registryUrl !== null
  const isSame = source.kind === 'archive' && source.url === code
  return {
    ...(isSame ? {} : { apiArchive: code }),
    ...(relatives.length > 0 ? { relatives } : {}),
    ...(hasDependencies ? { registry: registryUrl } : {}),
  }
}

async function firstSource(search: PackageSearch): Promise<PackageSource | null> {
  if (search.onlyApi) {
    const choice = await fromArchive(search)
    if (choice !== null) return choice
  }
  let least: PackageSource | null = null
  for (const look of [fromDocsRs, fromReadTheDocs, fromRepository, fromSite]) {
    const choice: PackageSource | null = await look(search)
    if (choice !== null && !choice.isLeast) return choice
    least ??= choice
  }
  return least ?? fromArchive(search)
}

type PackageSearch = Omit<PackageOptions, 'version'> & {
  /** Null if the registry requires credentials. */
  registryUrl: string | null
  packageName: PackageName
  release: PackageRelease
  unreachableHosts: { host: string; isUnknownName: boolean }[]
  rejected: RejectedCandidate[]
}

/** `isLeast` marks a source that is used only if nothing better is found. */
type PackageSource = { source: Source; how: string; version: string; isLeast?: boolean }

async function fromDocsRs(search: PackageSearch): Promise<PackageSource | null> {
  const {
    packageName,
    release: { version },
    docsRs = 'https://docs.rs/',
  } = search
  if (packageName.registry !== 'crates') return null
  const module = packageName.name.replaceAll('-', '_')
  const url = `${docsRs}${packageName.name}/${version}/${module}/`
  return attempt(search, {
    place: url,
    look: async () => {
      await checkExists(url, search, /html/)
      const source: Source = { kind: 'site', url, ...noFilter, below: new URL(url).pathname }
      return { source, how: `${url}: its pages, by their links`, version }
    },
  })
}

const readTheDocs = /\.(?:readthedocs\.io|readthedocs-hosted\.com|rtfd\.io|readthedocs\.org)$/

async function fromReadTheDocs(search: PackageSearch): Promise<PackageSource | null> {
  const { version, pages } = search.release
  const page = pages
    .map(({ url }) => new URL(url))
    .find(({ hostname }) => readTheDocs.test(hostname))
  if (page === undefined) return null
  const language = /^\/([a-z]{2}(?:-[a-z]{2,4})?)\//i.exec(page.pathname)?.[1] ?? 'en'
  for (const slug of [version, `v${version}`]) {
    const url = `${page.origin}/_/downloads/${language}/${slug}/htmlzip/`
    const choice = await attempt(search, {
      place: url,
      look: async () => {
        await checkExists(url, search, /zip|octet-stream/)
        const source: Source = { kind: 'archive', url, docsPaths: [] }
        return { source, how: `${url}: all pages of this version`, version }
      },
    })
    if (choice !== null) return choice
  }
  return null
}

async function fromRepository(search: PackageSearch): Promise<PackageSource | null> {
  const {
    release: { repository, directory, tags },
    packageName,
    reach,
    signal,
    lookup,
  } = search
  if (repository === null) return null
  const at = repositoryAddress(repository)
  if (at === null) return reject(search, repository, 'not the web address of a git repository')
  const source = { kind: 'git_repo' as const, url: at.url, docsPaths: [] }
  const inside = directory ?? at.directory
  for (const version of tags.length > 0 ? tags : [packageName.version]) {
    const place = version === null ? at.url : `${at.url} at ${version}`
    const result = await attempt(search, {
      place: printableUrl(place),
      look: async () => {
        const options = { version, isPackage: true, directory: inside, reach, signal, lookup }
        const choice = await chooseForRepository(source, options)
        return { ...choice, how: choice.how!, isLeast: choice.kind === 'readme' }
      },
    })
    // Try a different tag name only if this tag does not exist.
    if (result !== null || !search.rejected.at(-1)!.reason.startsWith('Cannot find tag'))
      return result
  }
  return null
}

async function fromSite(search: PackageSearch): Promise<PackageSource | null> {
  const { version, pages } = search.release
  for (const { url, isDocumentation } of pages) {
    const { hostname } = new URL(url)
    if (forgeOf(hostname) !== null || indexes.test(hostname)) continue
    const choice = await attempt(search, {
      place: printableUrl(url),
      look: async () => {
        const { source, how, incomplete } = await chooseForSite(siteAt(url), search)
        const host = incomplete?.host
        if (host) search.unreachableHosts.push({ host, isUnknownName: false })
        const isList = source.kind === 'sitemap' || source.kind === 'llms_txt'
        if (!isList && !isDocumentation) throw new OgError('no list of its pages')
        return { source, how: `${how}, of its newest version`, version }
      },
    })
    if (choice !== null) return choice
  }
  return null
}

function siteAt(page: string): Extract<Source, { kind: 'site' }> {
  const url = new URL(page)
  url.hash = url.search = ''
  url.pathname = url.pathname.replace(/[^/]*\.[a-z]+$/i, '')
  const below = url.pathname === '/' ? {} : { below: url.pathname }
  return { kind: 'site', url: url.href, ...noFilter, ...below }
}

/** Hosts with pages about packages that are not the packages' documentation. */
const indexes =
  /(?:^|\.)(?:npmjs\.com|pypi\.org|crates\.io|lib\.rs|pkg\.go\.dev|docs\.rs|deps\.dev)$/

async function fromArchive(search: PackageSearch): Promise<PackageSource | null> {
  const { archive, version } = search.release
  if (archive === null) return reject(search, 'its registry', 'no archive of its source files')
  return attempt(search, {
    place: printableUrl(archive),
    look: async () => {
      const { paths } = await archiveTexts(archive, search, () => false)
      // In the archive of a Go module, the files are in folders named after the module.
      const top = topFolder(paths)
      const folder = addReadme(
        findDocsFolder(
          paths.map((path) => path.slice(top.length)),
          {},
        ),
      )
      const docsPaths = folder.docsPaths.map((path) => top + path)
      const source: Source = { kind: 'archive', url: archive, docsPaths }
      return { source, how: `${printableUrl(archive)}: ${folder.how}`, version }
    },
  })
}

function topFolder(paths: readonly string[]): string {
  const [first = ''] = paths
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  while (folder !== '' && !paths.every((path) => path.startsWith(folder))) {
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  }
  return folder
}

const noFilter: SitemapFilter = {
  filterKeywords: [],
  exclude: [],
  languages: [],
  trimQueryParams: false,
}

type SystemError = { code?: unknown } | undefined

async function attempt(
  search: PackageSearch,
  { place, look }: { place: string; look: () => Promise<PackageSource> },
): Promise<PackageSource | null> {
  return look().catch((error: unknown) => {
    search.signal?.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    if (error.code === 'unreachable') {
      const isUnknownName = /ENOTFOUND|ENODATA/.test(String((error.cause as SystemError)?.code))
      search.unreachableHosts.push({ host: new URL(place).host, isUnknownName })
    }
    return reject(search, place, reasonWithoutUrl(messageOf(error)))
  })
}

function reject({ rejected }: PackageSearch, place: string, reason: string): null {
  rejected.push({ place, reason })
  return null
}

/** @throws OgError if the URL does not exist */
async function checkExists(url: string, options: CrawlOptions, type: RegExp): Promise<void> {
  const crawler = await openCrawler(url, options)
  await crawler.fetch(url, { isNamed: true }, async ({ status, headers }) => {
    if (status !== 200) throw new OgError(`server answered ${status}`)
    const contentType = headers.get('content-type') ?? ''
    if (!type.test(contentType))
      throw new OgError(`its content type is ${contentType || 'missing'}`)
  })
}

function notFoundError(
  name: PackageName,
  { version }: PackageRelease,
  rejected: RejectedCandidate[],
): OgError {
  const what = `${packageKey(name)} ${version}`.trim()
  const tried = rejected.map(({ place, reason }) => `${place}: ${reason}`).join('; ')
  return new OgError(`Cannot find documentation of ${what}`, {
    hint:
      tried === ''
        ? 'its registry names none; name a source with --source'
        : `name a source with --source; what was tried: ${tried}`,
  })
}
