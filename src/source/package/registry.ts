import { version } from '../../../package.json'
import { OgError } from '../../platform/error.ts'
import { isRecord, parseJsonOr } from '../../platform/json.ts'
import { allowedHost, type Reach } from '../../platform/reach.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { openWeb } from '../../platform/web/web.ts'
import { basicAuthorization, withoutUser, type CrawlOptions } from '../web/crawler.ts'
import { newestFirst, parseRelease } from '../../version/release.ts'
import { matchRef } from '../../version/ref-match.ts'
import type { PackageName } from '../../version/package-name.ts'

export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>
  home: string
  cwd: string
}

/** A registry's location, from its package manager's settings. */
export type RegistryLocation = {
  url: string
  authorization: string | null
  /** True if the URL comes from a file of the project. Only a public host is then allowed. */
  isStranger: boolean
  /** The repository with the archives, if it has its own URL. */
  mirror?: string
}

/** Returns the registry that the user's settings or client name. */
export function locationOf(url: string): RegistryLocation {
  return { url: url.replace(/\/?$/, '/'), authorization: null, isStranger: false }
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export type Registry = {
  reach: Reach
  /** True if the registry requires credentials. Then its archives cannot be read as sources. */
  isClosed: boolean
  mirror: string | undefined
  /** Returns the text at a path, or null if it is missing. @throws OgError if it is unreadable */
  text(path: string, accept: string): Promise<string | null>
  json(path: string, accept?: string): Promise<Record<string, unknown> | null>
  address(path: string): string
  /** Returns the absolute URL of a file that the registry links to, which is equally trusted. */
  file(path: string): string
}

export type RegistryOptions = Pick<CrawlOptions, 'signal' | 'lookup' | 'sleep' | 'backoffMs'>

const sizeLimitBytes = 128 * 2 ** 20
const timeoutMs = 120_000

export function openRegistry(place: RegistryLocation, options: RegistryOptions): Registry {
  const { signal, lookup, sleep, backoffMs } = options
  const root = withoutUser(new URL(place.url))
  const authorization = place.authorization ?? basicAuthorization(new URL(place.url))
  const hosts = place.isStranger ? [] : [allowedHost(root.host)]
  const reach: Reach = { hosts, folder: null }
  const web = openWeb({ userAgent: `og/${version}`, reach, lookup, backoffMs })
  const headersFor =
    (accept: string) =>
    ({ origin }: URL) => {
      const headers: Record<string, string> = { accept }
      if (origin === root.origin && authorization !== null) headers.authorization = authorization
      return headers
    }
  const registry: Registry = {
    reach,
    isClosed: authorization !== null,
    mirror: place.mirror,
    address: (path) => new URL(path, root).href,
    file(path) {
      const url = new URL(path, root)
      if (!place.isStranger && /^https?:$/.test(url.protocol)) hosts.push(allowedHost(url.host))
      return url.href
    },
    async text(path, accept) {
      const url = registry.address(path)
      const request = { signal, sleep, attempts: 3, headers: headersFor(accept) }
      return web.fetch(url, request, async (answer) => {
        if (answer.status === 404 || answer.status === 410) return null
        if (answer.status !== 200) throw refusal(url, answer.status)
        const bytes = await answer.bytes({ sizeBytes: sizeLimitBytes, timeoutMs })
        return new TextDecoder().decode(bytes)
      })
    },
    async json(path, accept = 'application/json') {
      const text = await registry.text(path, accept)
      if (text === null) return null
      return parseObject(text, registry.address(path))
    },
  }
  return registry
}

function parseObject(text: string, url: string): Record<string, unknown> {
  const broken = (why: string, cause?: unknown) =>
    new OgError(`Cannot read "${printableUrl(url)}": ${why}`, { cause })
  const content = parseJsonOr(text, (why, cause) => broken(`it is not valid JSON (${why})`, cause))
  if (isRecord(content)) return content
  throw broken('it is not a JSON object')
}

function refusal(url: string, status: number): OgError {
  const isUnknown = status === 401 || status === 403
  return new OgError(`Cannot read "${printableUrl(url)}": server answered ${status}`, {
    hint: isUnknown
      ? 'the registry asks for credentials; og reads the token that the settings ' +
        'of npm hold, and a name and password in the address of the others'
      : undefined,
  })
}

/** The metadata of a package version. The URLs come from its publisher and are untrusted. */
export type PackageRelease = {
  version: string
  repository: string | null
  directory?: string | null
  /** Tags that the version may have in the repository, most likely first. */
  tags: string[]
  pages: DocumentationPage[]
  archive: string | null
  code?: string | null
  relatives?: string[]
}

type DocumentationPage = { url: string; isDocumentation: boolean }

/**
 * Returns the requested version, or the newest version that begins with the request or is in its
 * range. Without a request, returns the newest version. Chooses a pre-release only if nothing else
 * matches.
 * @throws OgError if no version matches
 */
export function chooseRegistryVersion(
  { registry, name, version }: PackageName,
  versions: readonly string[],
): string {
  const byAge = versions.toSorted((a, b) => newestFirst(parseRelease(a), parseRelease(b)))
  const refs = byAge.map((one) => ({ name: one, kind: 'tag' as const, commit: one }))
  const match = version === null ? byAge[0] : matchRef(refs, version, '')?.name
  if (match !== undefined) return match
  const what = version === null ? 'any version' : `version "${version}"`
  throw new OgError(`Cannot find ${what} of ${registry}:${name} in its registry`, {
    hint: byAge.length > 0 ? `the newest: ${byAge.slice(0, 5).join(', ')}` : undefined,
  })
}

export function documentationUrls(
  labelledUrls: readonly (readonly [string, unknown])[],
): DocumentationPage[] {
  const pages = labelledUrls.flatMap(([label, url]) => {
    const isAbout = /doc|manual|guide|home|web|site/i.test(label)
    const isText = isAbout && typeof url === 'string'
    const isWeb = isText && /^https?:\/\//i.test(url) && URL.canParse(url)
    return isWeb ? [{ url, isDocumentation: /doc|manual|guide/i.test(label) }] : []
  })
  const byUrl = new Map(pages.toReversed().map((page) => [page.url, page]))
  return [...byUrl.values()]
    .reverse()
    .sort((a, b) => Number(b.isDocumentation) - Number(a.isDocumentation))
}
