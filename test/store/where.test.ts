import { expect, test } from 'bun:test'
import { equals, isIn } from '../../src/store/lance.ts'

test('quotes any value', () => {
  function check(value: string, expected: string) {
    expect(equals('url', value)).toBe(expected)
  }
  check('a', "url = 'a'")
  check("it's ''", "url = 'it''s '''''")
  check('C:\\docs\\', "url = 'C:\\docs\\'")
  check("' OR 1=1 --", "url = ''' OR 1=1 --'")
  check('', "url = ''")
})

test('quotes a list of values, and matches nothing for an empty list', () => {
  expect(isIn('url', ['a', "it's"])).toBe("url IN ('a', 'it''s')")
  expect(isIn('url', [])).toBe('false')
})
