import { expect, test } from 'bun:test'
import {
  unknownKeys,
  describeAllowedValues,
  parseValue,
  type ValueKind,
  settings,
} from '../../src/config/setting.ts'
import { memorySettings } from '../../src/config/memory-setting.ts'

test('returns keys that are not settings', () => {
  const check = (content: Record<string, unknown>, expected: string[]) =>
    expect(unknownKeys(content)).toEqual(expected)
  check({ db_path: 'x', table_name: 'y', query: { top_k: 5 } }, [])
  check({ dbpath: 'x', query: { topk: 5, top_k: 5 }, new: { a: 1 } }, [
    'dbpath',
    'query.topk',
    'new',
  ])
  check({ query: 5 }, [])
})

/** Compares each raw value with its parsed value; undefined means that it is rejected. */
function check(kind: ValueKind, values: [raw: unknown, expected: unknown][]) {
  expect(values.map(([raw]) => parseValue(kind, raw))).toEqual(values.map(([, it]) => it))
}

test('parses true and false the same way everywhere', () => {
  const flags = [...settings, ...memorySettings].filter(({ kind }) => kind.type === 'switch')
  expect(flags.length).toBeGreaterThan(5)
  for (const { kind } of flags) {
    check(
      kind,
      [true, 'true', ' TRUE ', '1', 1, 'yes', 'On'].map((raw) => [raw, true]),
    )
    check(
      kind,
      [false, 'false', '0', 0, 'no', 'OFF'].map((raw) => [raw, false]),
    )
    check(
      kind,
      ['', 'maybe', '2', null, [], {}].map((raw) => [raw, undefined]),
    )
  }
})

test('parses numbers', () => {
  const whole: ValueKind = { type: 'number', min: -1, max: 100, whole: true }
  check(whole, [
    ['7', 7],
    [' 7 ', 7],
    [7, 7],
    ['-1', -1],
    ['100', 100],
  ])
  const none = ['', '101', '-2', '1.0', 1.5, '1e1', '0x1', '七', null, true, [7], NaN, Infinity]
  check(
    whole,
    none.map((raw) => [raw, undefined]),
  )
  check({ type: 'number', min: 0, max: 1 }, [
    ['0.5', 0.5],
    ['.5', undefined],
    ['1', 1],
  ])
})

test('rejects NUL in text and paths; accepts a number as text but not as a path', () => {
  check({ type: 'text' }, [
    ['a', 'a'],
    [7, '7'],
    ['a\0b', undefined],
    [null, undefined],
  ])
  check({ type: 'path' }, [
    ['a', 'a'],
    [7, undefined],
    ['a\0b', undefined],
  ])
})

test('accepts only the listed choices', () => {
  const choices = { fast: 'native', native: 'native' }
  const none: [unknown, unknown][] = [
    ['constructor', undefined],
    [7, undefined],
    ['', undefined],
  ]
  check({ type: 'choice', choices }, [['fast', 'native'], ['FAST', undefined], ...none])
  check({ type: 'choice', choices, anyCase: true }, [[' FAST ', 'native'], ...none])
})

test('parses lists', () => {
  const names: [unknown, unknown][] = [
    ['a, b,', ['a', 'b']],
    ['["a"]', ['a']],
    [['a'], ['a']],
    ['', []],
    ['[oops', undefined],
    [[1], undefined],
    ['[1]', undefined],
    [7, undefined],
  ]
  check({ type: 'names' }, names)
  check({ type: 'objects' }, [
    ['[{"name":"a.md"}]', [{ name: 'a.md' }]],
    ['a.md', undefined],
    ['[null]', undefined],
  ])
})

test('accepts every default value, and describes every kind', () => {
  for (const { kind, default: fallback } of [...settings, ...memorySettings]) {
    if (fallback !== null) expect(parseValue(kind, fallback)).toEqual(fallback)
    expect(describeAllowedValues(kind)).not.toBe('')
  }
})
