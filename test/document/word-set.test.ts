import { expect, test } from 'bun:test'
import { wordMap, wordSet } from '../../src/document/word-set.ts'

test('reads the words of a list of several lines', () => {
  expect([...wordSet('\n  a b\n  c\n')]).toEqual(['a', 'b', 'c'])
})

test('reads pairs of words', () =>
  expect([...wordMap('a:b c:')]).toEqual([
    ['a', 'b'],
    ['c', ''],
  ]))
