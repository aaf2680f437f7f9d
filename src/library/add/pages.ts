import { createHash } from 'node:crypto'
import type { ApiCoverage } from '../../api/coverage.ts'
import { isApiPagePath } from '../../api/api-path.ts'
import { pageExtensions } from '../../formats/formats.ts'
import type { Page } from '../../page/page.ts'
import { isPlan } from '../../page/page-kind.ts'
import { OgError } from '../../platform/error.ts'
import type { ResolvedSource, SourceEvent } from '../../source/source.ts'
import type { GenerationWriter } from '../../store/generation.ts'
import type { PageRow, PageState } from '../../store/pages/page-table.ts'
import { displaySource } from '../../store/source.ts'
import { collectMeanwhile } from '../../platform/garbage.ts'
import type { AddRequest, SiteFound } from '../library.ts'
import type { LiveState } from './live-state.ts'
import { formatCount } from '../../platform/text/count.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

export type CollectedPages = {
  hashes: Map<string, string>
  validators: Map<string, string>
  lengths: Map<string, number>
  contentHash: string
  skipped: { path: string; reason: string }[]
  failed: { url: string; reason: string }[]
  ignored?: Record<string, number>
  sites?: SiteFound[]
  license?: string | null
  /** Public names of the packages, or undefined if their files were not read. */
  coverage?: ApiCoverage | undefined
  /** Number of pages that could not be read and keep their old text. */
  kept: number
  flush(): Promise<void>
}

type Options = {
  before: LiveState
  onPage: (pages: number) => void
  /** Called with each page that is not copied, in source order. */
  onRow?: (row: PageRow) => void
  signal?: AbortSignal | undefined
}

/** Up to this many characters of pages are buffered, so that an unchanged source writes nothing. */
const heldCharacters = 6 * 2 ** 20
/** Memory of a buffered page in addition to its text. */
export const rowCharacters = 1024

/**
 * Skips planning notes unless a docs path contains them. They follow all other pages and are read
 * if they outnumber the other guides.
 */
export async function* skipPlans(
  events: AsyncIterable<SourceEvent>,
  docsPaths: readonly string[],
): AsyncGenerator<SourceEvent> {
  const plans: Extract<SourceEvent, { type: 'page' }>[] = []
  let guides = 0
  for await (const event of events) {
    if (event.type === 'page' && isPlan(event.page) && !docsPaths.includes(event.page.path)) {
      plans.push(event)
      continue
    }
    const url = event.type === 'page' ? event.page.url : event.type === 'unchanged' ? event.url : ''
    if (url !== '' && !isApiPagePath(url)) guides++
    yield event
  }
  const reason = 'a planning note for developers of the project; --docs-path reads it'
  for (const event of plans) {
    yield plans.length > guides ? event : { type: 'skipped', path: event.page.path, reason }
  }
}

export async function collectPages(
  events: AsyncIterable<SourceEvent>,
  generation: () => Promise<GenerationWriter>,
  options: Options,
): Promise<CollectedPages> {
  const { hashes, lengths } = { hashes: new Map<string, string>(), lengths: new Map() }
  const [skipped, failed]: [CollectedPages['skipped'], CollectedPages['failed']] = [[], []]
  const sites: SiteFound[] = []
  const { before } = options
  const states = before.kind === 'update' ? before.states : new Map<string, PageState>()
  const staying = new Map<string, string>()
  const validators = new Map<string, string>()
  let nav: NavOf | null = null
  const failing = new Set<string>()
  let ignored: Record<string, number> = {}
  const unpaged: Pick<CollectedPages, 'license' | 'coverage'> = {}
  let [held, heldNow]: [PageRow[], number] = [[], 0]
  function hold(row: PageRow): void {
    hashes.set(row.url, row.hash)
    lengths.set(row.url, row.text.length)
    if (states.get(row.url)?.hash === row.hash) validators.set(row.url, row.validator)
    held.push(row)
    heldNow += row.text.length + rowCharacters
    options.onRow?.(row)
  }
  function stay(url: string, validator?: string): void {
    const state = states.get(url)!
    hashes.set(url, state.hash)
    staying.set(url, validator ?? state.validator)
    validators.set(url, validator ?? state.validator)
  }
  async function flushHeld(): Promise<void> {
    if (held.length > 0) await (await generation()).appendPages(held)
    held = []
    heldNow = 0
    collectMeanwhile()
  }
  for await (const event of events) {
    options.signal?.throwIfAborted()
    if (event.type === 'skipped') skipped.push({ path: event.path, reason: event.reason })
    if (event.type === 'ignored') ignored = event.extensions
    if (event.type === 'failed') {
      failed.push({ url: event.url, reason: event.reason })
      for (const url of pagesAt(event, states)) failing.add(url)
    }
    if (event.type === 'license') unpaged.license = event.text
    if (event.type === 'coverage') unpaged.coverage = event
    if (event.type === 'site') sites.push(siteFound(event))
    if (event.type === 'order') nav = navOf(event)
    if (event.type !== 'page' && event.type !== 'unchanged') continue
    const { url, path } = event.type === 'page' ? event.page : { url: event.url, path: event.url }
    if (hashes.has(url)) skipped.push({ path, reason: 'it has the same address as another page' })
    else if (event.type === 'page') hold(pageRow(event.page, { validator: event.validator, nav }))
    else stay(url, event.validator)
    if (heldNow > heldCharacters) await flushHeld()
    options.onPage(hashes.size)
  }
  // Added last because another file may have been read under the same URL.
  const unreadUrls = failing.difference(hashes)
  for (const url of unreadUrls) stay(url)
  async function flush(): Promise<void> {
    await flushHeld()
    if (before.kind === 'fresh') return
    await copyStaying(before.open, { staying, lengths, nav, generation })
  }
  const contentHash = contentHashOf(hashes)
  const unread = { skipped, failed, ignored, kept: unreadUrls.size }
  return { hashes, validators, lengths, contentHash, sites, ...unpaged, ...unread, flush }
}

