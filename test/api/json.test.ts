import { expect, test } from 'bun:test'
import { isRecord, parseJsonOrUndefined } from '../../src/api/link/npm-package.ts'

test('gives undefined for text that is not JSON', () => {
  expect([parseJsonOrUndefined('{"a":1}'), parseJsonOrUndefined('{')]).toEqual([
    { a: 1 },
    undefined,
  ])
  expect([{}, [], null, 'a'].map(isRecord)).toEqual([true, false, false, false])
})
