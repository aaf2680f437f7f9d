import { existsSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { processorMs } from './process-figures.ts'

/**
 * Returns a function that reads the CPU time that a tab's main thread has used so far, by kind of
 * work. Other load on the machine does not affect CPU time.
 */
export async function watchThread(page: Page): Promise<() => Promise<Computed>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const ms = (wanted: string) => 1_000 * metrics.find(({ name }) => name === wanted)!.value
    return {
      all: ms('TaskDuration'),
      layout: ms('LayoutDuration'),
      style: ms('RecalcStyleDuration'),
      script: ms('ScriptDuration'),
    }
  }
}

export type Computed = { all: number; layout: number; style: number; script: number }

export function since(before: Computed, after: Computed): Computed {
  const names = ['all', 'layout', 'style', 'script'] as const
  return Object.fromEntries(
    names.map((name) => [name, round(after[name] - before[name])]),
  ) as Computed
}

/** Returns the CPU time of the server and its child processes so far, in Linux ticks of 10 ms. */
export function serverMs({ pid }: { pid: number }): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  return `${pid} ${children}`
    .trim()
    .split(' ')
    .filter((name) => existsSync(`/proc/${name}/stat`))
    .reduce((sum, name) => sum + processorMs(name), 0)
}

export function spread(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!)
  return { median: at(0.5), p95: at(0.95), least: at(0) }
}

export function round(ms: number): number {
  return Math.round(10 * ms) / 10
}
