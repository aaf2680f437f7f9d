import { expect, test } from 'bun:test'
import {
  tokensForBody,
  fitsChunk,
  fitsTokenLimit,
  headingContextOf,
  type ChunkBudget,
} from '../../src/chunk/budget.ts'
import { addOverlap } from '../../src/chunk/cut.ts'
import { countWords } from '../support/count-words.ts'

const budgetOf = (text: string, more: Partial<ChunkBudget> = {}): ChunkBudget => ({
  text,
  title: 'Lamp',
  path: 'lamp.md',
  chunkChars: 20,
  wholeChars: 40,
  maxTokens: 12,
  countTokens: countWords,
  ...more,
})
const whole = (text: string) => ({ start: 0, end: text.length })

test('excludes whitespace at the ends from the counts of characters and tokens', () => {
  const text = `\n\n  ${'ab '.repeat(3)}\n\n`
  const budget = budgetOf(text)
  expect(fitsChunk(budget, headingContextOf(budget, []), { ...whole(text), chars: 8 })).toBe(true)
  expect(fitsChunk(budget, headingContextOf(budget, []), { ...whole(text), chars: 7 })).toBe(false)
})

test('counts the tokens of the text, title, headings and special tokens', () => {
  const text = Array.from({ length: 10 }, () => 'word').join(' ')
  const budget = budgetOf(text)
  const bare = { path: [], prefix: '' }
  expect(fitsTokenLimit(budget, bare, whole(text))).toBe(true)
  expect(fitsTokenLimit({ ...budget, maxTokens: 11 }, bare, whole(text))).toBe(false)
  const deep = headingContextOf(budget, ['One', 'Two'])
  expect(deep.prefix).toContain('Two')
  expect(tokensForBody(budget, deep)).toBe(12 - 2 - countWords(deep.prefix))
  expect(tokensForBody(budget, bare)).toBe(10)
})

/** Returns the text of each range, which begins with its overlap from the previous range. */
function starts(text: string, chars: number, maxTokens = 1000): string[] {
  const budget = budgetOf(text, { maxTokens })
  const half = text.indexOf('|') + 1
  const ranges = [
    { start: 0, end: half },
    { start: half, end: text.length },
  ]
  return addOverlap({ budget, place: { path: [], prefix: '' } }, ranges, chars).map(
    ({ start, end }) => text.slice(start, end),
  )
}

test('starts an overlap at a line or word, and never before the previous range', () => {
  expect(starts('one\ntwo three|\nfour', 12)).toEqual(['one\ntwo three|', 'two three|\nfour'])
  expect(starts('one two three|four', 9)).toEqual(['one two three|', 'three|four'])
  expect(starts('one|four', 100)[1]).toBe('one|four')
  expect(starts('one|four', 0)[1]).toBe('four')
})

test('shortens the overlap to stay within the token limit', () => {
  const text = 'alpha beta gamma delta |epsilon zeta'
  expect(starts(text, 20)[1]).toBe('beta gamma delta |epsilon zeta')
  expect(starts(text, 20, 8)[1]).toBe('delta |epsilon zeta')
  expect(starts(text, 20, 5)[1]).toBe('epsilon zeta')
})
