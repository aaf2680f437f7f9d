import { expect, test } from 'bun:test'
import { isDate, localTime } from '../../src/memory/text.ts'

test('pads local time to two digits', () => {
  expect(localTime(new Date(2026, 0, 5, 3, 7))).toEqual({ day: '2026-01-05', time: '03:07' })
})

test('accepts only valid calendar dates', () => {
  const check = (text: string, expected: boolean) => expect(isDate(text)).toBe(expected)
  check('2024-02-29', true)
  check('2026-02-29', false)
  check('2026-99-99', false)
  check('not-a-date', false)
})
