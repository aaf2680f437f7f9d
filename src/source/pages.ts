import { existsSync } from 'node:fs'
import { isApiPagePath } from '../api/api-path.ts'
import { openPageParts, unchangedApiEvents } from './known-pages.ts'
import { OgError, reasonOf } from '../platform/error.ts'
import type { CrawlOptions } from './web/crawler.ts'
import { resolveGit } from './git/git-refs.ts'
import type { RouteOptions } from './git/git-route.ts'
import { gitPages, gitSelection } from './git/git.ts'
import type { GitOptions } from './git/git-command.ts'
import type { Selection } from './select/select.ts'
import { isLanguageWanted, parseLanguage, pathLanguage } from './select/translations.ts'
import { localPages, localSelection } from './local.ts'
import { checkoutOfLocal, resolveLocal } from './local-version.ts'
import { rawPages } from './raw-pages.ts'
import type { KnownPages, ResolvedSource, SourceEvent } from './source.ts'
import type { Source } from '../store/source.ts'
import { localDateOf } from '../version/version.ts'
import { isAbsolutePath } from './page-address.ts'

/**
 * Resolves the version to read. Reads the ref and commit from a git repository. Without a requested
 * version, the label is the commit for a git working tree, `local-YYYY-MM-DD` (local time) for
 * other local folders, files and archives, and `latest` for raw pages and web sources.
 * @throws OgError if the source cannot be reached, or has no such version
 */
export async function resolveSource(
  source: Source,
  options: ResolveOptions,
): Promise<ResolvedSource> {
  if (source.kind === 'local_path') return await resolveLocal(thatExists(source), options)
  if (source.kind === 'raw_pages') {
    const version = options.version ?? 'latest'
    return { source: thatExists(source), version, ref: null, commit: null }
  }
  if (source.kind === 'package') {
    throw new OgError(`Cannot read ${source.url} before its documentation is looked up`, {
      hint: `og add ${source.url} does both`,
    })
  }
  if (source.kind !== 'git_repo') {
    const isLocal = source.kind === 'archive' && isAbsolutePath(source.url)
    if (isLocal) thatExists({ path: source.url })
    const version = options.version ?? (isLocal ? localDateOf(options.today) : 'latest')
    const follows = isLocal && options.version === null
    return { source, version, ref: null, commit: null, ...(follows ? { follows } : {}) }
  }
  const { refPath, ...plain } = source
  const resolved = await resolveGit(source.url, options.version, { ...options, refPath })
  const keepsDocsPaths = source.docsPaths.length > 0 || resolved.docsPath === null
  const docsPaths = keepsDocsPaths ? source.docsPaths : [resolved.docsPath!]
  const { version, ref, refKind, commit, tag } = resolved
  return { source: { ...plain, docsPaths }, version, ref, refKind, commit, tag }
}

type ResolveOptions = RouteOptions & {
  version: string | null
  today: Date
  signal?: AbortSignal
  timeoutMs?: number
}

/**
 * Reads the pages of a resolved source. Known pages (`before`) are read again only if they may have
 * changed.
 * @throws OgError if the source cannot be read at all
 */
export async function* sourcePages(
  resolved: ResolvedSource,
  options: ReadingOptions = {},
): AsyncGenerator<SourceEvent> {
  const { languages = [] }: { languages?: string[] } =
    'languages' in resolved.source ? resolved.source : {}
  // Each page of an llms-full.txt has its own event, although they share a file. The reader of an
  // llms.txt therefore adds the unchanged parts of linked files itself.
  const isLlms = resolved.source.kind === 'llms_txt'
  const parts = openPageParts(isLlms ? undefined : options.before)
  for await (const event of eventsOf(resolved, options)) {
    for (const one of parts(event)) yield withLanguage(one, languages)
  }
}

type ReadingOptions = CrawlOptions & { timeoutMs?: number; before?: KnownPages }

/**
 * Sets a page's language from its path or, if that names none, from its metadata, and skips a page
 * in an unwanted language. The selection of files knows only paths and no content.
 */
function withLanguage(event: SourceEvent, languages: readonly string[]): SourceEvent {
  // In source code, a folder may have the name of a language by chance.
  if (event.type !== 'page' || isApiPagePath(event.page.path)) return event
  const { language: statedLanguage = '', ...page } = event.page
  const [pathTag, own] = [pathLanguage(page.path), parseLanguage(statedLanguage)]
  if (
    pathTag === null &&
    own !== null &&
    languages.length > 0 &&
    !isLanguageWanted(own, languages)
  ) {
    return { type: 'skipped', path: page.path, reason: `in another language (${own})` }
  }
  const language = pathTag ?? own
  return { ...event, page: language === null ? page : { ...page, language } }
}

