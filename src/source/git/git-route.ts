import { isIP } from 'node:net'
import {
  openAddressRule,
  type AddressRule,
  type HostLookup,
} from '../../platform/web/address-rule.ts'
import { OgError } from '../../platform/error.ts'
import { NetworkError } from '../../platform/web/http.ts'
import { isProxied } from '../../platform/web/web.ts'
import { allowHint, isAllowed, type Endpoint, type Reach } from '../../platform/reach.ts'
import { isOnDisk, remoteEndpoint, withoutCredentials } from './repository-url.ts'

/** How git connects: its URL, and the settings that prevent other connections. */
export type GitRoute = {
  url: string
  /** `name=value` pairs, passed with `-c`. */
  settings: string[]
  /** The value of GIT_ALLOW_PROTOCOL. */
  protocols: string
}

export type RouteOptions = { reach?: Reach | null; lookup?: HostLookup }

/** Finds the route to a repository. og follows redirects itself to check their hosts. */
type GitGuide = {
  first(): Promise<GitRoute>
  /** @param location the Location header of the response to git's first request to `from` */
  followRedirect(from: GitRoute, location: string): Promise<GitRoute>
}

/** Runs a git command that needs no network. Returns null if the command fails. */
type Ask = (args: string[]) => Promise<string | null>

/**
 * Opens the guide for a repository URL. A person's URL goes to git unchanged, in any network. An
 * agent's URL is checked after the user's own rewriting (`url.*.insteadOf`). git is pinned to the
 * checked IP addresses because a name can resolve to other addresses a moment later. Redirects may
 * lead only to public hosts and to the entered host. git before 2.37 cannot be pinned and resolves
 * the name itself.
 * @throws OgError if the URL is refused
 */
export function openGitGuide(url: string, options: RouteOptions, ask: Ask): GitGuide {
  const { reach = null, lookup } = options
  const guide: GuideState = { url, reach, ask, rule: openAddressRule({ reach, lookup }) }
  return {
    first: async () => (reach === null ? openRoute(url) : agentRoute(guide, reach)),
    async followRedirect(from, location) {
      const [target, at] = [await rewriteUrl(guide, url), await rewriteUrl(guide, from.url)]
      const next = afterRedirect(at, location)
      const why = (error: unknown) => {
        throw redirectRefusal(url, next, error)
      }
      await unlessProxied(guide, target, () => guide.rule.allow(new URL(target)))
      if (reach === null) return pinnedRoute(guide, next, anyProtocol).catch(why)
      return agentRoute({ ...guide, url: next }, reach).catch(why)
    },
  }
}

type GuideState = { url: string; reach: Reach | null; ask: Ask; rule: AddressRule }

const anyProtocol = 'file:git:http:https:ssh'
const noRedirects = 'http.followRedirects=false'

function openRoute(url: string): GitRoute {
  return { url, settings: [noRedirects], protocols: anyProtocol }
}

async function agentRoute(guide: GuideState, reach: Reach): Promise<GitRoute> {
  let { url } = guide
  for (let nRewritten = 0; nRewritten < 4; nRewritten++) {
    if (isOnDisk(url)) return { url, settings: [noRedirects], protocols: 'file' }
    const place = remoteEndpoint(url)
    if (place === null) throw refusal(url, 'it names no host')
    if (!isWeb(place)) return allowedRoute(url, place, reach)
    const plain = canonical(url)
    const rewritten = await rewriteUrl(guide, plain)
    if (rewritten === plain) return pinnedRoute(guide, plain, 'http:https')
    url = rewritten
  }
  throw refusal(guide.url, 'the git configuration rewrites it again and again')
}

/** Returns the URL after applying the user's `url.*.insteadOf` rules. */
async function rewriteUrl({ ask }: GuideState, url: string): Promise<string> {
  return (await ask(['ls-remote', '--get-url', url]))?.trimEnd() || url
}

/**
 * Returns the route over ssh or git://. These protocols resolve names themselves and cannot be
 * pinned, so an agent needs permission for the host.
 */
function allowedRoute(url: string, place: Endpoint, reach: Reach): GitRoute {
  if (!isAllowed(reach, place)) {
    const reason = 'an agent may name it by https only'
    throw new OgError(`Cannot read ${withoutCredentials(url)}: ${reason}`, {
      reason,
      hint: allowHint(place.hostname),
    })
  }
  return { url, settings: [noRedirects], protocols: place.protocol === 'git:' ? 'git' : 'ssh' }
}

async function pinnedRoute(guide: GuideState, url: string, protocols: string): Promise<GitRoute> {
  const { hostname, port, protocol } = new URL(url)
  const ask = () => guide.rule.addresses(new URL(url))
  const addresses = (await unlessProxied(guide, url, ask)) ?? []
  const settings = [noRedirects]
  if (addresses.length > 0 && isIP(hostname.replace(/^\[|\]$/g, '')) === 0) {
    const spelt = addresses.map((address) => (address.includes(':') ? `[${address}]` : address))
    const at = port || (protocol === 'https:' ? '443' : '80')
    settings.push(`http.curloptResolve=${hostname}:${at}:${spelt.join(',')}`)
  }
  return { url, settings, protocols }
}

/**
 * Returns the result of a DNS check. Returns null if the check fails but git uses a proxy, which
 * resolves names itself.
 */
async function unlessProxied<T>(
  { ask }: GuideState,
  url: string,
  look: () => Promise<T>,
): Promise<T | null> {
  return look().catch(async (error: unknown) => {
    if (!(error instanceof NetworkError)) throw error
    // curl ignores HTTP_PROXY in capitals.
    const env = { ...process.env, HTTP_PROXY: undefined }
    if (isProxied(new URL(url), env)) return null
    const own = await ask(['config', '--get-urlmatch', 'http.proxy', url])
    if (own?.trim()) return null
    throw error
  })
}

const firstRequest = '/info/refs?service=git-upload-pack'

/** Returns the repository URL after a redirect, which must keep the path and query. */
function afterRedirect(url: string, location: string): string {
  const refuse = (to: string) =>
    refusal(url, `it redirects to ${withoutCredentials(to)}, no repository`)
  const request = url.replace(/\/+$/, '') + firstRequest
  if (!URL.canParse(location, request) || !URL.canParse(url)) throw refuse(location)
  const next = new URL(location, request)
  if (!isWeb(next) || !next.href.endsWith(firstRequest)) throw refuse(next.href)
  const from = new URL(url)
  const isSafe = next.protocol === 'https:' || next.protocol === from.protocol
  if (next.hostname === from.hostname && isSafe) {
    next.username = from.username
    next.password = from.password
  }
  return next.href.slice(0, -firstRequest.length)
}

function redirectRefusal(url: string, next: string, error: unknown): unknown {
  if (!(error instanceof OgError)) return error
  const reason = `it redirects to ${withoutCredentials(next)}, and ${error.reason}`
  const message = `Cannot read ${withoutCredentials(url)}: ${reason}`
  return new OgError(message, { reason, hint: error.hint, cause: error })
}

function isWeb({ protocol }: { protocol: string }): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

/** Returns the URL as curl spells it. A URL that curl reads differently could bypass the check. */
function canonical(url: string): string {
  const address = new URL(url)
  address.hostname = address.hostname.replace(/\.$/, '')
  address.hash = ''
  return address.href
}

function refusal(url: string, why: string): OgError {
  return new OgError(`Cannot read ${withoutCredentials(url)}: ${why}`, { reason: why })
}
