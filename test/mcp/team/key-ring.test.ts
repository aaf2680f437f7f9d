import { beforeEach, expect, test } from 'bun:test'
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  changeTeamKeys,
  readTeamKeys,
  openKeyRing,
  type KeyRing,
  openKeyLimits,
} from '../../../src/mcp/team/key-ring.ts'
import { teamKeysText, type TeamKey } from '../../../src/mcp/team/team-key.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { until } from '../../support/until.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'
import { openEach } from '../../support/run/dispose.ts'

let warnings: string[] = []
const temp = openEach(() => createTempFolder('og-keys'))
const path = () => join(temp().path, 'keys.json')
beforeEach(() => {
  warnings = []
})

const secretOf = (name: string) => `og_secret-of-${name}-that-is-long`
const keyOf = (name: string, more: Partial<TeamKey> = {}): TeamKey => ({
  name,
  sha256: sha256(secretOf(name)),
  libraries: ['*'],
  may: ['search'],
  ...more,
})

const write = (...keys: TeamKey[]) => changeTeamKeys(path(), () => keys)
/** Replaces the key file in one step, so that the ring never sees half of a change. */
function replace(text: string, mode = 0o600): void {
  writeFileSync(`${path()}.new`, text)
  chmodSync(`${path()}.new`, mode)
  renameSync(`${path()}.new`, path())
}
const warn = (line: string) => void warnings.push(line)
const open = (): Promise<KeyRing> => openKeyRing(path(), { everyMs: 5, warn })

test('reloads a changed file and aborts requests of removed keys', async () => {
  await write(keyOf('a'), keyOf('b'), keyOf('c'))
  using ring = await open()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ring.find(secretOf(name))!)
  expect([a!.name, ring.find('og_other'), ring.find('')]).toEqual(['a', null, null])
  const stamp = ring.stamp()
  await write(keyOf('a'), keyOf('b', { libraries: ['x'] }), keyOf('d'))
  await until('the new key is known', () => ring.find(secretOf('d')) !== null)
  expect(ring.find(secretOf('c'))).toBe(null)
  expect(ring.find(secretOf('b'))!.libraries).toEqual(['x'])
  expect(ring.find(secretOf('a'))).toBe(a!)
  expect([a, b, c].map((key) => key!.revoked.aborted)).toEqual([false, true, true])
  expect(ring.stamp()).not.toBe(stamp)
})

test('keeps the previous keys and warns once if the file becomes invalid', async () => {
  await write(keyOf('a'))
  using ring = await open()
  replace('{"keys": [')
  await until('the slip is told', () => warnings.length > 0)
  expect(warnings[0]).toMatch(/^Cannot use the keys of .*; the previous keys stay valid$/)
  rmSync(path())
  await until('that it is gone is told', () => warnings.length > 1)
  expect(ring.find(secretOf('a'))).not.toBe(null)
  await write(keyOf('b'))
  await until('it is mended', () => ring.find(secretOf('b')) !== null)
  expect([ring.find(secretOf('a')), warnings.length]).toEqual([null, 2])
})

test('rejects a file that others may write, at the start and later', async () => {
  await write(keyOf('a'))
  chmodSync(path(), 0o646)
  await expect(open()).rejects.toThrow(
    `Cannot read the keys of ${path()}: others may write to ${path()}`,
  )
  await expect(readTeamKeys(path())).rejects.toThrow('others may write')
  chmodSync(path(), 0o640)
  using ring = await open()
  replace(teamKeysText([keyOf('a'), keyOf('mallory')]), 0o662)
  await until('it is told', () => warnings.some((line) => line.includes('others may write')))
  expect(ring.find(secretOf('mallory'))).toBe(null)
})

test('revokes a removed key even if the file was unreadable for a moment', async () => {
  await write(keyOf('a'), keyOf('b'))
  using ring = await open()
  chmodSync(temp().path, 0o777)
  replace(teamKeysText([keyOf('a')]))
  await until('it is told', () => warnings.length > 0)
  await Bun.sleep(50)
  expect([ring.find(secretOf('b'))?.name, warnings.length]).toEqual(['b', 1])
  chmodSync(temp().path, 0o700)
  await until('the key is gone', () => ring.find(secretOf('b')) === null)
  expect(warnings[0]).toContain('others may write')
})

