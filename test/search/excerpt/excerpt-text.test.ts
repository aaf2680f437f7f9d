import { expect, test } from 'bun:test'
import type { Excerpt } from '../../../src/search/excerpt/excerpt-range.ts'
import {
  excerptLines,
  excerptText,
  excerptTexts,
} from '../../../src/search/excerpt/excerpt-text.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'

const text = '# A\n\none\n\n```py\ntwo\nthree\n```\n\nfour\n'
const outline = outlinePage({ text, markup: 'markdown' })
const at = (word: string) => {
  const start = text.indexOf(word)
  return { start, end: start + word.length }
}

function check(excerpt: Excerpt, expected: { text: string; lines: [number, number] }) {
  expect(excerptText(outline, excerpt)).toBe(expected.text)
  expect(excerptLines(outline, excerpt)).toEqual(expected.lines)
}

test('joins adjacent parts without a gap mark', () => {
  check({ ranges: [at('one')], frame: [at('# A')] }, { text: '# A\n\none', lines: [3, 3] })
})

test('marks gaps, without blank lines inside code', () => {
  check(
    { ranges: [at('four')], frame: [at('# A')] },
    { text: '# A\n\n[…]\n\nfour', lines: [10, 10] },
  )
  const fence = { ...at('```py\n'), isTight: true }
  check(
    { ranges: [at('three\n```')], frame: [fence] },
    { text: '```py\n[…]\nthree\n```', lines: [7, 8] },
  )
})

test('reports the first and last line of all matched parts', () => {
  const ranges = [at('one'), at('four')]
  check({ ranges, frame: [at('# A')] }, { text: '# A\n\none\n\n[…]\n\nfour', lines: [3, 10] })
  expect(excerptTexts(outline, { ranges, frame: [at('# A')] })).toEqual(['one', 'four'])
})

test('marks a gap after a note that replaces other variants', () => {
  const note = { start: at('two').start, end: at('two').end, instead: '[also: B]' }
  check(
    { ranges: [at('one'), at('four')], frame: [note] },
    { text: 'one\n\n[also: B]\n\n[…]\n\nfour', lines: [3, 10] },
  )
  const whole = { start: at('two').start, end: at('four').start, instead: '[also: B]' }
  check(
    { ranges: [at('one'), at('four')], frame: [whole] },
    { text: 'one\n\n[also: B]\n\nfour', lines: [3, 10] },
  )
})
