import { expect, test } from 'bun:test'
import { parseAttributes } from '../../src/document/attributes.ts'

const check = (source: string, expected: Record<string, string>) =>
  expect(Object.fromEntries(parseAttributes(source))).toEqual(expected)

test('reads attributes in single and double quotes', () => {
  check(`number="1" File-Name='a "b"' data-x="2"`, {
    number: '1',
    'file-name': 'a "b"',
    'data-x': '2',
  })
})

test('reads attributes without quotes, up to a space or comma', () => {
  check('lines=1..3;5,tag=a indent = 0 x:y=1 a-', { lines: '1..3;5', tag: 'a', indent: '0' })
  check('a='.repeat(3000), {})
})
