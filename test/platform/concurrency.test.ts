import { expect, test } from 'bun:test'
import { waitForAbort, runInOrder, openJobLimiter, once } from '../../src/platform/concurrency.ts'

test('yields outcomes in the order of the items, not of completion', async () => {
  const sleep = async (ms: number) => (await Bun.sleep(ms), ms)
  expect(await Array.fromAsync(runInOrder([9, 1, 5, 0], sleep, { lanes: 4 }))).toEqual([9, 1, 5, 0])
})

test('limits the number of items that run and that are started ahead', async () => {
  let running = 0
  let most = 0
  let begun = 0
  const work = async () => {
    begun++
    most = Math.max(most, ++running)
    await Bun.sleep(1)
    running--
  }
  let taken = 0
  for await (const _ of runInOrder(Array(20).keys(), work, { lanes: 3, window: 5 })) {
    taken++
    expect(begun - taken).toBeLessThanOrEqual(5)
  }
  expect([taken, most]).toEqual([20, 3])
})

test('stops at the first failure in input order', async () => {
  const work = async (n: number) => (n === 1 ? Promise.reject(new Error(`no ${n}`)) : n)
  const seen: number[] = []
  const run = async () => {
    for await (const n of runInOrder([0, 1, 2], work, { lanes: 2 })) seen.push(n)
  }
  await expect(run()).rejects.toThrow('no 1')
  expect(seen).toEqual([0])
})

test('runs the next job after a failed one', async () => {
  const turns = openJobLimiter(1)
  const failed = turns.run(() => Promise.reject(new Error('no')))
  const next = turns.run(async () => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('starts no more items while pending outcomes use much memory', async () => {
  let begun = 0
  const work = async (n: number) => (begun++, n)
  let ahead: number[] = []
  const check = async (bytesOf: (n: number, found?: number) => number) => {
    ;[begun, ahead] = [0, []]
    const numbers = [20, 20, 20, 20, 0, 0, 0, 0]
    for await (const _ of runInOrder(numbers, work, { lanes: 4, bytesOf })) {
      ahead.push(begun - ahead.length)
      await Bun.sleep(1)
    }
  }
  await check((n) => n * 2 ** 20)
  expect(ahead.slice(0, 3)).toEqual([2, 2, 2])
  await check((n, found) => (found === undefined ? 0 : n * 2 ** 20))
  expect(ahead.length).toBe(8)
  await check(() => 0)
  expect(ahead[0]).toBe(8)
})

test('resolves when a signal aborts, or if it has aborted before', async () => {
  const ending = new AbortController()
  const heard = waitForAbort(ending.signal).then(() => 'ended')
  expect(await Promise.race([heard, Promise.resolve('goes on')])).toBe('goes on')
  ending.abort()
  expect(await heard).toBe('ended')
  await waitForAbort(AbortSignal.abort())
})

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
