import { expect, test } from 'bun:test'
import { equals } from '../../src/store/where.ts'

test('a value is quoted, whatever it holds', () => {
  function check(value: string, expected: string) {
    expect(equals('url', value)).toBe(expected)
  }
  check('a', "url = 'a'")
  check("it's ''", "url = 'it''s '''''")
  check('C:\\docs\\', "url = 'C:\\docs\\'")
  check("' OR 1=1 --", "url = ''' OR 1=1 --'")
  check('', "url = ''")
})
