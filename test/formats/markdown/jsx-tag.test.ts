import { expect, test } from 'bun:test'
import { jsxTag, parseJsxData } from '../../../src/formats/markdown/jsx-tag.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

function check(text: string, expected: [string, string, Record<string, string>] | null): void {
  const tag = jsxTag(text)
  const shown = tag && [tag.kind, tag.name, Object.fromEntries(tag.attributes)]
  expect(shown).toEqual(expected)
}

test('parses JSX tags with their attributes', () => {
  check('<A>', ['open', 'A', {}])
  check('</A.B>', ['close', 'A.B', {}])
  check('<>', ['open', '', {}])
  check('<A b="c" d={"e"} f={`g\\`h`} i j={k > 1} {...l} />', [
    'alone',
    'A',
    { b: 'c', d: 'e', f: 'g`h', i: '', j: '' },
  ])
  check('<A\n  b={{ c: "}" }}\n  d=\'>\'\n>', ['open', 'A', { b: '', d: '>' }])
  check("<A b={['c', \"d\",]} e={['f', g]} h={[]}>", ['open', 'A', { b: 'c\nd', e: '', h: '' }])
  expect(jsxTag('<A b="c">d')!.source).toBe('<A b="c">')
})

test('returns null for text that is not a tag, and for unclosed tags', () => {
  for (const text of ['a', '<1>', '< A>', '<A', '<A b="', '<A b={', '<A b=c>', '<A <'])
    check(text, null)
})

test.each([
  ['inside a value', (length: number) => `"${'\\"'.repeat(length / 2)}`],
  ['in the items of a list', (length: number) => `["${'\\",'.repeat(length / 3)}`],
])('reads strings that are not closed in linear time: %s', (_, textOf) =>
  checkGrowth(textOf, parseJsxData),
)

test('reads a closed string before a string that is not closed as one string', () => {
  expect(parseJsxData('["a, b" + "c, d]')).toEqual({
    items: [{ code: '"a, b" + "c' }, { code: 'd' }],
  })
})
