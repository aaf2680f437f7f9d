import { expect, test } from 'bun:test'
import { recencyFactor } from '../../../src/memory/recall/recall.ts'

function check(date: string | null, rate: number, expected: number): void {
  expect(recencyFactor(date, { rate, today: '2026-06-30' })).toBeCloseTo(expected, 6)
}

test('halves a score after ln 2 / rate days', () => check('2026-06-20', Math.LN2 / 10, 0.5))
test('gives full weight if date or rate is missing, or if the date is invalid or in the future', () => {
  check(null, 1, 1)
  check('2020-01-01', 0, 1)
  check('2026-07-09', 1, 1)
  check('2026-99-99', 1, 1)
})
