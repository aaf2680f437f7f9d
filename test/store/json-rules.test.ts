import { expect, test } from 'bun:test'
import {
  optional,
  findShapeFault,
  isCount,
  isText,
  listOf,
  object,
  orNull,
  rule,
} from '../../src/store/json-rules.ts'

const text = rule('a text', isText)
const rules = object({
  name: text,
  sizes: listOf(rule('a count', isCount)),
  note: optional(text),
  next: orNull(text),
})
const sound = { name: 'a', sizes: [0, 1], next: null }

test('accepts a value that satisfies the rules', () => {
  check(null, sound)
  check(null, { ...sound, note: 'b', next: 'c', other: 1 })
})

test('reports the first path that breaks a rule', () => {
  check('x is not an object', [])
  check('x.name is not a text', { ...sound, name: 1 })
  check('x.sizes[1] is not a count', { ...sound, sizes: [0, -1] })
  check('x.sizes[0] is not a count', { ...sound, sizes: [2 ** 53] })
  check('x.note is not a text', { ...sound, note: null })
  check('x.next is not a text or null', { ...sound, next: undefined })
})

function check(expected: string | null, value: unknown): void {
  expect(findShapeFault(value, rules, 'x')).toBe(expected)
}
