import { expect } from 'bun:test'
import { usedCpuMs } from './cpu-time.ts'

/**
 * Checks that time grows at most linearly with the length of the text: ten times the length may
 * take at most 25 times as long, in the best of three runs. A time below the floor is always
 * accepted. Small texts are measured first, so that cubic time fails before it takes minutes.
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

/** CPU time of the best of three runs. */
async function bestMs(work: () => unknown, floorMs: number): Promise<number> {
  let best = Infinity
  for (let time = 0; time < 3 && best > floorMs / 4; time++) {
    const before = usedCpuMs()
    await work()
    best = Math.min(best, usedCpuMs() - before)
  }
  return best
}
