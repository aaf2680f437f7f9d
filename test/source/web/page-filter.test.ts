import { expect, test } from 'bun:test'
import {
  isOnSite,
  openSiteFilter,
  removeTranslations,
  type SiteEntry,
} from '../../../src/source/web/page-filter.ts'
import type { SitemapFilter } from '../../../src/store/source.ts'

const all: SitemapFilter = {
  filterKeywords: [],
  exclude: [],
  languages: [],
  trimQueryParams: false,
}
const listed = (url: string, more: Partial<SiteEntry> = {}): SiteEntry => ({
  url,
  lastmod: null,
  language: null,
  ...more,
})

/** Expects the wanted URLs, and `-` with the reason for each other URL. */
function check(filter: Partial<SitemapFilter>, urls: string[], expected: string[]): void {
  const shown: string[] = []
  const wanted = openSiteFilter(
    { ...all, ...filter },
    [new URL('https://x.org')],
    (url, reason) => {
      shown.push(`-${url}: ${reason}`)
    },
  )
  for (const url of urls) {
    const page = wanted(listed(url))
    if (page) shown.push(page.url)
  }
  expect(shown.map((it) => it.replace('https://x.org', ''))).toEqual(expected)
}

test('returns a URL once, without fragment or user', () => {
  check({}, ['https://x.org/a', 'https://x.org/a#b', 'https://u:p@x.org/a'], ['/a'])
  check({ trimQueryParams: true }, ['https://x.org/a?b=1', 'https://x.org/a'], ['/a'])
})

test('reports URLs that are not pages of the site', () => {
  check(
    {},
    ['nonsense', 'https://y.org/a', 'https://x.org/a.png', 'https://x.org/feed.xml'],
    [
      '-nonsense: not a valid address',
      '-https://y.org/a: not on x.org',
      '-/a.png: a .png file',
      '-/feed.xml: a .xml file',
    ],
  )
})

test('finds words in the path in any case and encoding', () => {
  check(
    { filterKeywords: ['Guide'] },
    ['https://x.org/%67uide', 'https://x.org/api'],
    ['/%67uide', '-/api: no filter keyword in its path'],
  )
  check({ exclude: ['old'] }, ['https://x.org/a?v=OLD'], ['-/a?v=OLD: excluded by "old"'])
  check(
    { languages: ['en'] },
    ['https://x.org/de/a', 'https://x.org/en-GB/a', 'https://x.org/a'],
    ['-/de/a: in another language (de)', '/en-GB/a', '/a'],
  )
})

test('includes a host with or without www, and its subdomains', () => {
  const site = (url: string, own: string) => isOnSite(new URL(url), [new URL(own)])
  expect(site('http://www.x.org/a', 'https://x.org')).toBe(true)
  expect(site('https://docs.x.org', 'https://x.org')).toBe(true)
  expect(site('https://x.org', 'https://docs.x.org')).toBe(false)
  expect(site('https://evilx.org', 'https://x.org')).toBe(false)
  expect(site('https://x.org:8443', 'https://x.org')).toBe(false)
  expect(site('ftp://x.org', 'https://x.org')).toBe(false)
})

test('keeps the English version of a page, unless other languages are requested', () => {
  const english = 'https://x.org/a'
  const pages = [listed(english), listed('https://x.org/q/a', { english, language: 'de' })]
  const left: string[] = []
  const urls = (filter: SitemapFilter) =>
    removeTranslations(pages, filter, (url, reason) => left.push(`${url}: ${reason}`)).map(
      ({ url }) => url,
    )
  expect(urls(all)).toEqual([english])
  expect(left).toEqual(['https://x.org/q/a: a translation; --language de reads it'])
  expect(urls({ ...all, languages: ['de'] })).toHaveLength(2)
})
