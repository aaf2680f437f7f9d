import type { PageHead } from '../store/pages/page-table.ts'
import type { Entry } from '../store/registry.ts'
import { type OpenVersions, type OpenEntries, skipDamaged } from './entries.ts'
import { versionsOfSameLibraries } from './search/other-versions.ts'
import { ofKey, pickEntries, versionsFrom, type VersionQuery } from '../version/pick.ts'
import { newestVersionsFirst } from '../version/version.ts'
import { contentsPage } from './contents.ts'
import { findPage, similarPages, splitAnchor } from './page-lookup.ts'
import { nearest } from '../platform/text/nearest.ts'
import { isApiPagePath } from '../api/api-path.ts'
import { parsePageSymbols, partBelow, plainName } from '../api/page-symbols.ts'
import { isTailOf } from '../search/name/definitions.ts'
import type { Markup } from '../document/headings.ts'
import type { FullPage } from './library.ts'
import type { VersionFrom } from '../version/project.ts'

/**
 * Returns the page with this address, or null if no requested library version has it. If the
 * request names no version and the default version lacks the page, searches the other versions. If
 * no page has exactly this address, tries it as a different spelling, as a path in the source
 * (`findPage`), and as a name in the API reference (`pagesOfSymbol`). If the address is a library's
 * name, returns the list of its pages. Throws if the page was not found and a damaged version may
 * contain it. `otherVersions` omits versions that must first be copied from a bucket
 * (`isAvailable`).
 */
export function findFullPage(
  entries: OpenEntries,
  request: VersionQuery & { url: string },
  isAvailable: (entry: Entry) => boolean = () => true,
): Promise<FullPage | null> {
  return skipDamaged(entries, async (sound, broken) => {
    const page = await soundPage(sound, request, isAvailable)
    if (page === null && broken.length > 0) throw broken[0]
    return page
  })
}

export async function similarAddresses(
  entries: OpenEntries,
  { url, ...query }: VersionQuery & { url: string },
): Promise<string[]> {
  const { place } = splitAnchor(url)
  return skipDamaged(entries, async (sound) => {
    using openVersions = await sound((all) => pickEntries(all, query))
    const names = await Promise.all(openVersions.map((one) => namesEndingIn(one, url)))
    const unique = [...new Set(names.flat().map(({ name }) => name))]
    if (unique.length > 0) return unique.slice(0, mostNames)
    const symbols = await similarSymbols(openVersions.slice(0, mostRead), url)
    if (symbols.length > 0) return symbols
    const heads = await Promise.all(openVersions.map(({ open }) => open.pageHeads()))
    return similarPages(place, new Map(heads.flatMap((some) => [...some])))
  })
}

const mostNames = 10

/** Maximum number of library versions whose symbols are read to find a similar name. */
const mostRead = 4

/** Returns the symbols with similar last parts: as many parts as typed, or only the last. */
async function similarSymbols(
  versions: readonly OpenVersions[number][],
  typed: string,
): Promise<string[]> {
  if (!looksLikeSymbol(typed)) return []
  const { listSymbols } = await import('./api-symbols.ts')
  const lists = await Promise.all(versions.map(({ open }) => listSymbols(open)))
  const names = lists.flat().map(({ qualifiedName }) => qualifiedName)
  const nParts = plainName(typed).split('.').length
  for (const depth of new Set([nParts, Math.min(nParts, 2), 1])) {
    const tailOf = (name: string) => plainName(name).split('.').slice(-depth).join('.')
    const long = names.filter((name) => plainName(name).split('.').length >= depth)
    const byTail = Map.groupBy(long, tailOf)
    const near = nearest(tailOf(typed), byTail.keys())
    if (near.length > 0) return [...new Set(near.flatMap((it) => byTail.get(it)!))].slice(0, 3)
  }
  return []
}

async function namesEndingIn({ open }: OpenVersions[number], typed: string) {
  if (!looksLikeSymbol(typed)) return []
  const { definitionsEndingIn } = await import('../search/name/definitions.ts')
  return definitionsEndingIn(open, typed)
}

