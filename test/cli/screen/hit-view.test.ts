import { expect, test } from 'bun:test'
import {
  fitHits,
  hitLines,
  maxProseColumns,
  toHitView,
  linesPerHit,
  type HitView,
  termsToMark,
  markTerms,
  selectRows,
} from '../../../src/cli/screen/hit-view.ts'
import { lineWidth, plainText, type Line, styledLine } from '../../../src/cli/span.ts'
import type { Hit } from '../../../src/library/library.ts'
import { plainWhy } from '../../support/why.ts'

const hit: Hit = {
  rank: 1,
  score: 0.5,
  library: 'tea',
  version: '2',
  url: 'https://e.org/docs/brew.md',
  title: 'Brewing',
  heading: 'Brewing > Green tea',
  text: 'Wait.',
  chunkId: 'c',
  startLine: 3,
  endLine: 5,
  why: plainWhy,
  anchor: null,
  versions: ['2'],
  path: 'docs/brew.md',
  name: 'brew',
  kind: 'guide',
  language: null,
  markup: 'markdown',
}
const shown = (more: Partial<Hit>) => toHitView({ ...hit, ...more })

test('shows the page title once, and the URL if there is no title', () => {
  expect(shown({}).title).toBe('Brewing › Green tea')
  expect(shown({ title: 'Tea' }).title).toBe('Tea › Brewing › Green tea')
  expect(shown({ heading: '' }).title).toBe('Brewing')
  expect(shown({ heading: '', title: '' }).title).toBe(hit.url)
})

test('names other versions with the same passage', () => {
  expect(shown({}).place).toBe('tea 2, lines 3-5')
  expect(shown({ versions: ['3', '2', '1'] }).place).toBe('tea 2, lines 3-5; the same in 3, 1')
})

test('prints a shell-quoted command that reads the page from the hit on', () => {
  expect(shown({}).command).toBe('og get docs/brew.md --lines 3- -l tea@2')
  expect(shown({ anchor: 'green' }).command).toBe("og get 'docs/brew.md#green' -l tea@2")
  expect(shown({ path: '' }).command).toBe(`og get ${hit.url} --lines 3- -l tea@2`)
  // A path that contains `#` or `?` would be read as an anchor or a query, so the command has the
  // URL.
  expect(shown({ path: 'c#.md' }).command).toStartWith(`og get ${hit.url} `)
  expect(shown({ path: 'what?.md' }).command).toStartWith(`og get ${hit.url} `)
  expect(shown({ path: "it's $(id).md", library: 'a b' }).command).toBe(
    `og get 'it'\\''s $(id).md' --lines 3- -l 'a b@2'`,
  )
})

const plain: HitView = {
  title: 'Tea › Green',
  place: 'tea 2, lines 1-9',
  command: 'og get x',
  text: '## Green\n\none\n\nwater is two\n\nthree\n\nfour\n\nfive',
}
const shape = { columns: 40, queried: new Set(['water']), rank: 12 }
const texts = (lines: readonly Line[]) => lines.map(plainText)

test('renders title, place, relevant lines and command', () => {
  expect(texts(hitLines(plain, { ...shape, lines: 1 }))).toEqual([
    '12  Tea › Green',
    '    tea 2, lines 1-9',
    '    water is two',
    '    og get x',
  ])
  const marked = hitLines(plain, { ...shape, lines: 1 })[2]!.filter(({ isFound }) => isFound)
  expect(marked.map(({ text }) => text)).toEqual(['water'])
})

test('shows all lines without the repeated heading and outer blank lines', () => {
  const rows = texts(hitLines(plain, { ...shape, lines: null })).slice(2, -1)
  expect(rows.map((row) => row.trim())).toEqual([
    'one',
    '',
    'water is two',
    '',
    'three',
    '',
    'four',
    '',
    'five',
  ])
  expect(rows[1]).toBe('')
  const other = hitLines({ ...plain, title: 'Tea' }, { ...shape, lines: null })
  expect(texts(other)[2]).toBe('    ## Green')
})

