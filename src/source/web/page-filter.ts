import { formatOf, formats } from '../../formats/formats.ts'
import type { SitemapFilter } from '../../store/source.ts'
import { decodePercent } from '../page-address.ts'
import { pathsInOtherLanguages, isLanguageWanted, pathLanguage } from '../select/translations.ts'

export type SiteEntry = {
  url: string
  lastmod: string | null
  language: string | null
  english?: string | null
}

/**
 * Returns a function that maps an entry in a listing to the same entry with a clean URL, or to null
 * if the entry is unwanted or a duplicate. `reject` receives the unwanted URLs and the reasons.
 * `sites` are the hosts of the source itself.
 */
export function openSiteFilter(
  filter: SitemapFilter,
  sites: URL[],
  reject: (url: string, reason: string) => void,
): (listed: SiteEntry) => SiteEntry | null {
  const seen = new Set<string>()
  const hosts = [...new Set(sites.map(({ host }) => host))].join(', ')
  return (listed) => {
    if (!URL.canParse(listed.url)) return reject(listed.url, 'not a valid address'), null
    const url = pageAddress(listed.url, filter)
    if (seen.has(url.href)) return null
    seen.add(url.href)
    const reason = isOnSite(url, sites) ? exclusion(url, listed, filter) : `not on ${hosts}`
    if (reason !== null) return reject(url.href, reason), null
    return { ...listed, url: url.href }
  }
}

/** Removes translations of other pages, unless languages were requested. */
export function removeTranslations(
  pages: SiteEntry[],
  { languages }: SitemapFilter,
  reject: (url: string, reason: string) => void,
): SiteEntry[] {
  if (languages.length > 0) return pages
  const urls = new Set(pages.map(({ url }) => url))
  const foreign = pathsInOtherLanguages([...urls], { languages })
  for (const { url, english, language } of pages) {
    if (!english || english === url || !urls.has(english)) continue
    foreign.set(url, `a translation; --language ${language} reads it`)
  }
  for (const [url, reason] of foreign) reject(url, reason)
  return pages.filter(({ url }) => !foreign.has(url))
}

/** True if a URL is on a site or one of its subdomains. Ignores `www.`, but not the port. */
export function isOnSite(url: URL, sites: URL[]): boolean {
  return sites.some((site) => {
    const [host, own] = [siteHost(url), siteHost(site)]
    return (
      /^https?:$/.test(url.protocol) &&
      url.port === site.port &&
      (host === own || (host.endsWith(`.${own}`) && !/^[\d.]+$|:/.test(own)))
    )
  })
}

/** True if a page is at a path or below it. `/guide` and `/guide/` are the same path. */
export function isBelow({ pathname }: URL, path: string): boolean {
  const folder = decodePercent(path).replace(/\/?$/, '/')
  return `${decodePercent(pathname)}/`.startsWith(folder)
}

function siteHost(url: URL): string {
  return url.hostname.replace(/^www\.|\.$/g, '')
}

function pageAddress(address: string, { trimQueryParams }: SitemapFilter): URL {
  const url = new URL(address)
  url.hash = url.username = url.password = ''
  if (trimQueryParams) url.search = ''
  return url
}

export function hasFilterKeyword(
  url: URL,
  { filterKeywords }: Pick<SitemapFilter, 'filterKeywords'>,
): boolean {
  return filterKeywords.length === 0 || filterKeywords.some((word) => containsWord(url, word))
}

export const noKeywordReason = 'no filter keyword in its path'

function containsWord({ pathname, search }: URL, word: string): boolean {
  return decodePercent(pathname + search)
    .toLowerCase()
    .includes(word.toLowerCase())
}

function exclusion(url: URL, listed: SiteEntry, filter: SitemapFilter): string | null {
  const { exclude, languages, below } = filter
  if (below !== undefined && !isBelow(url, below)) return `not below ${below}`
  if (!hasFilterKeyword(url, filter)) return noKeywordReason
  const excluded = exclude.find((word) => containsWord(url, word))
  if (excluded !== undefined) return `excluded by "${excluded}"`
  const language = listed.language ?? pathLanguage(url.pathname)
  if (language !== null && languages.length > 0 && !isLanguageWanted(language, languages)) {
    return `in another language (${language})`
  }
  const extension = /\.([a-z0-9]{2,5})$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? ''
  const format = formatOf(url.pathname)
  const isOther =
    format === null || formats[format].marked?.extensions.includes(`.${extension}`)
      ? otherFiles.has(extension)
      : formats[format].parseBytes !== undefined
  return isOther ? `a .${extension} file` : null
}

/**
 * Extensions of files that are not pages and never requested. PDFs and the like usually repeat the
 * whole site, so they are requested only if a person enters their URL.
 */
const otherFiles = new Set(
  (
    'png jpg jpeg gif svg webp avif ico zip gz tgz tar bz2 xz 7z mp3 mp4 webm mov css js mjs ' +
    'map json xml woff woff2 ttf eot exe dmg whl jar'
  ).split(' '),
)
