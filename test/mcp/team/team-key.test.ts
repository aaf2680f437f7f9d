import { expect, test } from 'bun:test'
import {
  parseExpiry,
  libraryMatcher,
  newTeamSecret,
  parseTeamKeys,
  teamKeysText,
  type TeamKey,
} from '../../../src/mcp/team/team-key.ts'
import { sha256 } from '../../../src/platform/hash.ts'

const key: TeamKey = {
  name: 'ci',
  sha256: sha256('a'),
  libraries: ['*'],
  may: ['search'],
  per_minute: 60,
}

test('matches library names with * as a wildcard', () => {
  const check = (patterns: string[], library: string, canSee: boolean) => {
    const found = libraryMatcher(patterns)(library)
    expect({ patterns, library, found }).toEqual({ patterns, library, found: canSee })
  }
  check(['*'], 'fastapi', true)
  check(['FastAPI'], 'fastapi', true)
  check(['fastapi'], 'fastapi-users', false)
  check(['fastapi'], 'my-fastapi', false)
  check(['acme-*', 'ray'], 'Acme-core', true)
  check(['acme-*'], 'acme', false)
  check(['@acme/*'], '@acme/ui', true)
  check(['*-internal'], 'core-internal', true)
  check(['*-internal'], 'core-internal-2', false)
  check(['a*b*c'], 'a-b-c', true)
  check(['a*b*c'], 'a-c-b', false)
  check(['a*a'], 'a', false)
  check(['a.c'], 'abc', false)
  const long = 'a'.repeat(100_000)
  check([`${'*a'.repeat(90)}*b`], long, false)
})

test('round-trips a key file', async () => {
  expect(await parseTeamKeys(teamKeysText([key]), 'k.json')).toEqual([key])
  const secrets = new Set(Array.from({ length: 100 }, newTeamSecret))
  expect(secrets.size).toBe(100)
  for (const secret of secrets) expect(secret).toMatch(/^og_[\w-]{43}$/)
})

test('names the invalid entry and shows no hash', async () => {
  const check = (content: unknown, message: string) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const said = `Cannot use the keys of k.json: ${message}`
    expect(parseTeamKeys(text, 'k.json')).rejects.toThrow(said)
  }
  check('{"keys": [', 'it is not valid JSON in line 1: ')
  check([], 'it is not {"keys": […]}')
  check('['.repeat(100_000), 'it is not valid JSON')
  check({ keys: [key, 1] }, 'entry 2: ')
  check({ keys: [{ ...key, sha256: 'a' }] }, 'entry 1: "sha256" is not a SHA-256 in hexadecimal')
  const rights = 'search, ingest, page, metrics'
  check({ keys: [{ ...key, may: ['all'] }] }, `entry 1: "may" knows only ${rights}`)
  check({ keys: [{ ...key, may: ['ingest'] }] }, 'entry 1: "may" needs search or page too')
  check({ keys: [{ ...key, libraries: [] }] }, 'entry 1: "libraries" names none')
  check({ keys: [{ ...key, per_day: 0 }] }, 'entry 1: "per_day" is below 1')
  check({ keys: [{ ...key, expires: 'soon' }] }, 'entry 1: "expires" is not a date')
  check({ keys: [{ ...key, name: 'a b' }] }, 'entry 1: "name" is not a name')
  check({ keys: [{ ...key, right: 'all' }] }, 'entry 1: ')
  check({ keys: [key, { ...key, sha256: sha256('b') }] }, 'entries 1 and 2 have the same name')
  check({ keys: [key, { ...key, name: 'b' }] }, 'entries 1 and 2 have the same sha256')
})

test('expires a key at the beginning of its day', () => {
  expect(parseExpiry('2030-12-31')).toBe(Date.UTC(2030, 11, 31))
  expect(parseExpiry('2030-12-31T10:00Z')).toBe(Date.UTC(2030, 11, 31, 10))
  for (const wrong of ['2030', '31.12.2030', '2030-12-31T10:00', '2030-99-31']) {
    expect(parseExpiry(wrong)).toBeNaN()
  }
})