async function soundPage(
  entries: OpenEntries,
  { url, ...query }: VersionQuery & { url: string },
  isAvailable: (entry: Entry) => boolean,
): Promise<FullPage | null> {
  let settled: VersionFrom[] = []
  const preferred = (all: Entry[]) => {
    const picked = pickEntries(all, query)
    settled = versionsFrom(all, picked, query)
    return picked
  }
  const any = (all: Entry[]) =>
    newestEntriesFirst(query.library === null ? all : ofKey(all, query.library))
  const picks = query.version === null ? [preferred, any] : [preferred]
  // Try the exact address in every version before any other interpretation.
  for (const look of [exactPage, spelledPage, symbolPage]) {
    // If no library is given, a library's name lists its pages, even if it is also the name of a
    // page.
    const isLibrary = look === spelledPage && query.library === null
    const contents = isLibrary ? await contentsPage(entries, { url, ...query }, isAvailable) : null
    if (contents !== null) return contents
    for (const pick of picks) {
      using openVersions = await entries(pick)
      const page = await look(openVersions, url)
      if (page === null) continue
      const isIts = (from: VersionFrom) =>
        from.library === page.library && from.version === page.version
      const versionFrom = settled.find(isIts) ?? null
      const isNamed = query.version !== null || versionFrom !== null
      const siblings = (all: Entry[]) => otherEntries(all, page).filter(isAvailable)
      const otherVersions = isNamed ? [] : await versionsWithPage(entries, siblings, url)
      return { ...page, versionFrom, otherVersions }
    }
  }
  return query.library === null ? null : contentsPage(entries, { url, ...query }, isAvailable)
}

/** Keeps the order of the libraries and puts each library's newest version first. */
function newestEntriesFirst(entries: readonly Entry[]): Entry[] {
  return [...Map.groupBy(entries, ({ key }) => key).values()].flatMap((group) =>
    newestVersionsFirst(group.map(({ version }) => version)).map(
      (version) => group.find((entry) => entry.version === version)!,
    ),
  )
}

function otherEntries(
  all: readonly Entry[],
  { library, version }: Pick<FullPage, 'library' | 'version'>,
): Entry[] {
  const own = all.filter((entry) => entry.library === library && entry.version === version)
  return versionsOfSameLibraries(all, own).filter((entry) => !own.includes(entry))
}

/** Returns the picked versions that contain the page with this address, newest first. */
async function versionsWithPage(
  entries: OpenEntries,
  pick: (all: Entry[]) => Entry[],
  url: string,
): Promise<string[]> {
  using openVersions = await entries(pick)
  const versions = await Promise.all(
    openVersions.map(async ({ entry: { version }, open }) => {
      const heads = await open.pageHeads()
      const isPage = heads.has(url) || findPage(splitAnchor(url, heads).place, heads) !== null
      return isPage || pagesOfSymbol(url, heads).length > 0 ? [version] : []
    }),
  )
  return newestVersionsFirst(versions.flat())
}

export async function libraryPages(
  entries: OpenEntries,
  version: { library: string; version: string | null },
): Promise<ReadonlyMap<string, PageHead>> {
  using openVersions = await entries((all) => pickEntries(all, version))
  return await openVersions[0]!.open.pageHeads()
}

/** A chunk as a search sees it. `terms` are its words in the full-text index. */
export type PageChunk = {
  heading: string
  text: string
  terms: string[]
  startLine: number
  endLine: number
}

export async function pageChunks(
  entries: OpenEntries,
  { url, ...query }: VersionQuery & { url: string },
): Promise<PageChunk[]> {
  using openVersions = await entries((all) => pickEntries(all, query))
  const rows = (await openVersions[0]?.open.chunksOf(url)) ?? []
  return rows.map(({ heading, content: text, terms, start_line, end_line }) => ({
    heading,
    text,
    terms: terms.split(' '),
    startLine: start_line,
    endLine: end_line,
  }))
}

