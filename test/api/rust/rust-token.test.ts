import { expect, test } from 'bun:test'
import { rustTokens } from '../../../src/api/rust/rust-token.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const kinds = (text: string) => rustTokens(text)?.map(({ kind, text }) => `${kind} ${text}`)

test('separates literals, lifetimes, names and signs', () => {
  expect(kinds(`'a, 'b' r#"x"y"# b"\\"" r#type 1.5e3 0..2 '\\u{1F600}' -> é`)).toEqual([
    "lifetime 'a",
    'sign ,',
    "literal 'b'",
    'literal r#"x"y"#',
    'literal b"\\""',
    'name r#type',
    'literal 1.5e3',
    'literal 0',
    'sign ..',
    'literal 2',
    "literal '\\u{1F600}'",
    'sign ->',
    'name é',
  ])
})

test('turns documentation comments into attributes, and drops other comments', () => {
  const tokens = rustTokens('// no\n//// no\n/* no */ /// yes\n//! inner')!
  expect(tokens.map(({ text }) => text)).toEqual(['#', '[', '#', '!', '['])
  expect(tokens[1]!.inside.map(({ text }) => text)).toEqual(['doc', '=', 'r###"yes"###'])
})

test('returns null for brackets that are not balanced, and reads hostile text in linear time', () => {
  expect([
    rustTokens('(]'),
    rustTokens('('),
    rustTokens(')'),
    rustTokens('('.repeat(1000)),
  ]).toEqual([null, null, null, null])
  const started = usedCpuMs()
  for (const text of ['"', "'", 'r#', '/*', 'r#"', '/**', '\\']) rustTokens(text.repeat(5000))
  expect(usedCpuMs() - started).toBeLessThan(2000)
})
