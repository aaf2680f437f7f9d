import { expect, test } from 'bun:test'
import { races } from '../../scripts/attack/races.ts'

// Runs for a few rounds what `npm run test:attack` runs for an hour.
const name = 'writers and readers of one store lose nothing (killed: %p)'

test.each([false, true])(name, async (isKilling) => {
  const { failures } = await races({ rounds: 6, isKilling, say: () => {} })
  expect(failures).toEqual([])
})