test('aborts running requests when their key expires', async () => {
  await write(keyOf('a', { expires: '2030-01-02' }), keyOf('b'))
  let now = Date.parse('2030-01-01T23:59:59Z')
  using ring = await openKeyRing(path(), { everyMs: 5, warn, now: () => now })
  const [a, b] = ['a', 'b'].map((name) => ring.find(secretOf(name))!.revoked)
  expect(a!.aborted).toBe(false)
  now += 1000
  await until('it has ended', () => a!.aborted)
  expect(b!.aborted).toBe(false)
})

test('expires a key even if the file does not change', async () => {
  await write(keyOf('a', { expires: '2030-01-02' }))
  let now = Date.parse('2030-01-01T23:59:59Z')
  using ring = await openKeyRing(path(), { warn, now: () => now })
  expect(ring.find(secretOf('a'))).not.toBe(null)
  now += 1000
  expect(ring.find(secretOf('a'))).toBe(null)
})

test('looks up one of ten thousand keys as fast as one of two', async () => {
  const keys = Array.from({ length: 10_000 }, (_, i) => keyOf(`k${i}`))
  await write(...keys)
  using ring = await open()
  const took = (secret: string) =>
    cpuMs(() => {
      for (let i = 0; i < 1_000; i++) ring.find(secret)
    })
  expect(ring.find(secretOf('k9999'))!.name).toBe('k9999')
  // Searching through all keys would take more than a second.
  expect(Math.min(...Array.from({ length: 5 }, () => took(secretOf('k9999'))))).toBeLessThan(100)
})

test('keeps all concurrent changes and creates a private file', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `k${i}`)
  await Promise.all(names.map((name) => changeTeamKeys(path(), (keys) => [...keys, keyOf(name)])))
  expect((await readTeamKeys(path())).map(({ name }) => name).sort()).toEqual(names.sort())
  const { mode } = await Bun.file(path()).stat()
  expect(mode & 0o777).toBe(0o600)
  expect(changeTeamKeys(path(), (keys) => [...keys, keyOf('k1')])).rejects.toThrow('same name')
  expect(await readTeamKeys(path())).toHaveLength(12)
})

function limitsAt(start: string) {
  let now = Date.parse(start)
  const pass = (seconds: number) => void (now += seconds * 1000)
  return { limits: openKeyLimits(() => now), pass }
}

test('allows a burst of a tenth of the limit per minute, then an even rate', () => {
  const { limits, pass } = limitsAt('2030-01-01T12:00:00Z')
  const key = { name: 'a', per_minute: 60 }
  const passed = Array.from({ length: 20 }, () => limits(key)).filter((wait) => wait === 0)
  expect(passed).toHaveLength(6)
  expect(limits(key)).toBe(1)
  pass(1)
  expect([limits(key), limits(key)]).toEqual([0, 1])
  // Each key has a quota of its own.
  expect(limits({ name: 'b', per_minute: 60 })).toBe(0)
  pass(3600)
  expect(Array.from({ length: 20 }, () => limits(key)).filter((wait) => wait === 0)).toHaveLength(6)
})

test('counts all messages of a batch and blocks later calls until the batch is paid off', () => {
  const { limits, pass } = limitsAt('2030-01-01T12:00:00Z')
  const key = { name: 'a', per_minute: 60 }
  expect(limits(key, 100)).toBe(0)
  expect(limits(key)).toBe(95)
  pass(95)
  expect(limits(key)).toBe(0)
})

test('resets the limit per day at midnight UTC and ignores rejected requests', () => {
  const { limits, pass } = limitsAt('2030-01-01T23:00:00Z')
  const key = { name: 'a', per_day: 3 }
  expect([limits(key), limits(key, 2), limits(key)]).toEqual([0, 0, 3600])
  pass(1800)
  expect(limits(key)).toBe(1800)
  pass(1800)
  expect([limits(key, 4), limits(key, 3)]).toEqual([24 * 3600, 0])
})

test('accepts every request if no limit is set, and tolerates a clock that is set back', () => {
  const { limits, pass } = limitsAt('2030-01-01T12:00:00Z')
  for (let i = 0; i < 1000; i++) expect(limits({ name: 'a' })).toBe(0)
  const key = { name: 'b', per_minute: 10 }
  expect(limits(key)).toBe(0)
  pass(-3600)
  expect(limits(key)).toBe(6)
})
