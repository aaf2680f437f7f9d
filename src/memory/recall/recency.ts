const dayMs = 86_400_000

/**
 * The factor of a score for the time since `date` (YYYY-MM-DD): exp(−rate × days). 1 for entries
 * without a date, which are as true today as ever, and for dates ahead.
 */
export function recencyFactor(
  date: string | null,
  options: { rate: number; today: string },
): number {
  if (date === null || options.rate === 0) return 1
  const days = (Date.parse(options.today) - Date.parse(date)) / dayMs
  return Number.isFinite(days) ? Math.exp(-options.rate * Math.max(0, days)) : 1
}
