import { startScript, type Child } from '../child.ts'

/** Milliseconds of CPU for a page of each size; null if the process had to be killed. */
export type Cost = { small: number; large: number } | null

export type Growth = AsyncDisposable & { cost(name: string): Promise<Cost> }

/** Measures shapes, one after the other, in a process that is killed if one hangs. */
export function measureGrowth({
  small,
  large,
  limitMs,
}: {
  small: number
  large: number
  limitMs: number
}): Growth {
  let child: Child | null = null
  async function cost(name: string): Promise<Cost> {
    child ??= startScript('page-costs.ts', [String(small), String(large)])
    child.write(`${name}\n`)
    let timer: Timer | undefined
    const late = new Promise<null>((done) => (timer = setTimeout(done, limitMs, null)))
    const line = await Promise.race([child.line(), late])
    clearTimeout(timer)
    if (line === null) {
      await child.kill()
      child = null
      return null
    }
    const [first, second] = JSON.parse(line) as [number, number]
    return { small: first, large: second }
  }
  return { cost, [Symbol.asyncDispose]: async () => child?.kill() }
}
