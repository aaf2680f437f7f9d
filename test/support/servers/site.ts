import { expect } from 'bun:test'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import type { CrawlOptions } from '../../../src/source/web/crawler.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import type { SitemapFilter, Source } from '../../../src/store/source.ts'
import { serveLocal } from './serve-local.ts'
import { shownEvent } from '../pages/source-events.ts'

export type Replies = Record<string, Reply>

type Reply = string | ((request: Request) => Response | Promise<Response>)

/** A web site on loopback that records its requests. */
export type Site = Disposable & {
  url: string
  /** `GET /path?query`, in order. */
  requests: string[]
  /** The headers of the last request for a path. */
  headers: Map<string, Headers>
  /** The largest number of requests that were open at the same time. */
  nAtOnce: number
}

/**
 * Sends each text with the media type of its extension (`.xml`, `.txt` or `.md`), or else as HTML.
 */
export function openSite(replies: Replies): Site {
  let nOpen = 0
  const site = { requests: [] as string[], headers: new Map<string, Headers>(), nAtOnce: 0 }
  const server = serveLocal(async (request) => {
    const { pathname, search } = new URL(request.url)
    const path = pathname + search
    site.requests.push(`${request.method} ${path}`)
    site.headers.set(path, request.headers)
    nOpen++
    opened.nAtOnce = Math.max(opened.nAtOnce, nOpen)
    const reply = replies[path] ?? replies[pathname]
    const response = typeof reply === 'function' ? await reply(request) : textReply(pathname, reply)
    nOpen--
    return response
  })
  const opened = Object.assign(site, {
    url: server.url.origin,
    [Symbol.dispose]: () => void server.stop(true),
  })
  return opened
}

export function html(title: string, more: { head?: string; lang?: string; body?: string } = {}) {
  const { head = '', lang, body = '' } = more
  return (
    `<!doctype html><html${lang ? ` lang="${lang}"` : ''}><head><title>${title}</title>${head}` +
    `</head><body><nav>Home</nav><main><h1>${title}</h1><p>This is ${title}.</p>${body}</main></body>`
  )
}

export function urlset(...locs: string[]): string {
  return `<urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`
}

const noFilter: SitemapFilter = {
  filterKeywords: [],
  exclude: [],
  languages: [],
  trimQueryParams: false,
}

export function sitemapOf(url: string, filter: Partial<SitemapFilter> = {}): Source {
  return { kind: 'sitemap', url, ...noFilter, ...filter }
}

export function llmsOf(url: string, filter: Partial<SitemapFilter> = {}): Source {
  return { kind: 'llms_txt', url, ...noFilter, ...filter }
}

export type ReadOptions = CrawlOptions & { before?: Map<string, string> }

/** Returns all events; retries do not wait. */
export async function readSource(
  source: Source,
  options: ReadOptions = {},
): Promise<SourceEvent[]> {
  const resolved = await resolveSource(source, { version: null, today: new Date() })
  return Array.fromAsync(sourcePages(resolved, { sleep: async () => {}, ...options }))
}

/** Returns the validators in these events. */
export function knownBy(events: SourceEvent[]): Map<string, string> {
  return new Map(
    events.flatMap((event) => {
      if (event.type === 'page') return [[event.page.url, event.validator!] as const]
      return event.type === 'unchanged' ? [[event.url, event.validator!] as const] : []
    }),
  )
}

/**
 * Shows one line per event: address and title of a page, `=` unchanged, `-` skipped, `!` failed.
 */
export function shownEvents(events: SourceEvent[], site: Site): string[] {
  return events
    .map((event) => shownEvent(event, ({ page }) => `${page.url}: ${page.title}`))
    .map((line) => line.replaceAll(site.url, ''))
}

function textReply(path: string, text: string | undefined): Response {
  if (text === undefined) return new Response('nothing here', { status: 404 })
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? ''
  return new Response(text, { headers: { 'content-type': contentTypes[extension] ?? 'text/html' } })
}

const contentTypes: Record<string, string> = {
  xml: 'application/xml',
  txt: 'text/plain',
  md: 'text/markdown',
  png: 'image/png',
}

type CheckOptions = ReadOptions & { filter?: Partial<SitemapFilter> }

/** Reads `/sitemap.xml` of a site and compares all events in this form. */
export async function checkSitemap(
  replies: Replies,
  expected: string[],
  options: CheckOptions = {},
) {
  using site = openSite(replies)
  const { filter, ...reading } = options
  const events = await readSource(sitemapOf(`${site.url}/sitemap.xml`, filter), reading)
  expect(shownEvents(events, site)).toEqual(expected)
  return { site, events }
}

/** Checks that reading fails with a one-line error. */
export async function checkSitemapError(
  replies: Replies,
  message: string,
  options: ReadOptions = {},
) {
  using site = openSite(replies)
  const error = await readSource(sitemapOf(`${site.url}/sitemap.xml`), options).catch(String)
  expect(String(error).replaceAll(site.url, '')).toBe(`OgError: ${message}`)
  expect(String(error)).not.toMatch(/\n/)
  return site
}

export const redirect = (to: string) => () =>
  new Response(null, { status: 302, headers: { location: to } })
export const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('no', { status: code, headers })
export const body = (bytes: Uint8Array | string, headers: Record<string, string>) => () =>
  new Response(bytes as never, { headers })

/**
 * Returns the requests for pages of one letter, without robots.txt, Markdown versions and sitemaps.
 */
export const pagesOf = (site: { requests: string[] }) =>
  site.requests.filter((request) => /\/[a-z]$/.test(request))
