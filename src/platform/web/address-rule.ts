import { lookup as systemLookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { messageOf, OgError } from '../error.ts'
import { NetworkError } from './http.ts'
import { allowHint, isAllowed, type Reach } from '../reach.ts'

/** The kind of network that an address belongs to. No web server has a `reserved` address. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved'

export type HostLookup = (hostname: string) => Promise<string[]>

/**
 * Decides which hosts og may contact. URLs in a web page or sitemap are untrusted and must not
 * reach into the user's network. og therefore contacts only public addresses and addresses of the
 * kinds that the user chose.
 */
export type AddressRule = {
  /**
   * Allows all kinds of addresses that this host has, because a person chose the host. Does nothing
   * with a `Reach`, because then an agent chose it.
   */
  allow(url: URL): Promise<void>
  /**
   * Returns the addresses to connect to, IPv4 first. Returns none if a proxy looks up the name.
   * @throws OgError if the host has an address of a kind that is not allowed
   */
  addresses(url: URL): Promise<string[]>
}

type RuleOptions = {
  lookup?: HostLookup
  /** Returns true if a proxy connects to the host. Only the proxy must know its name then. */
  isProxied?: (url: URL) => boolean
  /** The limits of an agent; null if a person chose the source. */
  reach?: Reach | null
}

export function openAddressRule(options: RuleOptions = {}): AddressRule {
  const { lookup = lookupAll, isProxied = () => false, reach = null } = options
  const allowedKinds = new Set<AddressKind>(['public'])
  const lookups = new Map<string, { addresses: Promise<string[]>; until: number }>()

  /** Looks up a name and caches the result, so that og connects to the address that was checked. */
  function look(hostname: string): Promise<string[]> {
    const last = lookups.get(hostname)
    if (last && last.until > Date.now()) return last.addresses
    const addresses = lookup(hostname).catch((cause) => {
      throw notFound(hostname, cause)
    })
    lookups.set(hostname, { addresses, until: Date.now() + rememberedMs })
    addresses.catch(() => lookups.delete(hostname))
    return addresses
  }

  async function resolve(url: URL): Promise<string[]> {
    const literal = literalAddresses(url.hostname)
    if (literal !== null) return literal
    if (isProxied(url)) return look(url.hostname).catch(() => [])
    return look(url.hostname)
  }

  return {
    async allow(url) {
      if (reach !== null) return
      for (const address of await resolve(url)) allowedKinds.add(addressKind(address))
    },
    async addresses(url) {
      const isFree = reach !== null && isAllowed(reach, url)
      if (reach !== null && !isFree && isPrivateName(url.hostname)) {
        throw refusal(url, { what: 'the host is in a private network', reach })
      }
      const addresses = await resolve(url)
      for (const address of addresses) {
        const kind = addressKind(address)
        if (isFree || allowedKinds.has(kind)) continue
        const place = url.hostname.includes(address) ? '' : ` (${address})`
        throw refusal(url, { what: `the address${place} is ${kindNames[kind]}`, reach })
      }
      return isProxied(url) ? [] : addresses
    },
  }
}

export function addressKind(address: string): AddressKind {
  const parsed = ipaddr.process(address)
  // An IPv6 address that contains an IPv4 address (NAT64, 6to4) has the kind of that address.
  const inner = parsed.kind() === 'ipv6' ? innerAddress(parsed as ipaddr.IPv6) : null
  if (inner !== null) return addressKind(inner)
  const kind = kinds[parsed.range()] ?? 'reserved'
  return kind === 'public' && !isHandedOut(parsed) ? 'reserved' : kind
}

/**
 * True if a host name belongs to a private network, whatever it resolves to here or at a proxy.
 * Such a name is in a private domain or is a single word: a local name or a name from the user's
 * ssh configuration.
 */
export function isPrivateName(hostname: string): boolean {
  const name = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return !ipaddr.isValid(name) && (!name.includes('.') || privateNames.test(name))
}

export function isLoopbackHost(hostname: string): boolean {
  const literal = literalAddresses(hostname) ?? []
  return literal.length > 0 && literal.every((address) => addressKind(address) === 'loopback')
}

const privateNames = /\.(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)$/

const rememberedMs = 60_000

const kinds: Record<string, AddressKind> = {
  unicast: 'public',
  loopback: 'loopback',
  linkLocal: 'link-local',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
}

/** True if an address is in a publicly allocated range. For IPv6, this is only 2000::/3. */
function isHandedOut(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv4' || (address.toByteArray()[0]! & 0xe0) === 0x20
}

/** The IPv4 address in a NAT64 (64:ff9b::/96, RFC 6052) or 6to4 (2002::/16) address, or null. */
function innerAddress(address: ipaddr.IPv6): string | null {
  const bytes = address.toByteArray()
  if (address.range() === 'rfc6052') return bytes.slice(12).join('.')
  return address.range() === '6to4' ? bytes.slice(2, 6).join('.') : null
}

/** Returns the addresses of an IP address or `localhost`, or null for other names. */
function literalAddresses(hostname: string): string[] | null {
  const plain = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(plain)) return [plain]
  return /(^|\.)localhost\.?$/i.test(plain) ? ['127.0.0.1', '::1'] : null
}

export async function lookupAll(hostname: string): Promise<string[]> {
  const addresses = await systemLookup(hostname, { all: true })
  const sorted = addresses.toSorted((a, b) => a.family - b.family)
  return sorted.map(({ address }) => address)
}

function notFound(hostname: string, cause: unknown): NetworkError {
  const { code } = (cause ?? {}) as { code?: string }
  const reason = /ENOTFOUND|ENODATA/.test(code ?? '') ? 'host name not found' : messageOf(cause)
  return new NetworkError(`Cannot reach ${hostname}: ${reason}`, {
    isTransient: false,
    code: 'unreachable',
    reason,
    cause,
  })
}

const kindNames: Record<AddressKind, string> = {
  public: 'public',
  loopback: 'of this machine',
  private: 'of a private network',
  'link-local': 'link-local',
  reserved: 'of no web server',
}

function refusal(url: URL, { what, reach }: { what: string; reach: Reach | null }): OgError {
  return new OgError(`Cannot fetch "${url.origin}${url.pathname}": ${what}`, {
    reason: what,
    hint:
      reach === null
        ? 'og fetches such addresses only if the source itself has one'
        : allowHint(url.hostname),
  })
}

export type AddressRange = (address: string) => boolean

/**
 * Parses addresses (`10.0.0.7`), networks (`10.0.0.0/8`) and `*`, which means any address. An IPv4
 * address also matches its IPv6 form.
 * @throws OgError if the text has a different form
 */
export function parseRanges(texts: readonly string[]): AddressRange {
  const ranges = texts.map(parseRange)
  return (address) => ranges.some((contains) => contains(address))
}

function parseRange(text: string): AddressRange {
  if (text === '*') return () => true
  const [network, bits] = parseNetwork(text)
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return parsed.kind() === network.kind() && parsed.match(network, bits)
  }
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  throw new OgError(`Cannot use "${text}" as an address: it is neither an address nor a network`, {
    hint: 'write 10.0.0.7, 10.0.0.0/8 or *',
  })
}
