import { expect, test } from 'bun:test'
import { didYouMean, distance, nearest } from '../../../src/platform/text/nearest.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

const commands = ['add', 'query', 'get', 'list', 'remove', 'doctor', 'version', 'completion']

function check(typed: string, expected: string[]): void {
  expect(nearest(typed, commands)).toEqual(expected)
}

test('recognises typing errors', () => {
  check('qeury', ['query'])
  check('qurey', ['query'])
  check('QUERY', ['query'])
  check('lst', ['list'])
  check('comp', ['completion'])
  expect(nearest('co', ['cookies', 'cot', 'cow'])).toEqual(['cot', 'cow', 'cookies'])
  check('xyz', [])
})

test('counts a swap of neighbouring letters as one edit', () => {
  expect(distance('', 'abc')).toBe(3)
  expect(distance('abc', 'abc')).toBe(0)
  expect(distance('abcd', 'acbd')).toBe(1)
  expect(distance('kitten', 'sitting')).toBe(3)
  expect(distance('query', 'qeury')).toBe(1)
})

test('formats the suggestion as a question', () => {
  expect(didYouMean('ad', commands)).toBe('did you mean "add"?')
  expect(didYouMean('zzzz', commands)).toBe('')
})

test('returns no suggestion for hostile text, in linear time', async () => {
  expect(nearest('a'.repeat(201), ['a'.repeat(202)])).toEqual([])
  const pages = Array.from({ length: 1000 }, (_, i) => `https://a.example/${'b'.repeat(180)}${i}`)
  await checkGrowth(
    (length) => 'c'.repeat(length),
    (typed) => nearest(typed, pages),
    { length: 10_000, floorMs: 1000 },
  )
})
