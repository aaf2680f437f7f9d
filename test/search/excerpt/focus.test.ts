import { expect, test } from 'bun:test'
import { queryTerms } from '../../../src/chunk/terms.ts'
import { mostRelevantRange, usedTerms } from '../../../src/search/excerpt/focus.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'

/** Returns the part of a text that is most relevant to a query. */
function focused(text: string, query: string, nameScore = (_: string) => 0): string {
  const outline = outlinePage({ text, markup: 'markdown' })
  const terms = queryTerms(query, 64)
  const { start, end } = mostRelevantRange(
    outline,
    { start: 0, end: text.length },
    { terms, nameScore },
  )
  return text.slice(start, end)
}

const line = (i: number) => `Line ${i} tells of boilers and of nothing else that matters here.\n`
const many = Array.from({ length: 40 }, (_, i) => line(i))
const long = many.join('')

test('shows a short text whole', () => {
  expect(focused(many.slice(0, 20).join(''), 'boiler')).toBe(many.slice(0, 20).join(''))
})

test('shows the lines around the queried words in a long text', () => {
  const text = many.toSpliced(30, 0, 'Trim the wick of the lamp.\n').join('')
  const found = focused(text, 'boiler wick')
  expect(found.length).toBeLessThanOrEqual(900)
  expect(found).toContain('Trim the wick of the lamp.\n')
  expect(found).not.toStartWith('Trim')
  expect(found.trimEnd()).not.toEndWith('lamp.')
})

test('starts at the beginning if no part, or every part, matches', () => {
  expect(focused(long, 'boiler')).toStartWith(line(0))
  expect(focused(long, 'zebra')).toStartWith(line(0))
})

test('prefers a matched name to matched words', () => {
  const other = 'The wick, the lamp and the oil.\n'
  const text = many.toSpliced(5, 0, other).toSpliced(35, 0, 'Set max_retries.\n').join('')
  const nameScore = (piece: string) => (piece.includes('max_retries') ? 1 : 0)
  expect(focused(text, 'wick lamp oil', nameScore)).toContain('Set max_retries.')
})

test('cuts a long line between sentences or words', () => {
  const sentence = 'The valve is opened by hand and closed again after a while. '
  const text = `${sentence.repeat(30)}Trim the wick. ${sentence.repeat(30)}`
  const found = focused(text, 'wick')
  expect(found).toContain('Trim the wick.')
  expect(found.length).toBeLessThanOrEqual(900)
  expect(found).toMatch(/^(The valve|Trim)/)
  const words = `${'boiler '.repeat(300)}wick ${'boiler '.repeat(300)}`
  expect(
    focused(words, 'wick')
      .trim()
      .split(' ')
      .every((word) => /^(boiler|wick)$/.test(word)),
  ).toBe(true)
})

test('finds the terms that code passes as parameters or calls as methods', () => {
  const used = (text: string, ...terms: string[]) => [...usedTerms(new Set(terms), text)]
  expect(used("assign(target, 'a.b', 1, missing=dict)", 'miss', 'target')).toEqual(['miss'])
  expect(used('{ retry: 3, delay: wait() }', 'retri', 'delai', 'wait')).toEqual(['retri', 'delai'])
  expect(used('diff(a, b, ignore_order=True)', 'ignor', 'order')).toEqual(['ignor', 'order'])
  expect(used('diff(a, b, ignore_order=True)', 'order')).toEqual([])
  expect(used('watcher.close()', 'close', 'watcher')).toEqual(['close'])
  expect(used('def assign(missing=None):', 'miss')).toEqual([])
  expect(used('if missing == 1 => missing: boolean', 'miss')).toEqual([])
})
