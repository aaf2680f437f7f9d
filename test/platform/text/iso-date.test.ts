import { expect, test } from 'bun:test'
import { isIsoDate, isPastDate } from '../../../src/platform/text/iso-date.ts'

test('accepts only ISO 8601 in UTC', () => {
  for (const text of ['2026-01-01T00:00:00Z', new Date().toISOString()]) {
    expect(isIsoDate(text)).toBe(true)
  }
  const others = [
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '2026-01-01T00:00:00Z\x1b',
    '(\x1b) 2026',
    1,
  ]
  for (const other of others) expect(isIsoDate(other)).toBe(false)
})

test('accepts a time that is ahead by less than a day', () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  expect(isPastDate(inHours(23))).toBe(true)
  expect(isPastDate(inHours(25))).toBe(false)
})
