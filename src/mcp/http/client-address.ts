import type { AddressRange } from '../../platform/web/address-range.ts'

/**
 * Whose request it is: the other end of the connection or, where that is a proxy of ours, whom it
 * names in X-Forwarded-For. Each proxy adds at the end, so what clients forged stands before it.
 */
export function clientAddress(request: Request, peer: string, isProxy: AddressRange): string {
  const header = request.headers.get('x-forwarded-for') ?? ''
  const named = header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const [farthest = peer] = named
  if (!isProxy(peer)) return peer
  return named.reverse().find((name) => !isProxy(name)) ?? farthest
}
