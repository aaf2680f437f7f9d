import { expect, test } from 'bun:test'
import { linePlace } from '../../src/platform/line-place.ts'

test('line and column, from 1', () => {
  const text = 'a\r\nbc\n\nd'
  const check = (offset: number, expected: string) => expect(linePlace(text, offset)).toBe(expected)
  check(0, '1:1')
  check(4, '2:2')
  check(7, '4:1')
  check(99, '4:2')
})
