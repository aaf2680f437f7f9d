import { expect, test } from 'bun:test'
import { stringAt, stringValue } from '../../../src/api/julia/julia-string.ts'

function check(source: string, expected: string, names: Record<string, string> = {}) {
  const literal = stringAt(source, 0)!
  expect(source.slice(literal.end)).toBe('|')
  expect(stringValue(literal, (name) => names[name] ?? null)).toBe(expected)
}

test('reads the value of a string literal', () => {
  check(String.raw`"a\"b\\c\nd \$x"|`, 'a"b\\c\nd $x')
  check('raw"a\\b"|', 'a\\b')
  check('"""a "quoted" word"""|', 'a "quoted" word')
  check('""|', '')
})

test('removes the indentation of a block string', () => {
  check('"""\n    f(x)\n\n  Text\n  """|', '  f(x)\n\nText\n')
  check('"""\n  a\n    b"""|', 'a\n  b')
})

test('replaces interpolated names that are known', () => {
  check('"a $x $(f(1)) $y"|', 'a X F $y', { x: 'X', 'f(1)': 'F' })
  check('"a $(f("b")) c"|', 'a $(f("b")) c')
  check('doc"$x \\alpha"|', '$x \\alpha', { x: 'X' })
})

test('reads to the end if a literal is not closed', () => {
  expect(stringAt('"""abc', 0)).toMatchObject({ body: 'abc' })
  expect(stringAt('abc', 0)).toBeNull()
})
