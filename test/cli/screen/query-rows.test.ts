import { expect, test } from 'bun:test'
import { styledLine, plainText } from '../../../src/cli/screen/span.ts'
import { termsToMark, markTerms, selectRows } from '../../../src/cli/screen/query-rows.ts'

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
