import { withoutPageExtension } from '../formats/formats.ts'
import { nearest } from '../platform/text/nearest.ts'
import { decodePercent } from '../source/page-address.ts'
import type { PageHead } from '../store/pages/page-table.ts'
import { lineAt, indexLines } from '../chunk/line.ts'
import { parsePageSymbols } from '../api/page-symbols.ts'
import { estimateTokens } from '../platform/tokens.ts'
import { outlinePage } from '../search/excerpt/outline.ts'
import { headings, type Markup } from '../document/headings.ts'

type Heads = ReadonlyMap<string, { path: string }>

/**
 * Splits an address into the page and the fragment after `#`, or null. A page's address or path may
 * contain a `#` itself: `openapi.json#GET%20/users`, `docs/c#.md`.
 */
export function splitAnchor(
  address: string,
  heads: Heads = new Map(),
): { place: string; anchor: string | null } {
  const hashes = [...address.matchAll(/#/g)].map(({ index }) => index)
  const cuts = [address.length, ...hashes.slice(1, mostHashes).reverse()]
  const isPage = (place: string) => heads.has(place) || hasPath(heads, place)
  const end = cuts.find((at) => hashes.length > 0 && isPage(address.slice(0, at)))
  const at = end ?? hashes[0] ?? address.length
  const anchor = address.slice(at + 1)
  return { place: address.slice(0, at), anchor: anchor === '' ? null : decodePercent(anchor) }
}

const mostHashes = 8

function hasPath(heads: Heads, place: string): boolean {
  const plain = `/${normalizePath(place)}`
  return [...heads.values()].some(({ path }) => `/${normalizePath(path)}`.endsWith(plain))
}

/** Returns the path as people type it. macOS stores `ü` as `u` and an accent. */
function composed(path: string): string {
  return path.normalize('NFC').replace(/^\.?\//, '')
}

/**
 * Returns the only page that an address can mean. The address can be a URL copied from a browser,
 * with a query and with or without the final slash, `.html` or `index`. It can also be the page's
 * path in the source, or a suffix of that path. Returns null if no page or more than one page
 * matches.
 */
export function findPage(address: string, heads: Heads): string | null {
  const place = address.split('?', 1)[0]!
  if (heads.has(place)) return place
  const plain = normalizePath(place)
  const all = [...heads].map(([url, { path }]) => ({
    url,
    names: [normalizeAddress(url), normalizePath(path)],
  }))
  const isMeant = (name: string) => name === plain || name.endsWith(`/${plain}`)
  const ofPath = [...heads]
    .filter(([, { path }]) => path.normalize('NFC') === composed(place))
    .map(([url]) => ({ url }))
  const same = plain === '' ? [] : all.filter(({ names }) => names.includes(plain))
  const ending = plain === '' ? [] : all.filter(({ names }) => names.some(isMeant))
  const matches = [ofPath, same, ending].find((some) => some.length > 0) ?? []
  return matches.length === 1 ? matches[0]!.url : null
}

type PageNames = {
  byLast: Map<string, { url: string; name: string }[]>
  /** Names that were already requested, by URL. */
  shortest: Map<string, string>
}

const namesOf = new WeakMap<object, PageNames>()

/**
 * Returns the shortest suffix of a page's path, without its extension, that identifies the page in
 * `findPage`: `tutorial/background-tasks`. The README or index of the whole library keeps its path.
 * Returns the URL if no suffix of the path is unique.
 */
export function shortestPageName(
  { url, path }: Pick<PageHead, 'url' | 'path'>,
  heads: Heads,
): string {
  const names = namesOf.get(heads) ?? { byLast: namesByLast(heads), shortest: new Map() }
  namesOf.set(heads, names)
  return names.shortest.getOrInsertComputed(url, () =>
    findShortestName({ url, path }, heads, names.byLast),
  )
}

function findShortestName(
  { url, path }: Pick<PageHead, 'url' | 'path'>,
  heads: Heads,
  byLast: PageNames['byLast'],
): string {
  const parts = normalizeAddress(path || url).split('/')
  for (let from = parts.length - 1; from >= 0; from--) {
    const name = parts.slice(from).join('/')
    const others = byLast.get(lastOf(name)) ?? []
    const isOther = (it: { url: string; name: string }) =>
      it.url !== url && (it.name === name || it.name.endsWith(`/${name}`))
    if (name !== '' && !others.some(isOther)) return name
  }
  return parts[0] === '' && findPage(path, heads) === url ? path : url
}

function namesByLast(heads: Heads): Map<string, { url: string; name: string }[]> {
  const names = [...heads].flatMap(([url, { path }]) =>
    [...new Set([normalizeAddress(url), normalizeAddress(path)])].map((name) => ({ url, name })),
  )
  return Map.groupBy(names, ({ name }) => lastOf(name))
}

export function similarPages(address: string, heads: Heads): string[] {
  const name = lastOf(normalizeAddress(address))
  const byName = Map.groupBy(heads, ([url, { path }]) => lastOf(normalizeAddress(path || url)))
  const names = byName.has(name) ? [name] : nearest(name, byName.keys())
  return names
    .flatMap((other) => byName.get(other)!)
    .map(([url]) => url)
    .slice(0, 3)
}

function normalizePath(path: string): string {
  return normalizeAddress(path.replaceAll('#', '%23'))
}

export function normalizeAddress(address: string): string {
  const path = decodePercent(address.split(/[?#]/, 1)[0]!)
    .normalize('NFC')
    .replace(/^[a-z]+:\/\/(?:www\.)?|^\.?\//i, '')
    .replace(/\/$/, '')
  return withoutPageExtension(path).replace(/(?:^|\/)(?:index|readme)$/i, '')
}

function lastOf(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1)
}

export type PageSection = { anchor: string; heading: string; startLine: number; endLine: number }

/** `tokens` is the size of the section with its subsections. */
export type PageHeading = { line: number; level: number; title: string; tokens: number }

type Page = { text: string; markup: Markup }

const mostListed = 8

/**
 * Returns the section with this anchor or heading, or the line with this name in the API reference.
 * If there is none, returns the most similar anchors, or else the first ones.
 */
export function findSection(page: Page, name: string): PageSection | { nearest: string[] } {
  const { lines, sections } = outlinePage(page)
  const plain = foldText(name)
  const isNamed = [
    (anchor: string, title: string) => anchor === name || title === name,
    (anchor: string) => anchor.toLowerCase() === name.toLowerCase(),
    (anchor: string, title: string) => [foldText(anchor), foldText(title)].includes(plain),
  ]
  const listed = parsePageSymbols(page.text).find((it) => it.qualifiedName === name)
  const index = (listed === undefined ? isNamed : isNamed.slice(0, 1))
    .map((is) => sections.findIndex(({ anchor, path }, at) => at > 0 && is(anchor, path.at(-1)!)))
    .find((at) => at > 0)
  if (index === undefined) {
    if (listed !== undefined) {
      return { anchor: name, heading: name, startLine: listed.line, endLine: listed.line }
    }
    const anchors = sections.slice(1).map(({ anchor }) => anchor)
    const holding = anchors.filter((it) => plain !== '' && foldText(it).includes(plain))
    const near = [...new Set([...nearest(name, anchors), ...holding])].slice(0, 3)
    return { nearest: near.length > 0 ? near : anchors.slice(0, mostListed) }
  }
  const { start, path, anchor } = sections[index]!
  const after = sections.slice(index + 1).find((it) => it.path.length <= path.length)
  const end = after?.start ?? page.text.length
  const [first, last] = [start, Math.max(start, end - 1)].map((at) => lineAt(lines, at) + 1)
  return { anchor, heading: path.join(' > '), startLine: first!, endLine: last! }
}

export function headingsOf({ text, markup }: Page): PageHeading[] {
  const lines = indexLines(text)
  const all = headings(text, markup)
  return all.map(({ offset, level, title }, i) => {
    const end = all.slice(i + 1).find((next) => next.level <= level)?.offset
    const tokens = estimateTokens(text.slice(offset, end))
    return { line: lineAt(lines, offset) + 1, level, title, tokens }
  })
}

function foldText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
