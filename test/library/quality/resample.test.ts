import { expect, test } from 'bun:test'
import { resampleMean, mean } from '../../../src/library/quality/resample.ts'

function check(values: number[], [low, high]: [number, number]) {
  const found = resampleMean(values)
  expect(found[0]).toBeCloseTo(low, 1)
  expect(found[1]).toBeCloseTo(high, 1)
}

test('always returns the same confidence interval for a mean', () => {
  check([0.5, 0.5, 0.5], [0.5, 0.5])
  // The standard error of 100 values of 0 or 1 is 0.05, and 95 % of means are within 1.96 standard
  // errors.
  const halves = Array.from({ length: 100 }, (_, i) => i % 2)
  check(halves, [0.4, 0.6])
  expect(resampleMean(halves)).toEqual(resampleMean(halves))
  expect(mean([1, 2, 6])).toBe(3)
})
