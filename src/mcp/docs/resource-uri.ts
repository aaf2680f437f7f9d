import { unescape } from 'node:querystring'
import { pageUri, type PagePlace } from '../../operation/hit.ts'

type PageLink = { uri: string; name: string; title: string; mimeType: string }

export const uriTemplate = 'og://{library}/{version}/{+path}'

/** Parses a URI made by `pageUri`; returns null for any other URI. */
export function parseUri(uri: string): PagePlace | null {
  const parts = /^og:\/\/([^/]+)\/([^/]+)\/(.+)$/s.exec(uri)
  if (parts === null) return null
  // Unlike decodeURIComponent, this does not throw on a malformed escape.
  const [library, version, path] = parts.slice(1).map(unescape) as [string, string, string]
  return { library, version, path }
}

export function pageLink(page: PagePlace & { title: string; markup: string }): PageLink {
  return {
    uri: pageUri(page),
    name: page.path,
    title: page.title || page.path,
    mimeType: page.markup === 'markdown' ? 'text/markdown' : 'text/plain',
  }
}
