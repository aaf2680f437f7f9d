import { expect, test } from 'bun:test'
import { contains, isIn } from '../../src/store/lance.ts'

test('quotes any value', () => {
  function check(value: string, expected: string) {
    expect(isIn('url', [value])).toBe(`url IN (${expected})`)
  }
  check('a', "'a'")
  check("it's ''", "'it''s '''''")
  check('C:\\docs\\', "'C:\\docs\\'")
  check("' OR 1=1 --", "''' OR 1=1 --'")
  check('', "''")
})

test('quotes a list of values, and matches nothing for an empty list', () => {
  expect(isIn('url', ['a', "it's"])).toBe("url IN ('a', 'it''s')")
  expect(isIn('url', [])).toBe('false')
  expect(contains('content', "it's")).toBe("strpos(content, 'it''s') > 0")
})
