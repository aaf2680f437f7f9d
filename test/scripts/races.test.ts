import { expect, test } from 'bun:test'
import { races } from '../../scripts/attack/races.ts'

// A few rounds of what `npm run test:attack` does for an hour.
const name = 'writers and readers of one store lose nothing (killed: %p)'

test.each([false, true])(name, async (isKilling) => {
  const { failures } = await races({ rounds: 6, isKilling, say: () => {} })
  expect(failures).toEqual([])
})
