import ipaddr from 'ipaddr.js'
import { OgError } from '../error.ts'

export type AddressRange = (address: string) => boolean

/**
 * Parses addresses (`10.0.0.7`), networks (`10.0.0.0/8`) and `*`, which means any address. An IPv4
 * address also matches in its IPv6 form.
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
