import { expect, test } from 'bun:test'
import { openKeyLimits } from '../../../src/mcp/team/key-limits.ts'

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
