import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { OgError } from '../platform/error.ts'
import { sha256 } from '../platform/hash.ts'
import { readFolderLicense, licenseEvents } from './license-file.ts'
import { folderAddress } from './page-address.ts'
import { pageEvent, addValidator } from './page-event.ts'
import { parseInOrder } from './page-parser.ts'
import {
  emptySelection,
  isReadable,
  leftOutEvents,
  selectPaths,
  tooLargeReason,
  type Selection,
} from './select/select.ts'
import { readSites, siteConfigs, siteOfPage, type Sites } from './sites.ts'
import type { KnownPages, SourceEvent } from './source.ts'
import type { Source } from '../store/source.ts'
import { siteConfigsAt } from '../sites/generators.ts'
import { openTitleIndex, titlesFrom, type TitleIndex } from '../references/title-index.ts'
import {
  fileText,
  localIncludes,
  workTree,
  type LocalIncludes,
  configsAbove,
  filesBelow,
} from './local-includes.ts'
import {
  fileStamp,
  fileValidator,
  parseFileValidator,
  withIncludes,
  type FileValidator,
} from './file-validator.ts'
import type { FolderBase, FolderListing } from './folders.ts'
import { listFiles, addressOf, reasonOf } from './folders.ts'

type FolderSource = Extract<Source, { kind: 'local_path' }>

/**
 * Yields the pages of a folder, or of one file, in path order. A page's URL is
 * `file:///absolute/path`, or the base URL followed by the path below the folder. Does not read a
 * file with the same size and times as in `before`, or parse a file with the same bytes. The API
 * reference of packages in the folder follows.
 */
