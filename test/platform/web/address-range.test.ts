import { expect, test } from 'bun:test'
import { parseRanges } from '../../../src/platform/web/address-rule.ts'

function check(texts: string[], inside: string[], outside: string[]): void {
  const contains = parseRanges(texts)
  for (const address of inside) expect([address, contains(address)]).toEqual([address, true])
  for (const address of outside) expect([address, contains(address)]).toEqual([address, false])
}

test('matches addresses, networks and *, in IPv4 and IPv6', () => {
  check(
    ['10.0.0.7', '192.168.0.0/16'],
    ['10.0.0.7', '::ffff:10.0.0.7', '192.168.9.9'],
    ['10.0.0.8', '::1', 'localhost', ''],
  )
  check(['::1', 'fd00::/8'], ['::1', 'fd12::3'], ['127.0.0.1', 'fe80::1'])
  check(['*'], ['127.0.0.1', '2001:db8::1', ''], [])
  check([], [], ['127.0.0.1'])
})

test('rejects texts that are not address ranges', () => {
  for (const text of ['localhost', '10.0.0.0/33', '']) {
    expect(() => parseRanges([text])).toThrow(`Cannot use "${text}" as an address`)
  }
})
