import { expect, test } from 'bun:test'
import {
  isRecord,
  isTooDeep,
  jsonText,
  parseJsonOrUndefined,
  parseJson,
} from '../../src/platform/json.ts'

const nested = (levels: number, open: string, close: string) =>
  open.repeat(levels) + close.repeat(levels)

function check(text: string, expected: boolean): void {
  expect(isTooDeep(text)).toBe(expected)
}

test('counts levels rather than brackets', () => {
  check(nested(500, '[', ']'), false)
  check(nested(501, '[', ']'), true)
  check('{"a":'.repeat(300_000), true)
  check('['.repeat(300_000), true)
  check(`[${'[],{},'.repeat(10_000)}1]`, false)
})

test('ignores brackets in strings', () => {
  check(JSON.stringify('['.repeat(1000)), false)
  check(JSON.stringify(`"\\"${'{'.repeat(1000)}\\`), false)
  check(`["\\\\",${nested(501, '[', ']')}]`, true)
  check(`"${'['.repeat(1000)}`, false)
})

test('parses text that is not nested too deeply', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] })
  expect([parseJson('\ufeff[1]'), parseJson(Buffer.from('\ufeff[1]'))]).toEqual([[1], [1]])
  expect(() => parseJson(nested(501, '[', ']'))).toThrow('it is nested deeper than 500 levels')
  expect(() => parseJson('{')).toThrow(SyntaxError)
})

test('writes a value on one line, whichever characters a program treats as line breaks', () => {
  const value = { a: 'x\u0085\u2028\u2029\n', b: [1] }
  expect(jsonText(value, 0)).toBe('{"a":"x\\u0085\\u2028\\u2029\\n","b":[1]}\n')
  expect(JSON.parse(jsonText(value))).toEqual(value)
})

test('returns undefined for text that is not JSON or is nested too deeply', () => {
  expect([parseJsonOrUndefined('{"a":1}'), parseJsonOrUndefined('{')]).toEqual([
    { a: 1 },
    undefined,
  ])
  expect(parseJsonOrUndefined(nested(501, '[', ']'))).toBeUndefined()
  expect([{}, [], null, 'a'].map(isRecord)).toEqual([true, false, false, false])
})
