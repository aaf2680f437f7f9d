import { expect, test } from 'bun:test'
import { races } from '../../scripts/attack/races.ts'

// Runs for a few rounds what `npm run test:attack` runs for an hour.
test('writers and readers of one store lose nothing, even if every other round kills one', async () => {
  const isKilling = (round: number) => round % 2 === 1
  const { failures } = await races({ rounds: 4, isKilling, say: () => {} })
  expect(failures).toEqual([])
})