export async function* localPages(
  source: FolderSource,
  options: { signal?: AbortSignal; before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const { before = new Map() } = options
  const metadata = metadataPath(source)
  if (metadata !== null) {
    const { distributionPages } = await import('./package/distribution.ts')
    return yield* distributionPages(source, metadata, { before, signal: options.signal })
  }
  const isFile = (await stat(source.path)).isFile()
  const folder = isFile ? dirname(source.path) : source.path
  const place = { folder, baseUrl: source.baseUrl ?? folderAddress(folder) }
  const { docsPaths = [] } = source
  const requestedPaths = isFile ? [basename(source.path)] : docsPaths
  const listing = isFile
    ? { paths: requestedPaths, configs: [], events: [] }
    : await listFiles(place)
  yield* listing.events
  const selection =
    source.api === 'only' ? emptySelection : selectPaths(listing.paths, requestedPaths, source)
  if (!isFile && docsPaths.length > 0) yield* missingPaths(source, selection.missing)
  yield* leftOutEvents(selection)
  if (!isFile) yield* licenseEvent(folder, before)
  const real = await realpath(folder)
  const includes = localIncludes(real)
  const { signal } = options
  const sites = await localSites(real, { includes, listing, selection, signal })
  const fromTop = (path: string) => includes.of(path).from
  const chosen = new Set<string>()
  for (const path of selection.chosen) {
    const reason = sites.leftOut(fromTop(path))
    if (reason === null || isFile) chosen.add(path)
    else yield { type: 'skipped', path, reason }
  }
  yield* sites.events(chosen, fromTop)
  const top = workTree(real)
  const titles = openTitleIndex({
    paths: [...chosen].map(fromTop),
    read: (path) => fileText(top, path),
  })
  const reading = {
    ...place,
    real,
    chosen,
    anyLink: isFile,
    before,
    includes,
    sites,
    titles,
    signal,
  }
  for await (const event of parseInOrder(chosen, (path) => fileEvent(path, reading))) {
    signal?.throwIfAborted()
    yield event
  }
  if (isFile) return
  const { apiEvents } = await import('./api/api-events.ts')
  const { folderTree } = await import('./api/api-events.ts')
  const { withRelatives } = await import('./package/crate-relatives.ts')
  const own = folderTree(listing.paths, { real, addressOf: (path) => addressOf(path, place) })
  // Only an installed crate may have other crates in the folder around it.
  const isCrate = source.package?.startsWith('crates:') && source.api !== 'none'
  const tree = isCrate
    ? await withRelatives(own, { ...source, path: real }, { ...(signal && { signal }) })
    : own
  yield* apiEvents(tree, { source, before, signal })
}

/** Returns the relative path of a Python distribution's metadata file, or null. */
function metadataPath({ package: name, docsPaths = [] }: FolderSource): string | null {
  const [path = ''] = docsPaths
  return name?.startsWith('pypi:') && path.endsWith('.dist-info/METADATA') ? path : null
}

export async function localSelection(source: FolderSource): Promise<Selection | null> {
  if (metadataPath(source) !== null || (await stat(source.path)).isFile()) return null
  const place = { folder: source.path, baseUrl: folderAddress(source.path) }
  const { paths, events } = await listFiles(place)
  const selection = selectPaths(paths, source.docsPaths ?? [], source)
  const unread = events.flatMap((event) => (event.type === 'skipped' ? [event] : []))
  return { ...selection, skipped: [...unread, ...selection.skipped] }
}

function* missingPaths(
  { path, docsPaths = [] }: { path: string; docsPaths?: string[] },
  missing: string[],
): Generator<SourceEvent> {
  if (missing.length > 0 && missing.length === docsPaths.length) {
    throw new OgError(`Cannot find ${missing.join(', ')} in ${JSON.stringify(path)}`, {
      hint: 'give a docs path relative to the source: a folder, file or glob',
    })
  }
  for (const url of missing) yield { type: 'failed', url, reason: `docs path is not in ${path}` }
}

async function* licenseEvent(folder: string, before: KnownPages): AsyncGenerator<SourceEvent> {
  try {
    yield* licenseEvents(await readFolderLicense(folder), before)
  } catch (error) {
    yield { type: 'skipped', path: folder, reason: `its licence: ${reasonOf(error)}` }
  }
}

/** `real` is the folder with links resolved. With `anyLink`, a link may lead anywhere. */
type FolderReading = FolderBase & {
  real: string
  chosen: Set<string>
  anyLink: boolean
  before: KnownPages
  includes: LocalIncludes
  sites: Sites
  titles: TitleIndex
  signal: AbortSignal | undefined
}

async function fileEvent(path: string, reading: FolderReading): Promise<SourceEvent> {
  const url = addressOf(path, reading)
  try {
    const real = await realpath(join(reading.folder, path))
    const stats = await stat(real, { bigint: true })
    const reason = linkRule(path, { real, reading }) ?? tooLargeReason(Number(stats.size))
    if (reason) return { type: 'skipped', path, reason }
    const { includes, sites, signal } = reading
    const own = includes.of(path)
    const included = { ...own, titles: titlesFrom(reading.titles, own.from) }
    const { site, siteKey } = siteOfPage(sites, included.from)
    const last = await usableValidator(reading.before.get(url), includes)
    if (last?.stamp === fileStamp(stats) + siteKey) return { type: 'unchanged', url }
    const bytes = await readFile(real)
    const validator = fileValidator(stats, bytes, siteKey)
    if (last?.hash === sha256(bytes) + siteKey) {
      const renewed = last.includes ? withIncludes(validator, last.includes) : validator
      return { type: 'unchanged', url, validator: renewed }
    }
    const event = await pageEvent({ bytes, path, url, site }, { included, signal })
    if (event.type !== 'page' || !event.includes) return addValidator(event, validator)
    const paths = event.includes
    const state = await includes.stateOf(paths)
    return state === null ? event : addValidator(event, withIncludes(validator, { paths, state }))
  } catch (error) {
    return { type: 'failed', url, reason: reasonOf(error) }
  }
}

/** Returns a page's stored validator, or null if there is none or an included file has changed. */
async function usableValidator(
  text: string | undefined,
  includes: LocalIncludes,
): Promise<FileValidator | null> {
  const last = parseFileValidator(text)
  const { paths, state } = last?.includes ?? { paths: [], state: null }
  return state === null || state === (await includes.stateOf(paths)) ? last : null
}

/**
 * Returns why a symbolic link is not read: it points outside the folder, to a file that is read
 * anyway, or to a file that is not documentation. Returns null if the link is read.
 */
function linkRule(
  path: string,
  { real, reading }: { real: string; reading: FolderReading },
): string | null {
  const below = relative(reading.real, real).split(sep).join('/')
  if (reading.anyLink || below === path) return null
  if (below.startsWith('../') || below === '..') return 'symbolic link that leaves the folder'
  if (reading.chosen.has(below)) return `symbolic link to ${below}, which is read itself`
  return isReadable(below) ? null : `symbolic link to ${below}, which is not documentation`
}

type SitePlace = {
  includes: LocalIncludes
  listing: FolderListing
  selection: { chosen: string[] }
  signal: AbortSignal | undefined
}

async function localSites(
  real: string,
  { includes, listing, selection, signal }: SitePlace,
): Promise<Sites> {
  const top = workTree(real)
  const below = relative(top, real).split(sep).join('/')
  const inside = listing.configs.map((path) => (below === '' ? path : `${below}/${path}`))
  const pages = selection.chosen.map((path) => includes.of(path).from)
  const configs = siteConfigs([...inside, ...(await configsAbove(top, below))], pages)
  const read = (path: string) => fileText(top, path, { isHidden: siteConfigsAt(path).length > 0 })
  return readSites(configs, { read, paths: () => filesBelow(top), signal })
}
