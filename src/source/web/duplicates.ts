import { isOnSite, type SiteEntry } from './page-filter.ts'

export type Duplicates = {
  list(pages: SiteEntry[]): void
  /** Returns the URL for storing a page, or the reason to skip it. Call it in listing order. */
  place(page: ListedPage): { url: string } | { skipped: string }
  reserve(url: string): boolean
}

type ListedPage = { listed: SiteEntry; url: string; canonical: URL | null }

/**
 * Detects duplicates. A page that redirects, or declares a different URL with `rel=canonical`, is
 * the page at that URL. If the site lists that URL too, this page is skipped. Wrong canonical URLs,
 * such as the home page on every page, are ignored.
 */
export function openDuplicates(listing: SiteEntry[], sites: URL[] | null): Duplicates {
  const listed = new Set(listing.map(({ url }) => url))
  const reserved = new Set<string>()
  const redirectedTo = new Map<string, string>()
  const take = (url: string) => {
    if (reserved.has(url)) return false
    reserved.add(url)
    return true
  }
  return {
    list: (pages) => pages.forEach(({ url }) => listed.add(url)),
    reserve: take,
    place({ listed: { url: own }, url, canonical }) {
      const isBelieved =
        canonical !== null && isPlausible(canonical, new URL(url), { sites, listed })
      const target = isBelieved ? canonical.href : url
      if (target !== own && listed.has(target) && redirectedTo.get(target) !== own) {
        redirectedTo.set(own, target)
        return { skipped: `it is the page at ${target}` }
      }
      const address = listed.has(target) ? own : target
      if (!take(address)) return { skipped: `it is the page at ${address}, which was already read` }
      return { url: address }
    },
  }
}

type SiteListing = { sites: URL[] | null; listed: Set<string> }

function isPlausible(canonical: URL, here: URL, { sites, listed }: SiteListing): boolean {
  if (!isOnSite(canonical, sites ?? [here]) || lastPart(canonical) !== lastPart(here)) return false
  return listed.has(canonical.href) || samePath(canonical) === samePath(here)
}

function lastPart(url: URL): string {
  return samePath(url).split('/').at(-1)!
}

function samePath({ pathname }: URL): string {
  return pathname.replace(/\/(index\.html?)?$/i, '').replace(/\.html?$/i, '')
}
