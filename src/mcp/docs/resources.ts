import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CompleteRequest,
  type ListResourcesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import type { LibraryVersion } from '../../library/library.ts'
import { matchVersion } from '../../version/version.ts'
import type { OgView } from '../../open.ts'
import { unescape } from 'node:querystring'
import { pageUri, type PagePlace } from '../../operation/hit.ts'

const listPageSize = 200

/** A URI template that matches every page. */
export const pageTemplate = {
  name: 'page',
  title: 'Documentation page',
  uriTemplate: 'og://{library}/{version}/{+path}',
  description: 'The exact text of a page of an indexed library version',
}

/** Lists the pages of all library versions, `listPageSize` at a time. */
export async function listPageResources(
  og: OgView,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const libraries = await og.list()
  let { at, offset } = parseCursor(libraries, cursor)
  const resources: ListResourcesResult['resources'] = []
  while (at < libraries.length) {
    const { library, version } = libraries[at]!
    const heads = [...(await og.pages({ library, version })).values()]
    const part = heads.slice(offset, offset + listPageSize - resources.length)
    const description = `${library} ${version}`
    for (const head of part) {
      resources.push({ ...pageLink({ library, version, ...head }), description })
    }
    offset += part.length
    if (offset < heads.length) break
    at++
    offset = 0
  }
  const next = libraries[at]
  return next === undefined ? { resources } : { resources, nextCursor: cursorOf(next, offset) }
}

/** @throws ResourceNotFoundError if the page is not indexed */
export async function readPageResource(og: OgView, uri: string): Promise<ReadResourceResult> {
  const place = parseUri(uri)
  if (place === null) throw new ResourceNotFoundError(uri)
  const { library, path } = place
  const version = findLabel(await og.list(), place)
  if (version === null) throw new ResourceNotFoundError(uri)
  const heads = await og.pages({ library, version })
  const head = heads.get(path) ?? [...heads.values()].find((it) => it.path === path)
  const page = head && (await og.page({ url: head.url, library, version }))
  if (!head || !page) throw new ResourceNotFoundError(uri)
  const { mimeType } = pageLink({ library, version, ...head })
  return { contents: [{ uri, mimeType, text: page.text }] }
}

/** Returns up to 100 completions for an argument of the template or of a prompt. */
export async function completeArgument(
  og: OgView,
  { argument, context }: CompleteRequest['params'],
) {
  const prefix = argument.value.toLowerCase()
  const candidates = await candidatesFor(og, argument.name, context?.arguments ?? {})
  const starting = candidates.filter((it) => it.toLowerCase().startsWith(prefix))
  const containing = candidates.filter((it) => it.toLowerCase().includes(prefix, 1))
  const values = [...new Set([...starting, ...containing])]
  const completion = { values: values.slice(0, 100), total: values.length }
  return { completion: { ...completion, hasMore: values.length > 100 } }
}

async function candidatesFor(
  og: OgView,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<string[]> {
  const libraries = await og.list()
  if (name === 'library') return [...new Set(libraries.map(({ library }) => library))]
  const { library } = args
  if (library === undefined) return []
  if (name === 'version') return versionsOf(libraries, library).map(({ version }) => version)
  const version = args.version && findLabel(libraries, { library, version: args.version })
  if (name !== 'path' || !version) return []
  return [...(await og.pages({ library, version })).values()].map(({ path }) => path)
}

function versionsOf(libraries: readonly LibraryVersion[], library: string): LibraryVersion[] {
  return libraries.filter((it) => it.library.toLowerCase() === library.toLowerCase())
}

/** Returns a version's stored label, or null if the library or version is not indexed. */
function findLabel(
  libraries: readonly LibraryVersion[],
  query: { library: string; version: string },
): string | null {
  const labels = versionsOf(libraries, query.library).map(({ version }) => version)
  return matchVersion(query.version, labels)
}

/**
 * A cursor contains the library at which the list continues, so that it stays valid if libraries
 * are added or removed between two calls.
 */
function cursorOf({ library, version }: LibraryVersion, offset: number): string {
  return [library, version, String(offset)].map(encodeURIComponent).join('/')
}

function parseCursor(
  libraries: readonly LibraryVersion[],
  cursor: string | undefined,
): { at: number; offset: number } {
  if (cursor === undefined) return { at: 0, offset: 0 }
  const at = libraries.findIndex((it) => cursor.startsWith(cursorOf(it, 0).slice(0, -1)))
  const offset = Number(/\/(\d{1,9})$/.exec(cursor)?.[1] ?? NaN)
  if (at >= 0 && Number.isInteger(offset)) return { at, offset }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: list again without one')
}

/**
 * Calls `onChange` when a process adds, replaces or removes a library. Polls the registry every
 * `everyMs` milliseconds, because some file systems do not report changes.
 */
export function watchRegistry(og: OgView, onChange: () => void, everyMs = 2_000): Disposable {
  let last: string | null = null
  let isReading = false
  const look = async () => {
    if (isReading) return
    isReading = true
    // If the registry is unreadable, the next call that needs it reports the error.
    const now = await og.list().then(JSON.stringify, () => last)
    isReading = false
    if (last !== null && now !== last) onChange()
    last = now
  }
  void look()
  const timer = setInterval(look, everyMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

type PageLink = { uri: string; name: string; title: string; mimeType: string }

/** Parses a URI from `pageUri`. Returns null for any other URI. */
export function parseUri(uri: string): PagePlace | null {
  const parts = /^og:\/\/([^/]+)\/([^/]+)\/(.+)$/s.exec(uri)
  if (parts === null) return null
  // Unlike decodeURIComponent, this function accepts a malformed escape.
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
