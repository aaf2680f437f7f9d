import { expect, test } from 'bun:test'
import { once } from '../../src/platform/concurrency.ts'

test('calls the function once, and again after a failure', async () => {
  let made = 0
  const next = once(async () => {
    made++
    if (made === 1) throw new Error('no')
    return made
  })
  await expect(next()).rejects.toThrow('no')
  expect(await Promise.all([next(), next(), next()])).toEqual([2, 2, 2])
})
