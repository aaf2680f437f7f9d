import { expect, test } from 'bun:test'
import { foreignSentences } from '../../../src/library/add/foreign-sentences.ts'

test('enough of them for a quantile, all different, words and whole questions', () => {
  expect(new Set(foreignSentences).size).toBe(foreignSentences.length)
  expect(foreignSentences.length).toBeGreaterThanOrEqual(60)
  const lengths = foreignSentences.map((text) => text.split(' ').length)
  expect(Math.min(...lengths)).toBe(1)
  expect(Math.max(...lengths)).toBeGreaterThan(6)
})
