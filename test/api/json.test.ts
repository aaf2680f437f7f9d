import { expect, test } from 'bun:test'
import { isRecord, parsedJson } from '../../src/api/link/npm-package.ts'

test('gives undefined for text that is not JSON', () => {
  expect([parsedJson('{"a":1}'), parsedJson('{')]).toEqual([{ a: 1 }, undefined])
  expect([{}, [], null, 'a'].map(isRecord)).toEqual([true, false, false, false])
})
