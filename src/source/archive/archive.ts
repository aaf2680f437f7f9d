import { stat } from 'node:fs/promises'
import { messageOf, OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import {
  saveArchive,
  openArchiveFile,
  type ArchiveBytes,
  type Archive,
  type ArchiveContent,
  type ArchiveFile,
} from '../../platform/archive/archive-bytes.ts'
import { openCrawler, reasonWithoutUrl, withoutUser, type CrawlOptions } from '../web/crawler.ts'
import { knownParts, unchangedApiEvents } from '../known-pages.ts'
import { encodePath, folderAddress, isAbsolutePath } from '../page-address.ts'
import { pageEvent, addValidator } from '../page-event.ts'
import { parseInOrder } from '../page-parser.ts'
import type { SourceTree } from '../api/api-events.ts'
import { openTitleIndex, titlesFrom } from '../../references/title-index.ts'
import { readSites, siteConfigs, siteOfPage, type Sites } from '../sites.ts'
import {
  isReadable,
  leftOutEvents,
  emptySelection,
  selectPaths,
  sizeLimitBytes,
  tooLargeReason,
} from '../select/select.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import type { Source } from '../../store/source.ts'
import { renderValidator, validatorOf, type Validator } from '../validator.ts'
import { decodeTextOrNull } from '../../formats/decode.ts'
import { foldersOf, listingOf } from '../folders.ts'
import type { IncludedFiles } from '../../references/include.ts'

type ArchiveSource = Extract<Source, { kind: 'archive' }>

/** Size limit for an archive. A downloaded archive is on the local disk while it is read. */
const maxBytes = 512 * 2 ** 20
/** Limits the size of all pages together, because ZIP entries can share their bytes. */
const maxUnpackedBytes = 2 ** 30

/**
 * Yields the pages in a ZIP or tar archive, from a local file or a URL, in archive order. Extracts
 * no file to disk. If all files are in a single top folder, paths are relative to it.
 * @throws OgError if the archive cannot be read at all
 */
export async function* archivePages(
  source: ArchiveSource,
  options: CrawlOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const { before: _, ...crawling } = options
  const { parts, headers } = knownParts(options.before)
  const [first] = parts.values()
  const file = isAbsolutePath(source.url)
    ? await localFile(source.url, first)
    : await remoteFile(source.url, { ...options, headers })
  if (file === null) {
    for (const [url, validator] of parts) {
      yield { type: 'unchanged', url, validator: renderValidator(validator) }
    }
    if (source.apiArchive === undefined) yield* unchangedApiEvents(options.before)
    return
  }
  await using _bytes = file.bytes
  const archive = await openArchive(file.bytes).catch((error: unknown) => {
    throw unreadable(source.url, messageOf(error))
  })
  const place = { base: source.baseUrl ?? file.address, top: topFolder(archive.files) }
  const { before = new Map(), signal } = options
  yield* chosenPages(archive, { source, file, place, parts, before, signal, crawling })
}

/**
 * Returns all paths in an archive, and the texts of the files that `isWanted` selects.
 * @param options `isFile`: the archive is a file on this machine
 * @throws OgError if the archive cannot be read at all
 */
export async function archiveTexts(
  url: string,
  { isFile = false, ...options }: CrawlOptions & { isFile?: boolean },
  isWanted: (path: string) => boolean,
): Promise<{ paths: string[]; texts: Map<string, string> }> {
  const file = isFile
    ? await localFile(url, undefined)
    : await remoteFile(url, { ...options, headers: {} })
  if (file === null) throw unreadable(url, 'server answered 304')
  await using bytes = file.bytes
  const archive = await openArchive(bytes).catch((error: unknown) => {
    throw unreadable(url, messageOf(error))
  })
  const top = topFolder(archive.files)
  const inner = new Map(
    archive.files
      .filter((it) => whyNot(it) === null)
      .flatMap(({ path }) => [[path, innerPath(path, top) ?? ''] as const]),
  )
  const paths = [...inner.values()].filter((path) => path !== '')
  const chosen = [...inner].flatMap(([path, own]) => (own !== '' && isWanted(own) ? [path] : []))
  const texts = new Map<string, string>()
  for await (const content of archive.contents(new Set(chosen))) {
    if ('bytes' in content) {
      texts.set(inner.get(content.path)!, new TextDecoder().decode(content.bytes))
    }
  }
  return { paths, texts }
}

type OpenedArchive = {
  bytes: ArchiveBytes & (Disposable | AsyncDisposable)
  address: string
  validator: Validator
}

/** Opens a local archive. Returns null if the archive has not changed. */
async function localFile(path: string, last: Validator | undefined): Promise<OpenedArchive | null> {
  const stats = await stat(path)
  if (stats.size > maxBytes) throw unreadable(path, tooLong)
  // An ETag as in HTTP, so that the HTTP validator works here too.
  const etag = `${stats.size}-${stats.mtimeMs}`
  if (last?.etag === etag) return null
  const place = { address: folderAddress(path), validator: { etag, hash: '' } }
  return { bytes: openArchiveFile(path), ...place }
}

async function remoteFile(
  url: string,
  options: CrawlOptions & { headers: Record<string, string> },
): Promise<OpenedArchive | null> {
  const crawler = await openCrawler(url, options)
  const request = { headers: options.headers, isNamed: true }
  return crawler.fetch(url, request, async (answer) => {
    const { status, headers } = answer
    if (status === 304) return null
    if (status !== 200) throw unreadable(url, `server answered ${status}`)
    const sizeBytes = Number(headers.get('content-length') ?? 0)
    if (sizeBytes > maxBytes) throw unreadable(url, tooLong)
    const { listTimeoutMs } = crawler.limits
    const pieces = answer.pieces({ sizeBytes: maxBytes, timeoutMs: listTimeoutMs })
    const bytes = await saveArchive(pieces)
    const address = withoutUser(new URL(url)).href.split(/[?#]/, 1)[0]!
    return { bytes, address, validator: validatorOf(headers, new Uint8Array()) }
  })
}

async function openArchive(bytes: ArchiveBytes): Promise<Archive> {
  const { openZip } = await import('../../platform/archive/zip-archive.ts')
  const { openTar } = await import('./tar-archive.ts')
  const start = bytes.read(0, 8).toString('latin1')
  if (start.startsWith('PK')) return openZip(bytes)
  if (start.startsWith('BZh')) throw new Error(`it is packed by bzip2; ${packings}`)
  if (start.startsWith('\xfd7zXZ')) throw new Error(`it is packed by xz; ${packings}`)
  if (/^\s*</.test(start)) throw new Error('it is a web page or XML, not an archive')
  return openTar(bytes)
}

const packings = 'zip, tar and tar.gz are read'

type ReadingState = {
  source: ArchiveSource
  file: OpenedArchive
  place: { base: string; top: string }
  parts: Map<string, Validator>
  before: KnownPages
  signal: AbortSignal | undefined
  crawling: CrawlOptions
}

async function* chosenPages(archive: Archive, state: ReadingState): AsyncGenerator<SourceEvent> {
  const { source, place, signal } = state
  const [all, byPath] = [new Map<string, ArchiveFile>(), new Map<string, ArchiveFile>()]
  for (const file of archive.files) {
    const path = innerPath(file.path, place.top)
    const reason = path === null ? 'its path leads out of the archive' : whyNot(file)
    if (path !== null) all.set(path, file)
    if (reason === null) byPath.set(path!, file)
    else if (isReadable(file.path)) yield { type: 'skipped', path: file.path, reason }
  }
  const selection =
    source.api === 'only'
      ? emptySelection
      : selectPaths([...byPath.keys()], source.docsPaths, source)
  for (const path of selection.missing) {
    yield { type: 'skipped', path, reason: 'no such folder or file in the archive' }
  }
  yield* leftOutEvents(selection)
  const includes = archiveIncludes(archive, all)
  const configs = siteConfigs(all.keys(), selection.chosen)
  const sites = await readSites(configs, {
    read: includes('').read,
    paths: () => all.keys(),
    signal,
  })
  const chosen: string[] = []
  for (const path of selection.chosen) {
    const left = sites.leftOut(path)
    if (left === null) chosen.push(path)
    else yield { type: 'skipped', path, reason: left }
  }
  yield* sites.events(chosen)
  const paths = new Map(chosen.map((path) => [byPath.get(path)!.path, path]))
  const sizeBytes = chosen.reduce((sum, path) => sum + byPath.get(path)!.sizeBytes, 0)
  if (sizeBytes > maxUnpackedBytes) throw unreadable(source.url, 'it unpacks to over 1,024 MB')
  const titles = openTitleIndex({ paths: chosen, read: includes('').read })
  const code = apiTree(archive, byPath, state)
  const eventOf = async (content: ArchiveContent) => {
    const path = paths.get(content.path)
    // Skip further files with the same path.
    if (path === undefined) return null
    paths.delete(content.path)
    const included = { ...includes(path), titles: titlesFrom(titles, path) }
    return contentEvent(content, included, { ...state, sites })
  }
  const contents = archive.contents(paths)
  const bytesOf = (content: ArchiveContent) => ('bytes' in content ? content.bytes.length : 0)
  for await (const event of parseInOrder(contents, eventOf, bytesOf)) {
    signal?.throwIfAborted()
    if (event !== null) yield event
  }
  if (source.apiArchive === undefined) {
    const { apiEvents } = await import('../api/api-events.ts')
    const { withDependencies, withRelatives } = await import('../package/crate-relatives.ts')
    const isRead = source.api !== 'none'
    const own = isRead ? await withRelatives(code, source, state.crawling) : code
    const tree = withDependencies(own, source, state.crawling)
    yield* apiEvents(tree, { source, before: state.before, signal })
  }
  // Cleared, because closures would otherwise keep the entries in memory long after the last page.
  for (const names of [all, paths, byPath]) names.clear()
  archive.files.length = 0
}

function apiTree(
  archive: Archive,
  files: ReadonlyMap<string, ArchiveFile>,
  { place }: ReadingState,
): SourceTree {
  const texts = new Map<string, Buffer>()
  return {
    paths: [...files.keys()],
    addressOf: (path) => pageAddress(place, path),
    async prepare(paths) {
      const innerPaths = new Map(paths.map((path) => [files.get(path)!.path, path]))
      for await (const content of archive.contents(innerPaths)) {
        if ('bytes' in content) texts.set(innerPaths.get(content.path)!, content.bytes)
      }
    },
    read: async (path) => texts.get(path) ?? null,
  }
}

function pageAddress({ base }: { base: string }, path: string): string {
  return `${trimEndCharacters(base, '/')}/${encodePath(path)}`
}

async function contentEvent(
  content: ArchiveContent,
  included: IncludedFiles,
  { file, place, parts, signal, sites }: ReadingState & { sites: Sites },
): Promise<SourceEvent> {
  const path = included.from
  const url = pageAddress(place, path)
  const { site, siteKey } = siteOfPage(sites, path)
  if ('reason' in content) return { type: 'failed', url, reason: content.reason }
  const validator = { ...file.validator, hash: validatorOf(new Headers(), content.bytes).hash }
  validator.hash += siteKey
  const isKnown = parts.get(url)?.hash === validator.hash
  if (isKnown) return { type: 'unchanged', url, validator: renderValidator(validator) }
  const event = await pageEvent({ bytes: content.bytes, path, url, site }, { included, signal })
  // The hash of a page with includes never matches, because the included files can change
  // independently.
  if (event.type === 'page' && event.includes) validator.hash += ' and others'
  return addValidator(event, renderValidator(validator))
}

function whyNot({ refusal: refused, sizeBytes }: ArchiveFile): string | null {
  return refused ?? (sizeBytes > sizeLimitBytes ? tooLargeReason(sizeBytes) : null)
}

/** Returns the single top folder of all files, such as `name-1.2/` in a forge's archives, or ''. */
function topFolder(files: ArchiveFile[]): string {
  const tops = new Set(files.map(({ path }) => /^(?:\.\/)?([^/]+\/)/.exec(path)?.[1] ?? ''))
  const [top = ''] = tops
  // A wheel may contain only its metadata, and a gem only `lib`. og finds both by name.
  return tops.size === 1 && !/^(?:\.\.?|lib|.*\.dist-info)\/$/.test(top) ? top : ''
}

/** Returns the path below the top folder, or null if it leaves the archive. */
function innerPath(name: string, top: string): string | null {
  const path = name.replace(/^(\.\/)+/, '')
  const parts = path.split('/')
  const isOut = path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0')
  if (isOut || parts.includes('..')) return null
  return parts
    .filter((part) => part !== '' && part !== '.')
    .join('/')
    .slice(top.length)
}

const tooLong = `it is over ${maxBytes / 2 ** 20} MB`

function unreadable(url: string, reason: string): OgError {
  const source = isAbsolutePath(url) ? url : printableUrl(url)
  return new OgError(`Cannot read "${source}": ${reasonWithoutUrl(reason)}`)
}

/** Size limit for all included files together, which stay in memory. */
const maxTextBytes = 64 * 2 ** 20
const maxFileBytes = 2 ** 20

/**
 * Returns the files that an archive's pages may include. `files` maps paths from the archive's top
 * to entries. Reads all of them in one pass when the first page includes a file.
 */
export function archiveIncludes(
  archive: Archive,
  files: ReadonlyMap<string, ArchiveFile>,
): (from: string) => IncludedFiles {
  let texts: Promise<Map<string, Buffer>> | null = null
  let folders: ReadonlySet<string> | null = null
  const read = async (path: string) => {
    if (path.endsWith('/')) return (folders ??= foldersOf(files.keys())).has(path) ? '' : null
    const listing = listingOf(path, files.keys())
    if (listing !== undefined) return listing
    const file = files.get(path)
    if (file === undefined) return null
    texts ??= readSmall(archive, files)
    const bytes = (await texts).get(file.path)
    return bytes === undefined ? null : decodeTextOrNull(bytes, path)
  }
  return (from) => ({ from, read })
}

async function readSmall(
  archive: Archive,
  files: ReadonlyMap<string, ArchiveFile>,
): Promise<Map<string, Buffer>> {
  let left = maxTextBytes
  const small = [...files.values()].filter(({ path, sizeBytes, refusal: refused }) => {
    if (refused !== null || sizeBytes > maxFileBytes || noText.test(path)) return false
    left -= sizeBytes
    return left >= 0
  })
  const texts = new Map<string, Buffer>()
  for await (const content of archive.contents(new Set(small.map(({ path }) => path)))) {
    if ('bytes' in content) texts.set(content.path, content.bytes)
  }
  return texts
}

const noText = /\.(png|jpe?g|gif|svg|webp|avif|ico|pdf|woff2?|ttf|otf|mp[34]|webm|zip|gz|jar|whl)$/i
