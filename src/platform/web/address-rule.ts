import { lookup as systemLookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { messageOf, OgError } from '../error.ts'
import { NetworkError } from './http.ts'
import { allowHint, isAllowed, type Reach } from '../reach.ts'

/** What kind of network an address is in; `reserved` is whatever no web server can have. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved'

/** The addresses of a host name. */
export type Lookup = (hostname: string) => Promise<string[]>

/**
 * Which hosts may be asked. What a web page or a sitemap names is written by a stranger, who must
 * not reach into the network of the user (W-63): only the kinds of address that the user named
 * are asked, and public ones.
 */
export type AddressRule = {
  /**
   * The kinds of the host's addresses are allowed from now on: a person has named it. Under a
   * `Reach` this changes nothing: there an agent has.
   */
  allow(url: URL): Promise<void>
  /**
   * The addresses that may be connected to, IPv4 first; none where a proxy looks the name up.
   * @throws OgError for a host that has an address of a kind that is not allowed.
   */
  addresses(url: URL): Promise<string[]>
}

type RuleOptions = {
  lookup?: Lookup
  /** Whether a proxy asks for us: then a name unknown here is no fault. */
  isProxied?: (url: URL) => boolean
  /** Of an agent; null: a person asks. */
  reach?: Reach | null
}

export function openAddressRule(options: RuleOptions = {}): AddressRule {
  const { lookup = lookupAll, isProxied = () => false, reach = null } = options
  const allowed = new Set<AddressKind>(['public'])
  const lookups = new Map<string, { addresses: Promise<string[]>; until: number }>()

  /** Looked up once in a while: what was checked is what is connected to. */
  function look(hostname: string): Promise<string[]> {
    const last = lookups.get(hostname)
    if (last && last.until > Date.now()) return last.addresses
    const addresses = lookup(hostname).catch((cause) => { throw notFound(hostname, cause) })
    lookups.set(hostname, { addresses, until: Date.now() + rememberedMs })
    addresses.catch(() => lookups.delete(hostname))
    return addresses
  }

  async function resolved(url: URL): Promise<string[]> {
    const literal = literalAddresses(url.hostname)
    if (literal !== null) return literal
    if (isProxied(url)) return look(url.hostname).catch(() => [])
    return look(url.hostname)
  }

  return {
    async allow(url) {
      if (reach !== null) return
      for (const address of await resolved(url)) allowed.add(addressKind(address))
    },
    async addresses(url) {
      const isFree = reach !== null && isAllowed(reach, url)
      if (reach !== null && !isFree && isPrivateName(url.hostname)) {
        throw refusal(url, { what: 'the host is a name of a private network', reach })
      }
      const addresses = await resolved(url)
      for (const address of addresses) {
        const kind = addressKind(address)
        if (isFree || allowed.has(kind)) continue
        const place = url.hostname.includes(address) ? '' : ` (${address})`
        throw refusal(url, { what: `the address${place} is ${named[kind]}`, reach })
      }
      return isProxied(url) ? [] : addresses
    },
  }
}

export function addressKind(address: string): AddressKind {
  const parsed = ipaddr.process(address)
  // An IPv4 address that a gateway translates, or carries: what counts is where it leads.
  const inner = parsed.kind() === 'ipv6' ? innerAddress(parsed as ipaddr.IPv6) : null
  if (inner !== null) return addressKind(inner)
  const kind = kinds[parsed.range()] ?? 'reserved'
  return kind === 'public' && !isHandedOut(parsed) ? 'reserved' : kind
}

/**
 * A single word is a name of this network, or of the user's ssh configuration; behind the others
 * there is no public host either, whatever they resolve to, here or at a proxy.
 */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '').toLowerCase()
  return !ipaddr.isValid(name) && (!name.includes('.') || privateNames.test(name))
}

/** Whether a host, by its name alone, is this machine and nothing else. */
export function isLoopbackHost(hostname: string): boolean {
  const literal = literalAddresses(hostname) ?? []
  return literal.length > 0 && literal.every((address) => addressKind(address) === 'loopback')
}

const privateNames = /\.(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)$/

const rememberedMs = 60_000

const kinds: Record<string, AddressKind> = {
  unicast: 'public', loopback: 'loopback', linkLocal: 'link-local',
  private: 'private', uniqueLocal: 'private', carrierGradeNat: 'private',
}

/** Of IPv6 only 2000::/3 is public; `::7f00:1`, an old form of 127.0.0.1, is outside of it. */
function isHandedOut(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv4' || (address.toByteArray()[0]! & 0xe0) === 0x20
}

/** 64:ff9b::/96 (RFC 6052) ends with the address, 2002::/16 (6to4) begins with it. */
function innerAddress(address: ipaddr.IPv6): string | null {
  const bytes = address.toByteArray()
  if (address.range() === 'rfc6052') return bytes.slice(12).join('.')
  return address.range() === '6to4' ? bytes.slice(2, 6).join('.') : null
}

/** URL has spelt `0x7f.1` and `2130706433` out by now; null: a name. */
function literalAddresses(hostname: string): string[] | null {
  const plain = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(plain)) return [plain]
  return /(^|\.)localhost\.?$/i.test(plain) ? ['127.0.0.1', '::1'] : null
}

async function lookupAll(hostname: string): Promise<string[]> {
  const addresses = await systemLookup(hostname, { all: true })
  const sorted = addresses.toSorted((a, b) => a.family - b.family)
  return sorted.map(({ address }) => address)
}

function notFound(hostname: string, cause: unknown): NetworkError {
  const { code } = (cause ?? {}) as { code?: string }
  const reason = /ENOTFOUND|ENODATA/.test(code ?? '') ? 'host name not found' : messageOf(cause)
  return new NetworkError(`Cannot reach ${hostname}: ${reason}`, {
    isTransient: false, reason, cause,
  })
}

const named: Record<AddressKind, string> = {
  public: 'public', loopback: 'of this machine', private: 'of a private network',
  'link-local': 'link-local', reserved: 'of no web server',
}

function refusal(url: URL, { what, reach }: { what: string; reach: Reach | null }): OgError {
  return new OgError(`Cannot fetch "${url.origin}${url.pathname}": ${what}`, {
    reason: what,
    hint: reach === null
      ? 'such addresses are asked only where the source itself is there'
      : allowHint(url.hostname),
  })
}
