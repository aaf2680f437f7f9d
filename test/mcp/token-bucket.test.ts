import { expect, test } from 'bun:test'
import { fullBucket, refill, secondsUntilTokens } from '../../src/mcp/token-bucket.ts'

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
