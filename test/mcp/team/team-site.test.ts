import { expect, test } from 'bun:test'
import {
  cacheByAccess,
  callerOf,
  teamSite,
  type KeyAccess,
} from '../../../src/cli/commands/server/team.ts'
import type { LiveKey } from '../../../src/mcp/team/key-ring.ts'
import type { Face } from '../../../src/mcp/server.ts'

const key = (name: string, more: Partial<LiveKey> = {}): LiveKey => ({
  name,
  sha256: '',
  libraries: ['kit'],
  may: ['search'],
  revoked: new AbortController().signal,
  ...more,
})

const named = (name: string) => ({ name }) as unknown as Face

function siteOf(token: string | null, keys: Record<string, LiveKey>) {
  const find = (secret: string) => keys[secret] ?? null
  const ring = { find, stamp: () => '', [Symbol.dispose]() {} }
  const limits = ({ name }: { name: string }, requests = 1) => (name === 'slow' ? requests : 0)
  const faceFor = ({ name }: { name: string }) => named(name)
  return teamSite({ ring, limits, token, fullFace: named('whole'), faceFor })
}

function ask(site: ReturnType<typeof siteOf>, authorization?: string) {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  const known = site.checkKey(new Request('http://x/mcp', { headers }))
  if (known instanceof Response) return known.status
  return site.faceAt(null, known.key)
}

test('a key opens only its own part, the token opens everything, and other credentials are rejected', () => {
  const site = siteOf('the-token-of-the-server', { a: key('a'), page: key('p', { may: ['page'] }) })
  expect(ask(site, 'Bearer a')).toEqual(named('a'))
  expect(ask(site, 'bearer  a')).toEqual(named('a'))
  expect(ask(site, 'Bearer the-token-of-the-server')).toEqual(named('whole'))
  expect(ask(site, 'Bearer page')).toBe(null)
  for (const wrong of [undefined, '', 'Bearer', 'Bearer b', 'a', 'Basic a', 'Bearer a b']) {
    expect([wrong, ask(site, wrong)]).toEqual([wrong, 401])
  }
  const alone = siteOf(null, {})
  expect([ask(alone), ask(alone, 'Bearer '), alone.isOpen]).toEqual([401, 401, false])
})

test('limits the calls of a key, but not calls with the token', () => {
  const site = siteOf('the-token-of-the-server', {})
  expect(site.callerOf!({ secret: '', key: key('slow') })!.wait(3)).toBe(3)
  expect(site.callerOf!({ secret: 'the-token-of-the-server', key: null })).toBe(null)
  expect(callerOf(key('a'), () => 7)).toMatchObject({ name: 'a' })
})

test('reuses one value for keys with equal rights, and evicts old values', () => {
  const made: KeyAccess[] = []
  const shares = cacheByAccess((share) => made.push(share), 2)
  expect(shares(key('a'))).toBe(1)
  expect(shares(key('b', { libraries: ['KIT', 'kit'], may: ['page', 'search'] }))).toBe(1)
  expect(shares(key('c', { may: ['search', 'ingest'] }))).toBe(2)
  expect(shares(key('a'))).toBe(1)
  expect(shares(key('d', { libraries: ['lid'] }))).toBe(3)
  expect(shares.all()).toEqual([1, 3])
  expect(made.map(({ canSee }) => canSee('kit'))).toEqual([true, true, false])
  expect(made.map(({ allowIngest }) => allowIngest)).toEqual([false, true, false])
})
