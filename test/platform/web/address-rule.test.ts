import { describe, expect, test } from 'bun:test'
import {
  addressKind,
  isLoopbackHost,
  openAddressRule,
  type AddressKind,
} from '../../../src/platform/web/address-rule.ts'

describe('classifies addresses', () => {
  const check = (address: string, kind: AddressKind) =>
    test(address, () => expect(addressKind(address)).toBe(kind))

  check('8.8.8.8', 'public')
  check('2606:4700::1', 'public')
  check('127.0.0.1', 'loopback')
  check('127.9.9.9', 'loopback')
  check('::1', 'loopback')
  check('::ffff:127.0.0.1', 'loopback')
  check('10.0.0.1', 'private')
  check('172.31.255.255', 'private')
  check('192.168.1.1', 'private')
  check('100.64.0.1', 'private')
  check('fd00::1', 'private')
  check('::ffff:192.168.0.1', 'private')
  check('169.254.169.254', 'link-local')
  check('fe80::1', 'link-local')
  check('64:ff9b::a9fe:a9fe', 'link-local')
  check('64:ff9b::808:808', 'public')
  check('64:ff9b:1::a00:1', 'private')
  check('::7f00:1', 'reserved')
  check('::5efe:a00:1', 'reserved')
  check('fec0::1', 'reserved')
  check('4000::1', 'reserved')
  check('2002:a00:1::', 'private')
  check('0.0.0.0', 'reserved')
  check('::', 'reserved')
  check('255.255.255.255', 'reserved')
  check('224.0.0.1', 'reserved')
  check('198.18.0.1', 'reserved')
})

const names: Record<string, string[]> = {
  'docs.test': ['93.184.216.34'],
  'inner.test': ['10.0.0.5'],
  'mixed.test': ['8.8.8.8', '10.0.0.5'],
}
const lookup = async (name: string) => names[name] ?? Promise.reject({ code: 'ENOTFOUND' })

/** Returns the rule's decision about a URL after a person chose `named`. */
async function check(typed: string, expected: string[] | string, named?: string) {
  const rule = openAddressRule({ lookup })
  if (named) await rule.allow(new URL(named))
  const found = await rule.addresses(new URL(typed)).catch((error: Error) => error.message)
  expect(found).toEqual(expected)
}

const refused = (url: string, why: string) => `Cannot fetch "${url}": the address ${why}`

test('W-63: allows only public addresses unless a person chose the source', async () => {
  await check('https://docs.test/a', ['93.184.216.34'])
  await check(
    'https://inner.test/a',
    refused('https://inner.test/a', '(10.0.0.5) is of a private network'),
  )
  await check(
    'https://mixed.test/',
    refused('https://mixed.test/', '(10.0.0.5) is of a private network'),
  )
  await check('http://169.254.169.254/x', refused('http://169.254.169.254/x', 'is link-local'))
  await check('http://0/', refused('http://0.0.0.0/', 'is of no web server'))
  await check(
    'http://localhost:1/',
    refused('http://localhost:1/', '(127.0.0.1) is of this machine'),
  )
  await check(
    'http://x.LOCALHOST/',
    refused('http://x.localhost/', '(127.0.0.1) is of this machine'),
  )
})

test('recognises other spellings of an address', async () => {
  for (const host of ['0x7f.1', '2130706433', '0177.0.0.1', '[::ffff:7f00:1]', '127.1']) {
    await expect(openAddressRule().addresses(new URL(`http://${host}/`))).rejects.toThrow(
      'is of this machine',
    )
  }
})

test('allows the kind of address that a person chose', async () => {
  await check('http://inner.test/', ['10.0.0.5'], 'http://inner.test/')
  await check('http://192.168.0.9/', ['192.168.0.9'], 'http://inner.test/')
  await check(
    'http://127.0.0.1/',
    refused('http://127.0.0.1/', 'is of this machine'),
    'http://inner.test/',
  )
  await check(
    'http://169.254.1.1/',
    refused('http://169.254.1.1/', 'is link-local'),
    'http://inner.test/',
  )
})

test('W-63: a reach allows no other kinds of addresses and rejects names of private networks', async () => {
  const rule = openAddressRule({ lookup, reach: { hosts: ['inner.test'], folder: null } })
  const said = (url: string) => rule.addresses(new URL(url)).catch((error: Error) => error.message)
  await rule.allow(new URL('http://127.0.0.1/'))
  expect(await said('http://inner.test/')).toEqual(['10.0.0.5'])
  expect(await said('http://10.0.0.5/')).toBe(
    refused('http://10.0.0.5/', 'is of a private network'),
  )
  expect(await said('http://127.0.0.1/')).toContain('of this machine')
  expect(await said('http://docs.test/')).toEqual(['93.184.216.34'])
  const proxied = openAddressRule({ isProxied: () => true, reach: { hosts: [], folder: null } })
  await expect(proxied.addresses(new URL('http://wiki.corp/'))).rejects.toThrow('private network')
})

test('reports an unknown name', () =>
  check('http://nope.test/', 'Cannot reach nope.test: host name not found'))

test('leaves name lookups to a proxy, but rejects known private addresses', async () => {
  const rule = openAddressRule({ lookup, isProxied: () => true })
  expect(await rule.addresses(new URL('http://nope.test/'))).toEqual([])
  expect(await rule.addresses(new URL('http://docs.test/'))).toEqual([])
  await expect(rule.addresses(new URL('http://inner.test/'))).rejects.toThrow('private network')
  await expect(rule.addresses(new URL('http://10.0.0.1/'))).rejects.toThrow('private network')
})

test('recognises local host names', () => {
  const own = ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '::ffff:127.0.0.1']
  expect(own.filter(isLoopbackHost)).toEqual(own)
  const others = ['0.0.0.0', '::', '10.0.0.1', 'localhost.example.org', '127.0.0.1.example.org', '']
  expect(others.filter(isLoopbackHost)).toEqual([])
})
