import { expect, test } from 'bun:test'
import {
  openRateLimit,
  fullBucket,
  refill,
  secondsUntilTokens,
} from '../../../src/mcp/http/rate-limit.ts'

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

const rate = { tokens: 6, everyMs: 60_000, burst: 3 }

test('refills evenly up to the burst', () => {
  expect(fullBucket(rate, 5)).toEqual({ left: 3, atMs: 5 })
  const empty = { left: 0, atMs: 1_000 }
  expect(refill(empty, rate, 6_000)).toEqual({ left: 0.5, atMs: 6_000 })
  expect(refill(empty, rate, 1e9)).toEqual({ left: 3, atMs: 1e9 })
})

test('neither adds nor removes tokens if the clock goes back', () => {
  expect(refill({ left: 2, atMs: 9_000 }, rate, 1_000)).toEqual({ left: 2, atMs: 1_000 })
})

test('waits for a full bucket if a request exceeds the burst', () => {
  expect(secondsUntilTokens(1, { left: 1, atMs: 0 }, rate)).toBe(0)
  expect(secondsUntilTokens(2, { left: 1.5, atMs: 0 }, rate)).toBe(5)
  expect(secondsUntilTokens(100, { left: 3, atMs: 0 }, rate)).toBe(0)
  expect(secondsUntilTokens(100, { left: 1, atMs: 0 }, rate)).toBe(20)
  expect(secondsUntilTokens(1, { left: -2, atMs: 0 }, rate)).toBe(30)
})

test('never waits if there is no limit', () => {
  const free = { tokens: Infinity, everyMs: 60_000, burst: Infinity }
  const bucket = refill(fullBucket(free, 0), free, 0)
  expect(secondsUntilTokens(1_000, bucket, free)).toBe(0)
  expect(secondsUntilTokens(1, refill({ ...bucket, left: bucket.left - 1 }, free, 1), free)).toBe(0)
})