type PageContent = Omit<FullPage, 'versionFrom' | 'otherVersions'>

async function exactPage(openVersions: OpenVersions, url: string): Promise<PageContent | null> {
  for (const one of openVersions) {
    const page = await pageOf(one, url)
    if (page !== null) return { ...page, anchor: null }
  }
  return null
}

async function symbolPage(openVersions: OpenVersions, typed: string): Promise<PageContent | null> {
  for (const one of openVersions) {
    for (const url of pagesOfSymbol(typed, await one.open.pageHeads())) {
      const page = await pageOf(one, url)
      const part = page === null ? null : partOfSymbol(page, typed)
      if (page === null || part === null) continue
      return { ...page, anchor: part === 'whole' ? null : part.anchor }
    }
    const [only, ...others] = await namesEndingIn(one, typed)
    const page = only === undefined || others.length > 0 ? null : await pageOf(one, only.url)
    const part = page === null ? null : partOfSymbol(page, only!.name)
    if (page !== null)
      return { ...page, anchor: part === null || part === 'whole' ? null : part.anchor }
  }
  return null
}

async function spelledPage(openVersions: OpenVersions, typed: string): Promise<PageContent | null> {
  for (const one of openVersions) {
    const heads = await one.open.pageHeads()
    const { place, anchor } = splitAnchor(typed, heads)
    const url = findPage(place, heads)
    const page = url === null ? null : await pageOf(one, url)
    if (page !== null) return { ...page, anchor }
  }
  return null
}

async function pageOf({ entry, open }: OpenVersions[number], address: string) {
  const page = await open.page(address)
  if (page === null) return null
  const { library, version } = entry
  const { url, title, text, markup } = page
  return { library, version, url, title, text, markup: markup as Markup }
}

type Heads = ReadonlyMap<string, Pick<PageHead, 'url' | 'path' | 'title'>>

/**
 * Returns the API pages that may define a qualified name, likeliest first: the page of the name
 * itself, the page of the class or module that the name begins with, and the page with the shortest
 * name that ends in it, if there is only one.
 */
export function pagesOfSymbol(typed: string, heads: Heads): string[] {
  if (!looksLikeSymbol(typed)) return []
  const pages = [...heads.values()].filter(({ path }) => isApiPagePath(path))
  const own = pages.filter(({ title }) => title === typed)
  const scopes = pages
    .filter(({ title }) => partBelow(typed, title) !== null)
    .sort((a, b) => b.title.length - a.title.length)
  const tails = pages.filter(
    ({ title }) => title !== typed && isTailOf(plainName(typed), plainName(title)),
  )
  const depths = tails.map(({ title }) => plainName(title).split('.').length)
  const least = depths.reduce((a, b) => Math.min(a, b), Infinity)
  const shortest = tails.filter((_, i) => depths[i] === least)
  return [...own, ...scopes, ...(shortest.length === 1 ? shortest : [])].map(({ url }) => url)
}

function looksLikeSymbol(typed: string): boolean {
  return /^[\p{L}_$@\\][\p{L}\p{N}_$@.:#/\\-]*[?!=]?$/u.test(typed)
}

/**
 * Returns the part of an API page that defines a name: the anchor of its section or of its line in
 * a list, or `whole` for the page itself. Returns null if the page does not define it.
 */
export function partOfSymbol(
  page: { title: string; text: string },
  typed: string,
): { anchor: string } | 'whole' | null {
  if (isTailOf(plainName(typed), plainName(page.title))) return 'whole'
  const symbols = parsePageSymbols(page.text)
  const below = partBelow(typed, page.title)
  const found =
    symbols.find((it) => it.qualifiedName === typed) ??
    symbols.find((it) => below !== null && partBelow(it.qualifiedName, page.title) === below)
  return found === undefined ? null : { anchor: found.qualifiedName }
}
