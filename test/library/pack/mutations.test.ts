import { expect, test } from 'bun:test'
import { packMutations } from '../../../scripts/attack/packs.ts'

test('packs that were changed at random are refused, or answer with the texts they have', async () => {
  const { failures, refused } = await packMutations({ rounds: 150, seed: 18 })
  expect(failures).toEqual([])
  expect(refused).toBeGreaterThan(75)
})
