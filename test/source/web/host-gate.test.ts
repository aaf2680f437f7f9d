import { expect, test } from 'bun:test'
import { NetworkError } from '../../../src/platform/web/http.ts'
import { openHostGate } from '../../../src/source/web/crawler.ts'

const noSleep = async () => {}

test('limits concurrent requests, and sends one at a time if there is a delay', async () => {
  const most = async (delayMs: number) => {
    const slept: number[] = []
    const sleep = async (ms: number) => void slept.push(ms)
    const gate = openHostGate({ lanes: 3, delayMs, sleep })
    let [running, peak] = [0, 0]
    const job = async () => {
      peak = Math.max(peak, ++running)
      await Promise.resolve()
      await Promise.resolve()
      running--
    }
    await Promise.all(Array.from({ length: 9 }, () => gate.run(job)))
    return { peak, slept }
  }
  expect(await most(0)).toEqual({ peak: 3, slept: [] })
  expect(await most(250)).toEqual({ peak: 1, slept: Array(8).fill(250) })
})

test("starts no request while another waits for the host's delay", async () => {
  const order: string[] = []
  const waiting = Promise.withResolvers<void>()
  const gate = openHostGate({ lanes: 2, delayMs: 0, sleep: () => waiting.promise })
  const first = gate.run(async ({ sleep }) => {
    await sleep(1000)
    order.push('first')
  })
  await Promise.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  const second = gate.run(async () => void order.push('second'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual([])
  waiting.resolve()
  await Promise.all([first, second])
  expect(order.sort()).toEqual(['first', 'second'])
})

test('stops at a host that fails ten times in a row, and a success resets the count', async () => {
  const gate = openHostGate({ lanes: 1, delayMs: 0, sleep: noSleep })
  let asked = 0
  const failing = () =>
    gate
      .run(async () => {
        asked++
        throw new NetworkError('no route', { isTransient: true })
      })
      .catch((error: Error) => error.message)
  for (let i = 0; i < 9; i++) await failing()
  await gate.run(async () => {})
  for (let i = 0; i < 10; i++) await failing()
  expect(asked).toBe(19)
  expect(await failing()).toContain('not asked: 10 failures in a row')
  expect(asked).toBe(19)
})

test('rejects requests after closing, with the reason', async () => {
  const gate = openHostGate({ lanes: 1, delayMs: 0, sleep: noSleep })
  await gate.run(async ({ close }) => close('it asks robots to go'))
  const refused = gate.run(async () => 1).catch((error: Error) => error.message)
  expect(await refused).toBe('not asked: it asks robots to go')
})
