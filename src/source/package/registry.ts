import { version } from '../../../package.json'
import { messageOf, OgError } from '../../platform/error.ts'
import { parseJson } from '../../platform/json.ts'
import { allowedHost, type Reach } from '../../platform/reach.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { openWeb } from '../../platform/web/web.ts'
import { isObject } from '../../store/shape.ts'
import { basicAuthorization, withoutUser, type CrawlOptions } from '../web/crawler.ts'

/** The places where settings of package managers are looked for. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** The folder of the project; its files are a stranger's. */
  cwd: string
}

/** Where a registry is, as its client's own settings say. */
export type RegistryPlace = {
  /** It ends with a slash, and may hold a name and password. */
  url: string
  /** A header, for its origin only; null: none. */
  authorization: string | null
  /** A file of the project named it: then it may lie on a public host only. */
  isStranger: boolean
}

export type Registry = {
  /** What may be connected to for its packages: public hosts, and its own where a user named it. */
  reach: Reach
  /** Whether it needs credentials: then no archive of it can be read as a source. */
  isClosed: boolean
  /** The text at a path; null: not found. @throws OgError where it cannot be read */
  text(path: string, accept: string): Promise<string | null>
  json(path: string, accept?: string): Promise<Record<string, unknown> | null>
  /** The absolute address of a path in the registry. */
  address(path: string): string
  /**
   * The absolute address of a file that the registry hands out, on any host: trusted like its own.
   */
  file(path: string): string
}

export type RegistryOptions = Pick<CrawlOptions, 'signal' | 'lookup' | 'sleep' | 'backoffMs'>

const sizeLimitBytes = 128 * 2 ** 20
const timeoutMs = 120_000

export function openRegistry(place: RegistryPlace, options: RegistryOptions): Registry {
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
      return parsed(text, registry.address(path))
    },
  }
  return registry
}

function parsed(text: string, url: string): Record<string, unknown> {
  const broken = (why: string, cause?: unknown) =>
    new OgError(`Cannot read "${printableUrl(url)}": ${why}`, { cause })
  let content: unknown
  try {
    content = parseJson(text)
  } catch (cause) {
    throw broken(`it is not valid JSON (${messageOf(cause)})`, cause)
  }
  if (isObject(content)) return content
  throw broken('it holds no JSON object')
}

function refusal(url: string, status: number): OgError {
  const isUnknown = status === 401 || status === 403
  return new OgError(`Cannot read "${printableUrl(url)}": server answered ${status}`, {
    hint: isUnknown
      ? 'the registry wants to know who asks; og reads the token that the settings ' +
        'of npm hold, and a name and password in the address of the others'
      : undefined,
  })
}
