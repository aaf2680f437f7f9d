import type { Markup } from '../page/page.ts'
import type { PageHead } from '../store/pages/page-table.ts'
import type { Entry } from '../store/registry.ts'
import type { OpenVersions, OpenEntries } from './entries.ts'
import { versionsOfSameLibraries } from './search/other-versions.ts'
import { pickEntries, versionsFrom, type VersionFrom, type VersionQuery } from '../version/pick.ts'
import { skipDamaged } from './skip-damaged.ts'
import { newestVersionsFirst } from '../version/version.ts'
import { findPage, similarPages, splitAnchor } from './page-lookup.ts'
import { isApiPagePath } from '../api/api-path.ts'
import { headings } from '../page/headings.ts'

export type FullPage = {
  library: string
  version: string
  url: string
  title: string
  text: string
  markup: Markup
  /** The part behind `#`; null if there is none, or if it belongs to the address. */
  anchor: string | null
  /** The file of the project that chose the version of this page, if one did. */
  versionFrom: VersionFrom | null
  /** The other versions that contain the page, newest first, if the request named no version. */
  otherVersions: string[]
}

/**
 * Returns the page with this address; null if no requested library version has it. If the request
 * names no version and the default one lacks the page, other versions are tried. An address without
 * a page may be another spelling, a path in the source (`findPage`) or a name in the API reference
 * (`pagesOfSymbol`). Throws if a version that may have the page is damaged. `otherVersions` omits
 * versions that would have to be copied from a bucket first (`isAvailable`).
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

/** Returns similar addresses for an address without a page. */
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
    const heads = await Promise.all(openVersions.map(({ open }) => open.pageHeads()))
    return similarPages(place, new Map(heads.flatMap((some) => [...some])))
  })
}

/** The most names of the API reference that are listed for the end of a name. */
const mostNames = 10

/** Definitions of the API reference whose names end in a name that was typed. */
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
  const isMine = (key: string) => query.library === null || key === query.library.toLowerCase()
  let settled: VersionFrom[] = []
  const preferred = (all: Entry[]) => {
    const picked = pickEntries(all, query)
    settled = versionsFrom(all, picked, query)
    return picked
  }
  const any = (all: Entry[]) => newestEntriesFirst(all.filter((entry) => isMine(entry.key)))
  const picks = query.version === null ? [preferred, any] : [preferred]
  // The exact address is tried in every version before other readings of it are tried in any.
  for (const look of [exactPage, spelledPage, symbolPage]) {
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
  return null
}

/** Keeps the order of the libraries and puts the newest version of each first. */
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
  const { place } = splitAnchor(url)
  const versions = await Promise.all(
    openVersions.map(async ({ entry: { version }, open }) => {
      const heads = await open.pageHeads()
      const isPage = heads.has(url) || findPage(place, heads) !== null
      return isPage || pagesOfSymbol(url, heads).length > 0 ? [version] : []
    }),
  )
  return newestVersionsFirst(versions.flat())
}

/** Returns the pages of a library version by address. Throws OgError if it is not indexed. */
export async function libraryPages(
  entries: OpenEntries,
  version: { library: string; version: string | null },
): Promise<ReadonlyMap<string, PageHead>> {
  using openVersions = await entries((all) => pickEntries(all, version))
  return await openVersions[0]!.open.pageHeads()
}

/** A chunk as it is searched: `terms` are the words in the full-text index. */
export type PageChunk = {
  heading: string
  text: string
  terms: string[]
  startLine: number
  endLine: number
}

/** Returns the chunks of a page in order; none if there is no such page. */
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
  const { place, anchor } = splitAnchor(typed)
  for (const one of openVersions) {
    const url = findPage(place, await one.open.pageHeads())
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
 * The pages of the API reference that may define a qualified name, the likeliest first: the page of
 * the name itself, the page of the class or module that it begins with, and the page with the
 * shortest name that ends in it, unless several are as short.
 */
export function pagesOfSymbol(typed: string, heads: Heads): string[] {
  if (!looksLikeSymbol(typed)) return []
  const pages = [...heads.values()].filter(({ path }) => isApiPagePath(path))
  const own = pages.filter(({ title }) => title === typed)
  const scopes = pages
    .filter(({ title }) => typed.startsWith(title) && /^(::|[.#/])/.test(typed.slice(title.length)))
    .sort((a, b) => b.title.length - a.title.length)
  const tails = pages.filter(
    ({ title }) => title.endsWith(typed) && /(::|[.#/])$/.test(title.slice(0, -typed.length)),
  )
  const depths = tails.map(({ title }) => title.split(/::|[.#/]/).length)
  const least = depths.reduce((a, b) => Math.min(a, b), Infinity)
  const shortest = tails.filter((_, i) => depths[i] === least)
  return [...own, ...scopes, ...(shortest.length === 1 ? shortest : [])].map(({ url }) => url)
}

function looksLikeSymbol(typed: string): boolean {
  return /^[\p{L}_$@][\p{L}\p{N}_$@.:#/-]*$/u.test(typed)
}

/**
 * The part of a page of the API reference that defines a name: the anchor of its section; `whole`
 * for the page itself or a value in one of its lists; null: it does not define the name.
 */
export function partOfSymbol(
  page: { title: string; text: string },
  typed: string,
): { anchor: string } | 'whole' | null {
  if (page.title === typed || page.title.endsWith(typed)) return 'whole'
  const titles = headings(page.text, 'markdown').map(({ title }) => title)
  if (titles.includes(typed)) return { anchor: typed }
  const name = typed.slice(page.title.length).replace(/^(::|[.#/])/, '')
  const listed = new RegExp(`^- \`\`? ?(?:[a-z]+ )*${RegExp.escape(name)}(?![\\p{L}\\p{N}_])`, 'mu')
  return name !== '' && listed.test(page.text) ? 'whole' : null
}
