import { expect, test } from 'bun:test'
import { confidenceOf } from '../../../src/library/search/answer-confidence.ts'

test('calls an answer sure if it has hits and no doubt', () => {
  const doubt = { reason: 'no good match in kit 1', nearest: [], suggest: [] }
  expect(confidenceOf({ hits: [1], doubt: null })).toBe('high')
  expect(confidenceOf({ hits: [1], doubt })).toBe('weak')
  expect(confidenceOf({ hits: [], doubt })).toBe('weak')
  expect(confidenceOf({ hits: [], doubt: null })).toBe('weak')
})
