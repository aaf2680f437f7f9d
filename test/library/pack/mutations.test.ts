import { expect, test } from 'bun:test'
import { packMutations } from '../../../scripts/attack/packs.ts'

test('refuses packs with random changes, or answers with their own texts', async () => {
  const { failures, refused } = await packMutations({ rounds: 150, seed: 18 })
  expect(failures).toEqual([])
  expect(refused).toBeGreaterThan(75)
})
