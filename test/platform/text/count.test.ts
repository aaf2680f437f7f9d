import { expect, test } from 'bun:test'
import { formatCount, pluralize } from '../../../src/platform/text/count.ts'

test('uses the singular for one', () => {
  const check = (count: number, expected: string) =>
    expect(formatCount(count, 'page')).toBe(expected)
  check(0, '0 pages')
  check(1, '1 page')
  check(2, '2 pages')
  expect(formatCount(2, 'entry', 'entries')).toBe('2 entries')
  expect([1, 2].map((count) => pluralize(count, 'page'))).toEqual(['page', 'pages'])
})
