import { expect, test } from 'bun:test'
import { clientAddress } from '../../../src/mcp/http/http.ts'
import { parseRanges } from '../../../src/platform/web/address-rule.ts'

function check(forwarded: string | null, peer: string, expected: string): void {
  const headers: Record<string, string> = forwarded === null ? {} : { 'X-Forwarded-For': forwarded }
  const request = new Request('http://127.0.0.1/mcp', { headers })
  const isProxy = parseRanges(['127.0.0.1', '10.0.0.0/8'])
  expect(clientAddress(request, peer, isProxy)).toBe(expected)
}

test('trusts X-Forwarded-For only from a configured proxy', () => {
  check(null, '192.0.2.1', '192.0.2.1')
  check('203.0.113.5', '192.0.2.1', '192.0.2.1')
  check(null, '127.0.0.1', '127.0.0.1')
  check('203.0.113.5', '127.0.0.1', '203.0.113.5')
  check('forged, 203.0.113.5 , 10.1.1.1', '127.0.0.1', '203.0.113.5')
  check('10.2.2.2, 10.1.1.1', '127.0.0.1', '10.2.2.2')
})
