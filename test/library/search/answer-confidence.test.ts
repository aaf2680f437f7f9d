import { expect, test } from 'bun:test'
import { confidenceOf } from '../../../src/library/search/doubt.ts'
import { plainHit } from '../../support/why.ts'

const doubt = { reason: 'no good match', nearest: [], suggest: [] }

test('reports the confidence of the hits, and weak confidence without hits', () => {
  const hits = [plainHit]
  expect(confidenceOf({ hits, doubt: null, confidence: 'high' })).toBe('high')
  expect(confidenceOf({ hits, doubt: null, confidence: 'medium' })).toBe('medium')
  expect(confidenceOf({ hits, doubt: null, confidence: null })).toBe('high')
  expect(confidenceOf({ hits, doubt, confidence: 'weak' })).toBe('weak')
  expect(confidenceOf({ hits: [], doubt: null, confidence: null })).toBe('weak')
})
