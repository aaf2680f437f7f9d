const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** True if a value is a UTC date as `Date.toISOString` writes it, with or without a fraction. */
export function isIsoDate(value: unknown): boolean {
  return typeof value === 'string' && form.test(value) && Number.isFinite(Date.parse(value))
}

/** Accepts dates up to a day in the future, because other machines' clocks may be ahead. */
export function isPastDate(value: unknown): boolean {
  return isIsoDate(value) && Date.parse(value as string) <= Date.now() + 86_400_000
}
