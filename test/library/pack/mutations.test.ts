import { expect, setDefaultTimeout, test } from 'bun:test'
import { packMutations } from '../../../scripts/attack/packs.ts'

setDefaultTimeout(120_000)

test('packs that were changed at random are refused, or answer with the texts they have', async () => {
  const { failures, refused } = await packMutations({ rounds: 150, seed: 18 })
  expect(failures).toEqual([])
  expect(refused).toBeGreaterThan(75)
})
