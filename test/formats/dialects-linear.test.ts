import { expect, test } from 'bun:test'
import { startScript } from '../support/child.ts'

/** Differences below `noiseMs` are noise. A page that takes longer than `patienceMs` fails. */
const noiseMs = 10
const patienceMs = 120_000

test('parses rst, AsciiDoc and includes in time linear in their length', async () => {
  await using child = startScript('page-cost.ts', [])
  const slow: string[] = []
  let nShapes = 0
  for (let name = await child.line(); name !== null; name = await child.line()) {
    nShapes++
    const given = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref())
    const costs = await Promise.race([child.line(), given])
    if (costs === null) throw new Error(`${name}: no page within ${patienceMs / 1000} s`)
    const [small = NaN, large = NaN] = costs.split(' ').map(Number)
    if (!(large <= 25 * Math.max(small, noiseMs))) slow.push(`${name}: ${costs} ms`)
  }
  expect(slow).toEqual([])
  expect(nShapes).toBeGreaterThan(40)
  expect(await child.exited).toBe(0)
}, 600_000)
