/** Lower and upper bound. */
export type Interval = [number, number]

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * Computes a 95 % confidence interval of the mean by a percentile bootstrap (Efron 1979) with 1,000
 * resamples and a fixed pseudo-random sequence (Lehmer's generator, Park and Miller 1988).
 */
export function resampleMean(values: readonly number[]): Interval {
  let state = 1
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647
  const means = Array.from({ length: 1000 }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)] as number)),
  ).sort((a, b) => a - b)
  return [means[25] as number, means[974] as number]
}
