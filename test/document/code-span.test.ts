import { expect, test } from 'bun:test'
import { codeSpanEnds } from '../../src/document/code-span.ts'

const check = (line: string, expected: [number, number][]) =>
  expect([...codeSpanEnds(line)].sort(([a], [b]) => a - b)).toEqual(expected)

test('ends a code span at the next run of as many backticks', () => {
  check('', [])
  check('a `b` c', [[2, 5]])
  check('`` a ` b `` c `', [
    [0, 11],
    [5, 15],
  ])
  check('`a` `b`', [
    [0, 3],
    [2, 5],
    [4, 7],
  ])
  check('``', [])
  check('` `` ```', [])
})
