import { OgError } from '../platform/error.ts'

/** Local time in the format of memory files: `day` is YYYY-MM-DD, `time` is HH:MM. */
export function localTime(now: Date): { day: string; time: string } {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return { day, time: `${two(now.getHours())}:${two(now.getMinutes())}` }
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

export function checkDate(what: string, date: string | undefined): void {
  if (date === undefined || isDate(date)) return
  throw new OgError(`'${what}' must be a date like 2026-03-20, not ${JSON.stringify(date)}`)
}
