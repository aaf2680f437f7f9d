import { expect } from 'bun:test'

/**
 * That time grows with the length of the text and no faster: for ten times as much at most 25 times
 * as long, the best of three. What takes less than the floor is fast enough whatever its growth.
 * Small texts go first, so that what is cubic fails before it takes minutes.
 */
export async function checkGrowth(
  textOf: (length: number) => string,
  work: (text: string) => unknown,
  { length = 200_000, floorMs = 200 } = {},
): Promise<void> {
  let before = 0
  for (const size of [length / 100, length / 10, length]) {
    const text = textOf(size)
    const spent = await bestMs(() => work(text), floorMs)
    const start = `${size} of ${JSON.stringify(text.slice(0, 40))}`
    expect([start, spent]).toEqual([start, Math.min(spent, Math.max(floorMs, 25 * before))])
    before = spent
  }
}

/** CPU time of the best of three. */
async function bestMs(work: () => unknown, floorMs: number): Promise<number> {
  let best = Infinity
  for (let time = 0; time < 3 && best > floorMs / 4; time++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
