/**
 * Checks that processing ten times as much text, from its bytes to the displayed page, takes about
 * ten times as long. The shapes of pages are in test/support/pages/shapes/. OG_SHAPES selects
 * shapes by name, and OG_SHAPE_SIZE sets the larger size.
 */
import { expect, test } from 'bun:test'
import { measureGrowth, type Cost } from '../support/pages/growth.ts'
import { shapes } from '../support/pages/shapes.ts'

const large = Number(process.env.OG_SHAPE_SIZE ?? 50_000)
const picked = shapes.filter(({ name }) => name.includes(process.env.OG_SHAPES ?? ''))

/** Tolerates noise of the machine and of compilation. A quadratic page takes seconds. */
const noiseMs = 200
const mostGrowth = 25
/** A page that takes longer than this hangs: the slowest shape takes a hundredth of it. */
const limitMs = 60_000

const isLinear = (cost: Cost) =>
  cost !== null && cost.large <= Math.max(noiseMs * (large / 100_000), mostGrowth * cost.small)

test(`needs linear time for ${picked.length} shapes of text`, async () => {
  const slow: string[] = []
  await using growth = measureGrowth({ small: large / 10, large, limitMs })
  await using further = measureGrowth({ small: large, large: 10 * large, limitMs })
  for (const { name } of picked) {
    // A busy machine slows down single runs, and a one-time cost beyond some length is not growth.
    // A quadratic page fails again: with ten times as much text it takes a hundred times as long.
    let cost: Cost = null
    for (const it of [growth, growth, further]) {
      cost = await it.cost(name)
      if (cost === null || isLinear(cost)) break
    }
    if (!isLinear(cost)) slow.push(`${name}: ${cost === null ? 'did not end' : shown(cost)}`)
  }
  expect(slow).toEqual([])
}, 600_000)

function shown({ small, large }: NonNullable<Cost>): string {
  return `${Math.round(small)} ms, of ten times the text ${Math.round(large)} ms`
}
