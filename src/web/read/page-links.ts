import { cached } from '../../platform/lru-cache.ts'
import { decodeEntities } from '../../document/inline.ts'
import { normalizeAddress } from '../../library/page-lookup.ts'
import { escapeHtml } from '../../page/show/safe-html.ts'
import { decodePercent } from '../../source/page-address.ts'
import type { PageHead } from '../../store/pages/page-table.ts'

/** The page that contains the links. `isPart` means that another page shows an excerpt from it. */
type LinkingPage = { library: string; version: string; url: string; isPart?: boolean }

/**
 * Resolves the links in markup from `renderPageHtml`. A link to an indexed page opens it on this
 * site, any other link opens the web, and a dead link becomes text. The title of the linked page
 * replaces a link text that is only the URL.
 */
export function resolveLinks(
  safe: string,
  page: LinkingPage,
  heads: ReadonlyMap<string, PageHead>,
): string {
  return safe.replace(/<a href="([^"]*)">(?:([^<]*)<\/a>)?/g, (...link: Link) => {
    const [, address, words] = link
    const { target, title } = targetOf(decodeEntities(address), page, heads)
    const name =
      words === undefined
        ? ''
        : words === address && title !== undefined
          ? `${escapeHtml(title)}</a>`
          : `${words}</a>`
    if (target === null) return `<a>${name}`
    const away = /^https?:/i.test(target) ? ' class="away" rel="noopener noreferrer"' : ''
    return `<a href="${escapeHtml(target)}"${away}>${name}`
  })
}

type Link = [whole: string, written: string, words: string | undefined]

/** A link's URL, or null if it is dead. `title` is the title of the indexed page at that URL. */
type Target = { target: string | null; title?: string }

function targetOf(
  address: string,
  { library, version, url, isPart = false }: LinkingPage,
  heads: ReadonlyMap<string, PageHead>,
): Target {
  if (address.startsWith('#') && isPart) {
    return {
      target: readAddress({ library, version, url, anchor: decodePercent(address.slice(1)) }),
    }
  }
  if (address.startsWith('#') || /^mailto:/i.test(address)) return { target: address }
  const full = resolveUrl(address, url)
  const [place = '', anchor] = full.split('#')
  const paths = /^[a-z]+:/i.test(address) ? [] : candidatePaths(address, heads.get(url)?.path ?? '')
  const spelled = urlsBySpelling(heads)
  const page = heads.has(place)
    ? place
    : (spelled.get(normalizeAddress(place)) ??
      paths.map((path) => spelled.get(normalizeAddress(path))).find((it) => it !== undefined))
  if (page !== undefined) {
    const decoded = anchor === undefined ? null : decodePercent(anchor)
    const target = readAddress({ library, version, url: page, anchor: decoded })
    return { target, title: heads.get(page)?.title || undefined }
  }
  return { target: /^https?:\/\//i.test(full) ? full : null }
}

/** Maps normalized URLs and paths to page URLs. The first of equal keys takes precedence. */
const urlsBySpelling = cached((heads: ReadonlyMap<string, PageHead>) => {
  const made = new Map<string, string>()
  for (const { url, path } of heads.values()) {
    for (const name of [url, path].map(normalizeAddress)) if (!made.has(name)) made.set(name, url)
  }
  return made
})

function resolveUrl(address: string, base: string): string {
  return URL.canParse(address, base) ? new URL(address, base).href : address
}

/**
 * Returns the source paths that a link may mean, relative to the page's path. A link with a leading
 * slash can start at the root or at any folder above the page, nearest first. Returns none if the
 * link points outside the source.
 */
function candidatePaths(address: string, path: string): string[] {
  const base = `path:/${path}`
  if (!URL.canParse(address, base)) return []
  const place = decodePercent(new URL(address, base).pathname.slice(1))
  if (place === '') return []
  if (!address.startsWith('/')) return [place]
  const folders = path.split('/').slice(0, -1)
  const tops = folders
    .slice(-maxFolders)
    .map((_, i) => folders.slice(0, folders.length - i).join('/'))
  return [place, ...tops.map((top) => `${top}/${place}`)]
}

/**
 * Maximum number of folders to try for a link, because an untrusted page can be thousands of
 * folders deep.
 */
const maxFolders = 16

/**
 * A page to read. `from` and `to` are 1-based line numbers. The view marks these lines and scrolls
 * to them.
 */
type PageReadRequest = {
  library: string
  version: string
  url: string
  from?: number
  to?: number
  anchor?: string | null
}

export function readAddress({ library, version, url, from, to, anchor }: PageReadRequest): string {
  const params = new URLSearchParams({ library, version, url })
  if (from !== undefined) params.set('lines', `${from}-${to ?? from}`)
  const place = anchor ? encodeURIComponent(anchor) : from === undefined ? '' : 'here'
  return `/read?${params}${place && `#${place}`}`
}

export function pagesAddress({ library, version }: { library: string; version: string }): string {
  return `/pages?${new URLSearchParams({ library, version })}`
}
