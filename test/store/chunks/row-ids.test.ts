import { expect, test } from 'bun:test'
import { rowIndexOf } from '../../../src/store/chunks/row-ids.ts'

test('finds the first index whose id is not below the given one', () => {
  const ids = BigUint64Array.from([3n, 4n, 7n, 1n << 40n])
  const places = [0n, 3n, 4n, 5n, 7n, 8n, 1n << 40n, 1n << 41n].map((id) => rowIndexOf(ids, id))
  expect(places).toEqual([0, 0, 1, 2, 2, 3, 3, 4])
  expect(rowIndexOf(new BigUint64Array(), 1n)).toBe(0)
})