/** Returns the files that `sourcePages` would read, or null if they are unknown in advance. */
export async function sourceSelection(
  { source, ref, refKind = 'branch', commit }: ResolvedSource,
  options: GitOptions,
): Promise<Selection | null> {
  if ('api' in source && source.api === 'only') return null
  const at = ref === null || commit === null ? null : { ref, refKind, commit }
  if (source.kind === 'git_repo') return at && gitSelection({ source, ...at }, options)
  if (source.kind !== 'local_path') return null
  if (at === null) return localSelection(source)
  return gitSelection(checkoutOfLocal(thatExists(source), at), options)
}

async function* eventsOf(
  resolved: ResolvedSource,
  options: ReadingOptions,
): AsyncGenerator<SourceEvent> {
  const {
    source: { api, apiArchive },
  } = resolved
  if (apiArchive !== undefined && api !== 'none') {
    yield* apiArchiveEvents({ ...resolved.source, apiArchive }, options)
    if (api === 'only') return
  }
  yield* guideEvents(resolved, options)
}

/**
 * Yields the API reference of a package whose guides come from a different source. The archive of a
 * published version never changes, so its known pages are not read again. An archive that cannot be
 * read counts as one failure, and its known pages are kept.
 */
export async function* apiArchiveEvents(
  { apiArchive, package: name, relatives, registry }: Source & { apiArchive: string },
  options: CrawlOptions & { before?: KnownPages },
): AsyncGenerator<SourceEvent> {
  const unchanged = [...unchangedApiEvents(options.before)]
  if (unchanged.length > 0) return yield* unchanged
  const source = {
    kind: 'archive' as const,
    url: apiArchive,
    docsPaths: [],
    ...(name === undefined ? {} : { package: name }),
    ...(relatives === undefined ? {} : { relatives }),
    ...(registry === undefined ? {} : { registry }),
  }
  const reading = { ...options, before: new Map() }
  const { archivePages } = await import('./archive/archive.ts')
  try {
    for await (const event of archivePages({ ...source, api: 'only' }, reading)) {
      if (event.type !== 'skipped') yield event
    }
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    // The guides come from a different source, so a failed archive must not stop the run.
    yield { type: 'failed', url: apiArchive, reason: reasonOf(error), isFolder: true }
  }
}

async function* guideEvents(
  { source, ref, refKind = 'branch', commit }: ResolvedSource,
  options: ReadingOptions,
): AsyncGenerator<SourceEvent> {
  if (source.kind === 'local_path') {
    if (ref === null || commit === null) return yield* localPages(thatExists(source), options)
    return yield* gitPages(checkoutOfLocal(thatExists(source), { ref, refKind, commit }), options)
  }
  if (source.kind === 'raw_pages') return yield* rawPages(thatExists(source), options)
  if (source.kind === 'package') throw new Error('a package that was not looked up')
  if (source.kind !== 'git_repo') return yield* webSourcePages(source, options)
  if (ref === null || commit === null) throw new Error('a git source without its commit')
  yield* gitPages({ source, ref, refKind, commit }, options)
}

async function* webSourcePages(
  source: Exclude<Source, { kind: 'local_path' | 'raw_pages' | 'git_repo' | 'package' }>,
  options: CrawlOptions & { before?: KnownPages },
): AsyncGenerator<SourceEvent> {
  if (source.kind === 'sitemap') {
    const { sitemapPages } = await import('./web/sitemap.ts')
    return yield* sitemapPages(source, options)
  }
  if (source.kind === 'llms_txt') {
    const { llmsPages } = await import('./web/llms-txt.ts')
    return yield* llmsPages(source, options)
  }
  if (source.kind === 'site') {
    const { sitePages } = await import('./web/site-pages.ts')
    return yield* sitePages(source, options)
  }
  if (source.kind === 'web_page') {
    const { webPage } = await import('./web/site-pages.ts')
    return yield* webPage(source, options)
  }
  const { archivePages } = await import('./archive/archive.ts')
  yield* archivePages(source, options)
}

function thatExists<T extends { path: string }>(source: T): T {
  if (existsSync(source.path)) return source
  throw new OgError(`Cannot read ${JSON.stringify(source.path)}: no such file or folder`)
}
