const dayMs = 86_400_000

/**
 * The factor for the age of an entry: exp(−rate × days). It is 1 for entries without a date, which
 * do not age, and for future dates.
 */
export function recencyFactor(
  date: string | null,
  options: { rate: number; today: string },
): number {
  if (date === null || options.rate === 0) return 1
  const days = (Date.parse(options.today) - Date.parse(date)) / dayMs
  return Number.isFinite(days) ? Math.exp(-options.rate * Math.max(0, days)) : 1
}
