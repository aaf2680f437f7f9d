import { expect, test } from 'bun:test'
import { packMutations } from '../../../scripts/attack/packs.ts'

test('rejects randomly modified packs, or shows only texts that they contain', async () => {
  const { failures, refused } = await packMutations({ rounds: 150, seed: 18 })
  expect(failures).toEqual([])
  expect(refused).toBeGreaterThan(75)
})
