import { messageOf, OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import type { SitemapFilter, Source } from '../../store/source.ts'
import { archiveTexts } from '../archive/archive.ts'
import { forgeOf } from '../git/forge.ts'
import { lookUp } from '../package/look-up.ts'
import { parsePackage, packagePlace, type PackageName } from '../package/package-name.ts'
import type { PackageRelease } from '../package/package-release.ts'
import type { Surroundings } from '../package/registry.ts'
import { repositoryAddress } from '../package/repository-address.ts'
import { openCrawler, plainReason, type CrawlOptions } from '../web/crawler.ts'
import { unreachableGap, type Choice, type Passed } from './choice.ts'
import { docsFolder, withReadme } from './docs-folder.ts'
import { chosenForRepository } from './repository-choice.ts'
import { chosenForSite } from './site-choice.ts'

export type PackageOptions = CrawlOptions & {
  version: string | null
  surroundings: Surroundings
  /** The URL of docs.rs, replaced in tests. */
  docsRs?: string
}

/**
 * Chooses the documentation of a package version, the first of these that exists: docs.rs for a
 * crate; the Read the Docs archive of that version; a documentation folder in the repository at the
 * version's tag; the site in the package's metadata; the README in the repository; the archive in
 * the registry. Strangers write the metadata, so only public hosts and the user's configured
 * registry may be contacted.
 * @throws OgError if the registry has no such package, or nothing is found
 */
export async function chosenForPackage(
  source: Extract<Source, { kind: 'package' }>,
  options: PackageOptions,
): Promise<Choice> {
  const { version: typed = null, url } = source
  const named = { ...parsePackage(url)!, version: options.version ?? typed }
  const { release, registry } = await lookUp(named, options)
  const hosts = [...registry.reach.hosts, ...(options.reach?.hosts ?? [])]
  const reach = { hosts, folder: null }
  const archive = registry.isClosed ? null : release.archive
  const unreached: Unreached[] = []
  const looking: Looking = { named, release: { ...release, archive }, unreached, ...options, reach }
  const passed: Passed[] = []
  const choice = await firstSource(looking, passed)
  if (choice === null) throw nothingFound(named, release, passed)
  const place = packagePlace(named)
  // The domain of a small project often expires, which leaves only its README.
  const gap = unreached.find(({ isUnknownName }) => !(choice.isLeast && isUnknownName))
  const intended: Source = { kind: 'package', url: place, version: release.version }
  return {
    source: { ...choice.source, package: place, ...archiveOfCode(choice.source, looking) },
    how: choice.how,
    version: choice.version,
    release: release.version,
    passed,
    reach,
    ...(gap && { incomplete: unreachableGap(gap.host, intended) }),
  }
}

/** The archive from which the API reference is read, unless the source itself is that archive. */
function archiveOfCode(
  source: Source,
  { release: { archive, code = archive } }: Looking,
): { apiArchive?: string } {
  const isSame = source.kind === 'archive' && source.url === code
  return archive === null || code === null || isSame ? {} : { apiArchive: code }
}

async function firstSource(looking: Looking, passed: Passed[]): Promise<PackageSource | null> {
  let least: PackageSource | null = null
  for (const look of [fromDocsRs, fromReadTheDocs, fromRepository, fromSite]) {
    const choice: PackageSource | null = await look(looking, passed)
    if (choice !== null && !choice.isLeast) return choice
    least ??= choice
  }
  return least ?? fromArchive(looking, passed)
}

type Looking = Omit<PackageOptions, 'version'> & {
  named: PackageName
  release: PackageRelease
  unreached: Unreached[]
}

/** A host that did not answer. `isUnknownName` means that DNS does not know it. */
type Unreached = { host: string; isUnknownName: boolean }

/** `isLeast`: used only if there is nothing better. */
type PackageSource = { source: Source; how: string; version: string; isLeast?: boolean }

async function fromDocsRs(looking: Looking, passed: Passed[]): Promise<PackageSource | null> {
  const {
    named,
    release: { version },
    docsRs = 'https://docs.rs/',
  } = looking
  if (named.registry !== 'crates') return null
  const module = named.name.replaceAll('-', '_')
  const url = `${docsRs}${named.name}/${version}/${module}/`
  return attempt(looking, passed, {
    place: url,
    look: async () => {
      await checkThere(url, looking, /html/)
      const source: Source = { kind: 'site', url, ...noFilter, below: new URL(url).pathname }
      return { source, how: `${url}: its pages, by their links`, version }
    },
  })
}

const readTheDocs = /\.(?:readthedocs\.io|readthedocs-hosted\.com|rtfd\.io|readthedocs\.org)$/

async function fromReadTheDocs(looking: Looking, passed: Passed[]): Promise<PackageSource | null> {
  const { version, pages } = looking.release
  const page = pages
    .map(({ url }) => new URL(url))
    .find(({ hostname }) => readTheDocs.test(hostname))
  if (page === undefined) return null
  const language = /^\/([a-z]{2}(?:-[a-z]{2,4})?)\//i.exec(page.pathname)?.[1] ?? 'en'
  for (const slug of [version, `v${version}`]) {
    const url = `${page.origin}/_/downloads/${language}/${slug}/htmlzip/`
    const choice = await attempt(looking, passed, {
      place: url,
      look: async () => {
        await checkThere(url, looking, /zip|octet-stream/)
        const source: Source = { kind: 'archive', url, docsPaths: [] }
        return { source, how: `${url}: all pages of this version`, version }
      },
    })
    if (choice !== null) return choice
  }
  return null
}

async function fromRepository(looking: Looking, passed: Passed[]): Promise<PackageSource | null> {
  const {
    release: { repository, directory, tags },
    named,
    reach,
    signal,
    lookup,
  } = looking
  if (repository === null) return null
  const at = repositoryAddress(repository)
  if (at === null) return pass(passed, repository, 'no address of a git repository on the web')
  const source = { kind: 'git_repo' as const, url: at.url, docsPaths: [] }
  const inside = directory ?? at.directory
  for (const version of tags.length > 0 ? tags : [named.version]) {
    const place = version === null ? at.url : `${at.url} at ${version}`
    const result = await attempt(looking, passed, {
      place: printableUrl(place),
      look: async () => {
        const options = { version, isPackage: true, directory: inside, reach, signal, lookup }
        const choice = await chosenForRepository(source, options)
        return { ...choice, how: choice.how!, isLeast: choice.kind === 'readme' }
      },
    })
    // Another tag name is tried only if this tag does not exist.
    if (result !== null || !passed.at(-1)!.reason.startsWith('Cannot find tag')) return result
  }
  return null
}

async function fromSite(looking: Looking, passed: Passed[]): Promise<PackageSource | null> {
  const { version, pages } = looking.release
  for (const { url, isDocumentation } of pages) {
    const { hostname } = new URL(url)
    if (forgeOf(hostname) !== null || indexes.test(hostname)) continue
    const choice = await attempt(looking, passed, {
      place: printableUrl(url),
      look: async () => {
        const { source, how, incomplete } = await chosenForSite(siteAt(url), looking)
        const host = incomplete?.host
        if (host) looking.unreached.push({ host, isUnknownName: false })
        const isList = source.kind === 'sitemap' || source.kind === 'llms_txt'
        if (!isList && !isDocumentation) throw new OgError('no list of its pages')
        return { source, how: `${how}, of its newest version`, version }
      },
    })
    if (choice !== null) return choice
  }
  return null
}

/** The site, or the part of a site, that starts at a page. */
function siteAt(page: string): Extract<Source, { kind: 'site' }> {
  const url = new URL(page)
  url.hash = url.search = ''
  url.pathname = url.pathname.replace(/[^/]*\.[a-z]+$/i, '')
  const below = url.pathname === '/' ? {} : { below: url.pathname }
  return { kind: 'site', url: url.href, ...noFilter, ...below }
}

/** Hosts with pages about packages, which are not the packages' documentation. */
const indexes =
  /(?:^|\.)(?:npmjs\.com|pypi\.org|crates\.io|lib\.rs|pkg\.go\.dev|docs\.rs|deps\.dev)$/

async function fromArchive(looking: Looking, passed: Passed[]): Promise<PackageSource | null> {
  const { archive, version } = looking.release
  if (archive === null) return null
  return attempt(looking, passed, {
    place: printableUrl(archive),
    look: async () => {
      const { paths } = await archiveTexts(archive, looking, () => false)
      // The archive of a Go module has its files in folders named after the module.
      const top = topFolder(paths)
      const folder = withReadme(
        docsFolder(
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

type Coded = { code?: unknown } | undefined

type Attempt = { place: string; look: () => Promise<PackageSource> }

/** Runs one attempt. If it fails, returns null and adds the reason to `passed`. */
async function attempt(
  { signal, unreached }: Looking,
  passed: Passed[],
  { place, look }: Attempt,
): Promise<PackageSource | null> {
  return look().catch((error: unknown) => {
    signal?.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    if (error.code === 'unreachable') {
      const isUnknownName = /ENOTFOUND|ENODATA/.test(String((error.cause as Coded)?.code))
      unreached.push({ host: new URL(place).host, isUnknownName })
    }
    return pass(passed, place, plainReason(messageOf(error)))
  })
}

function pass(passed: Passed[], place: string, reason: string): null {
  passed.push({ place, reason })
  return null
}

/**
 * Checks that a URL exists.
 * @throws OgError if it does not
 */
async function checkThere(url: string, options: CrawlOptions, type: RegExp): Promise<void> {
  const crawler = await openCrawler(url, options)
  await crawler.fetch(url, { isNamed: true }, async ({ status, headers }) => {
    if (status !== 200) throw new OgError(`server answered ${status}`)
    const sent = headers.get('content-type') ?? ''
    if (!type.test(sent)) throw new OgError(`its content type is ${sent || 'not said'}`)
  })
}

function nothingFound(named: PackageName, { version }: PackageRelease, passed: Passed[]): OgError {
  const what = `${packagePlace(named)} ${version}`.trim()
  const tried = passed.map(({ place, reason }) => `${place}: ${reason}`).join('; ')
  return new OgError(`Cannot find documentation of ${what}`, {
    hint:
      tried === ''
        ? 'its registry names none; name a source with --source'
        : `name a source with --source; what was tried: ${tried}`,
  })
}