test('limits a passage to 100 columns and to the screen', () => {
  const long = { ...plain, text: 'word '.repeat(100), title: 'word '.repeat(30) }
  for (const columns of [40, 250]) {
    const lines = hitLines(long, { ...shape, columns, lines: null }).slice(1)
    const widest = Math.max(...lines.map(lineWidth))
    expect(widest).toBeLessThanOrEqual(columns)
    expect(Math.max(...lines.slice(-5, -1).map(lineWidth))).toBeLessThanOrEqual(maxProseColumns)
  }
})

test('shows as many hits as fit, then more lines of the best ones', () => {
  const hits = Array.from({ length: 5 }, (_, i) => ({
    ...plain,
    title: `H${i}`,
    text: 'a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n\nh\n\ni\n\nj',
  }))
  const fitted = (rows: number, isAll = false) => {
    const { lines, shown } = fitHits(hits, { columns: 40, queried: new Set(), rows, isAll })
    return { shown, rows: lines.length }
  }
  // A hit needs a title, a place, a command, a blank line and at least three lines of text.
  const least = 4 + linesPerHit.least
  expect(fitted(2 * least)).toEqual({ shown: 2, rows: 2 * least })
  expect(fitted(3 * least - 1)).toEqual({ shown: 2, rows: 3 * least - 1 })
  // The best hit uses the remaining rows, which suffice for all of its text.
  const all = texts(hitLines(hits[0]!, { columns: 40, queried: new Set(), lines: null, rank: 1 }))
  const written = all.filter((text) => text !== '')
  expect(fitted(1000)).toEqual({ shown: 5, rows: 4 * (4 + linesPerHit.most) + written.length + 1 })
  expect(fitted(5 * (4 + linesPerHit.most) + 2).rows).toBe(5 * (4 + linesPerHit.most) + 2)
  // At least one hit is shown, and all of them if the user gave a number.
  expect(fitted(1)).toEqual({ shown: 1, rows: least })
  expect(fitted(1, true)).toEqual({ shown: 5, rows: 5 * least })
  const { lines } = fitHits(hits, { columns: 40, queried: new Set(), rows: 15, isAll: false })
  expect(texts(lines).indexOf('2  H1')).toBe(least + 1)
  expect(fitHits([], { columns: 40, queried: new Set(), rows: 9, isAll: false })).toEqual({
    lines: [],
    shown: 0,
  })
})

/** Checks the rows selected for a query; `/` separates rows in the text. */
function check(query: string, text: string, expected: string): void {
  const rows = text.split('/').map((one, at) => ({ spans: styledLine(one), at }))
  const told = selectRows(rows, termsToMark(query), 2)
  expect(told.map(({ spans }) => plainText(spans)).join('/')).toBe(expected)
}

test('selects the first adjacent rows with the most query terms', () => {
  check('lamp wick', 'one/two/the lamp/its wick/three', 'the lamp/its wick')
  check('lamp wick', 'a lamp/two/wicks of lamps/lamp', 'wicks of lamps/lamp')
  check('stove', 'one/two/three', 'one/two')
  check('lamp', 'one/two/a lamp/three', 'two/a lamp')
})

test('skips blank rows and prefers the start of a block', () => {
  check('lamp', 'one//two/a lamp//b', 'two/a lamp')
  check('lamp', '', '')
  check('lamp', 'a lamp', 'a lamp')
})

test('marks only query terms, in every inflected form', () => {
  const spans = markTerms(styledLine('Lamps, a lamp and lampshades'), termsToMark('lamp'))
  expect(spans.filter(({ isFound }) => isFound).map(({ text }) => text)).toEqual(['Lamps', 'lamp'])
  expect(plainText(spans)).toBe('Lamps, a lamp and lampshades')
})
