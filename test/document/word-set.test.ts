import { expect, test } from 'bun:test'
import { wordSet } from '../../src/document/word-set.ts'

test('reads the words of a list of several lines', () => {
  expect([...wordSet('\n  a b\n  c\n')]).toEqual(['a', 'b', 'c'])
})
