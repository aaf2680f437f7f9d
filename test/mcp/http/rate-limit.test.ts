import { expect, test } from 'bun:test'
import { openRateLimit } from '../../../src/mcp/http/rate-limit.ts'

test('refills a separate bucket for each address', () => {
  let now = 0
  const rate = openRateLimit({ perSecond: 2, burst: 3 }, () => now)
  const ask = (address: string, times: number) => Array.from({ length: times }, () => rate(address))
  expect(ask('a', 5)).toEqual([0, 0, 0, 0.5, 0.5])
  expect(ask('b', 1)).toEqual([0])
  now = 250
  expect(ask('a', 1)).toEqual([0.25])
  now = 1_000
  expect(ask('a', 3)).toEqual([0, 0, 0.5])
  now = 60_000
  expect(ask('a', 4)).toEqual([0, 0, 0, 0.5])
})

test('drops the buckets of idle addresses', () => {
  let now = 0
  const rate = openRateLimit({ perSecond: 1, burst: 1 }, () => now)
  for (let i = 0; i < 3_000; i++) {
    now += 10
    expect(rate(`10.0.${i >> 8}.${i & 255}`)).toBe(0)
  }
  expect(rate('10.0.11.183')).toBeGreaterThan(0)
})
