import { expect, test } from 'bun:test'
import { didYouMean, distance, nearest } from '../../src/platform/nearest.ts'

const commands = ['add', 'query', 'get', 'list', 'remove', 'doctor', 'version', 'completion']

function check(typed: string, expected: string[]): void {
  expect(nearest(typed, commands)).toEqual(expected)
}

test('a slip of the fingers is recognised', () => {
  check('qeury', ['query'])
  check('qurey', ['query'])
  check('QUERY', ['query'])
  check('lst', ['list'])
  check('comp', ['completion'])
  check('xyz', [])
})

test('edits between two texts; swapped neighbours are one', () => {
  expect(distance('', 'abc')).toBe(3)
  expect(distance('abc', 'abc')).toBe(0)
  expect(distance('abcd', 'acbd')).toBe(1)
  expect(distance('kitten', 'sitting')).toBe(3)
  expect(distance('query', 'qeury')).toBe(1)
})

test('the sentence', () => {
  expect(didYouMean('ad', commands)).toBe('did you mean "add"?')
  expect(didYouMean('zzzz', commands)).toBe('')
})