function siteFound(event: Extract<SourceEvent, { type: 'site' }>): SiteFound {
  const { generator, folder, pages } = event
  return { generator, folder, pages }
}

type Copying = {
  staying: ReadonlyMap<string, string>
  lengths: Map<string, number>
  /** The new positions of pages in the navigation. Null keeps the old ones. */
  nav: NavOf | null
  generation: () => Promise<GenerationWriter>
}

async function copyStaying(
  open: Pick<OpenGeneration, 'pages'>,
  { staying, lengths, nav, generation }: Copying,
): Promise<void> {
  if (staying.size === 0) return
  for await (const rows of open.pages()) {
    const copied = rows.filter(({ url }) => staying.has(url))
    for (const { url, text } of copied) lengths.set(url, text.length)
    const renewed = copied.map((row) => ({
      ...row,
      validator: staying.get(row.url)!,
      ...nav?.(row.path),
    }))
    if (renewed.length > 0) await (await generation()).appendPages(renewed)
  }
}

export function noPagesError(
  { request, resolved }: { request: AddRequest; resolved: ResolvedSource },
  { hashes, skipped, failed }: CollectedPages,
): OgError {
  const what = hashes.size > 0 ? 'its pages are empty' : 'no documentation pages'
  const counts = `${formatCount(skipped.length, 'file')} skipped, ${failed.length} failed`
  const first = failed[0] ?? skipped[0]
  return new OgError(
    `Cannot add library "${request.library}": ${what} in ${displaySource(resolved.source)} ` +
      `(${counts}); nothing was changed`,
    {
      hint: first
        ? `the first: ${'url' in first ? first.url : first.path}: ${first.reason}`
        : `og reads ${pageExtensions.join(' ')} files`,
    },
  )
}

export function diffPages(
  before: ReadonlyMap<string, PageState>,
  now: ReadonlyMap<string, string>,
): { added: number; modified: number; deleted: number; unchanged: number } {
  const diff = { added: 0, modified: 0, deleted: 0, unchanged: 0 }
  for (const [url, hash] of now) {
    const old = before.get(url)
    if (old === undefined) diff.added++
    else if (old.hash === hash) diff.unchanged++
    else diff.modified++
  }
  for (const url of before.keys()) if (!now.has(url)) diff.deleted++
  return diff
}

/** Returns the stored pages that a failure affects: one page, or all pages in a folder. */
function pagesAt(
  { url, isFolder }: Extract<SourceEvent, { type: 'failed' }>,
  states: ReadonlyMap<string, PageState>,
): string[] {
  // A file may have been stored as several pages.
  const within = isFolder ? `${trimEndCharacters(url, '/')}/` : `${url}#`
  const below = [...states.keys()].filter((other) => other.startsWith(within))
  return isFolder || !states.has(url) ? below : [url, ...below]
}

/**
 * Hashes a library version by the URLs and hashes of all pages. Orders them by URL because crawls
 * read pages in varying order.
 */
export function contentHashOf(hashes: ReadonlyMap<string, string>): string {
  const total = openContentHash()
  for (const url of [...hashes.keys()].sort()) total.add(url, hashes.get(url)!)
  return total.digest()
}

/** Computes `contentHashOf` incrementally. Pages must be added in URL order. */
export function openContentHash(): { add(url: string, hash: string): void; digest(): string } {
  const total = createHash('sha256')
  return {
    add: (url, hash) => void total.update(`${url}\n${hash}\n`),
    digest: () => total.digest('hex'),
  }
}

type NavOf = (path: string) => Pick<PageRow, 'nav_position' | 'nav_section'>

function navOf({ paths, sections }: Extract<SourceEvent, { type: 'order' }>): NavOf {
  const positions = new Map(paths.map((path, i) => [path, i]))
  return (path) => ({
    nav_position: positions.get(path) ?? -1,
    nav_section: sections?.get(path) ?? '',
  })
}

type RowFacts = { validator: string | undefined; nav: NavOf | null }

function pageRow(page: Page, { validator = '', nav }: RowFacts): PageRow {
  const row = {
    url: page.url,
    path: page.path,
    title: page.title,
    description: page.description,
    last_modified: page.lastModified ?? '',
    markup: page.markup,
    text: page.text,
  }
  const { toctree = '' } = page
  return { ...row, hash: pageHash(row), validator, toctree, ...nav?.(page.path) }
}

/** Hashes a page without its date, so that a touched file counts as unchanged. */
export function pageHash({
  url,
  path,
  title,
  description,
  markup,
  text,
}: Omit<PageRow, 'hash' | 'validator'>): string {
  const content = { url, path, title, description, markup, text }
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
