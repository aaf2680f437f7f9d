import type { AddressRange } from '../../platform/web/address-range.ts'

/**
 * The client's IP address: the peer of the connection or, if the peer is a trusted proxy, the
 * address from X-Forwarded-For. Each proxy appends to that header, so entries forged by a client
 * come first; the last entry that is not a trusted proxy counts.
 */
export function clientAddress(request: Request, peer: string, isProxy: AddressRange): string {
  const header = request.headers.get('x-forwarded-for') ?? ''
  const forwarded = header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const [farthest = peer] = forwarded
  if (!isProxy(peer)) return peer
  return forwarded.reverse().find((name) => !isProxy(name)) ?? farthest
}
