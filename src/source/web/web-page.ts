import { crawl } from './crawl.ts'
import { openCrawler, withoutUser, type CrawlOptions } from './crawler.ts'
import { parseKnownPages } from '../known-pages.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import type { Source } from '../../store/source.ts'

export async function* webPage(
  source: Extract<Source, { kind: 'web_page' }>,
  options: CrawlOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const crawler = await openCrawler(source.url, options)
  const url = withoutUser(new URL(source.url))
  url.hash = ''
  const listing = [{ url: url.href, lastmod: null, language: null }]
  const before = parseKnownPages(options.before)
  yield* crawl(crawler, { listing, before, languages: [], isNamed: true })
}
