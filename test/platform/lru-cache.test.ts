import { expect, test } from 'bun:test'
import { openLruCache } from '../../src/platform/lru-cache.ts'

test('returns recent values from the cache and evicts the oldest first', () => {
  const kept = openLruCache<string>(10)
  const made: string[] = []
  const ask = (key: string, size = 4) =>
    kept.of(key, size, () => {
      made.push(key)
      return key.toUpperCase()
    })
  expect([ask('a'), ask('b'), ask('a'), ask('c'), ask('a'), ask('b')]).toEqual([
    'A',
    'B',
    'A',
    'C',
    'A',
    'B',
  ])
  expect(made).toEqual(['a', 'b', 'c', 'b'])
  kept.drop('a')
  ask('large', 11)
  ask('large', 11)
  ask('a')
  expect(made.slice(4)).toEqual(['large', 'large', 'a'])
})

test('retries a value whose creation failed', () => {
  const kept = openLruCache<string>(10)
  expect(() =>
    kept.of('a', 1, () => {
      throw new Error('not now')
    }),
  ).toThrow('not now')
  expect(kept.of('a', 1, () => 'now')).toBe('now')
})
