import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  chunkTerms,
  queryTerms,
  indexTermsOf,
  termsAmong,
  termsAmongParts,
  withoutRequest,
} from '../../src/chunk/terms.ts'
import { cpuMs } from '../support/pages/cpu-time.ts'

describe('splits text into terms', () => {
  function check(text: string, expected: string) {
    test(text.slice(0, 40), () => {
      expect(indexTermsOf(text).join(' ')).toBe(expected)
      // A character outside ASCII selects another pattern for the whole text.
      expect(indexTermsOf(`${text} 使`).join(' ')).toBe(`${expected} 使`.trim())
    })
  }
  check('Running runs', 'run run')
  check('con&shy;fig', 'config')
  check('useEffect', 'useeffect us effect')
  check('createCollection createcollection', 'createcollect creat collect createcollect')
  check('HTTPServer2', 'httpserver2 http server 2')
  check('include_in_schema', 'include_in_schema includ in schema')
  check('app.include_router()', 'app.include_router include_router app includ router')
  check('--no-cache', '--no-cache no-cache no cach')
  check('ERR_MODULE_NOT_FOUND', 'err_module_not_found err modul not found')
  check('@scope/pkg', '@scope/pkg scope pkg')
  check('1.2.3', '1.2.3 1 2 3')
  check('C++, C# and C', 'c++ c c# c and c')
  check('$lookup', '$lookup lookup')
  check('std::vector a->b', 'std::vector std vector a->b a b')
  check('Le café naïve Straße GRÖSSE größe', 'le cafe naiv strass gross gross')
  check('使用 Vue 组件', '使 用 vue 组 件')
  check('fullwidth ＡＢＣ', 'fullwidth abc')
  check('', '')
  check('"*:(\\\' \0 -- + ^~', '')
  check('🚀 👩‍👩‍👧', '')
})

test('returns the same terms for a word after the cache is emptied', () => {
  const words = ['useEffect', 'include_in_schema', '--no-cache', 'Häuser', 'C++', 'running']
  const first = words.map((word) => indexTermsOf(word))
  first.forEach((found) => Object.freeze(found))
  for (let i = 0; i < 30_000; i += 1_000) {
    indexTermsOf(Array.from({ length: 1_000 }, (_, k) => `word${i + k}x`).join(' '))
    expect(words.map((word) => indexTermsOf(word))).toEqual(first)
  }
  const mine = indexTermsOf('running')
  mine.push('other')
  expect(indexTermsOf('running')).toEqual(['run'])
})

test('returns no term that contains whitespace or exceeds the limit of the index', () => {
  const texts = [
    'a\u00a0b\u2028c\u3000d',
    'x'.repeat(5000),
    'ж'.repeat(5000),
    '𝔘𝔫𝔦',
    'a-'.repeat(5000),
    'क्षत्रिय'.repeat(100),
    'e\u0301'.repeat(500),
  ]
  for (const text of texts) {
    const found = indexTermsOf(text)
    expect(found.length).toBeGreaterThan(0)
    for (const term of found) {
      expect(term).not.toMatch(/\s/)
      expect(Buffer.byteLength(term)).toBeLessThanOrEqual(400)
    }
  }
})

test('counts title and headings twice, path and body once', () => {
  const fields = { title: 'Alpha', heading: 'Beta', path: 'docs/gamma', body: 'delta' }
  expect(chunkTerms(fields).join(' ')).toBe('alpha alpha beta beta docs/gamma doc gamma delta')
})

describe('keeps the distinct content words of a query', () => {
  function check(text: string, expected: string, limit = 256) {
    test(text.slice(0, 40), () => expect(queryTerms(text, limit).join(' ')).toBe(expected))
  }
  check('How do I use the use of it?', 'us')
  check('to be or not to be', 'not')
  check('who is it', 'who is it')
  check('or operator', 'or oper')
  check('or the operator', 'oper')
  check('red green blue', 'red green', 2)
  check('show me an example of a lock', 'lock')
  check('show me how to lock a door, with code', 'lock door')
  check('Example of joining two tables', 'join two tabl')
  check('show code for closing a lock', 'close lock')
  check('a minimal working example of a lock', 'lock')
  check('how do I join tables, with an example?', 'join tabl')
  check('add example data to the docs', 'add exampl data doc')
  check('example.com of a sample rate', 'example.com exampl com sampl rate')
  check('code example', 'code')
  check('', '')
})

test('splits hostile texts in linear time', () => {
  const spentMs = cpuMs(() => {
    for (const piece of ['a-', '--', '@@', 'A', '.a', '->', 'aA', '$', '\u0301', '使']) {
      indexTermsOf(piece.repeat(100_000))
    }
    for (const piece of [' ', ', ', ' with', 'show me ']) withoutRequest(piece.repeat(100_000))
  })
  expect(spentMs).toBeLessThan(20_000)
})

test('finds the same wanted terms as splitting the whole text', () => {
  const ends = ['', 'y', 'ies', 'ied', 'ing', 'ed', 'e', 'ability', 'ibly', 'ably', 'ational']
  const more = ['ization', 'ency', 'iveness', 'icate', 'ously', 'ement', 'ically', 'tional', 'lled']
  const word = fc
    .tuple(fc.stringMatching(/^[a-z]{0,4}$/), fc.constantFrom(...ends, ...more))
    .map((parts) => parts.join(''))
  const sign = fc.constantFrom(
    ' ',
    '\n',
    '-',
    '_',
    '.',
    '--',
    '::',
    '(',
    'A',
    'é ',
    'İ ',
    '’s\u00a0',
    '使',
  )
  const text = fc
    .array(fc.tuple(word, sign), { maxLength: 12 })
    .map((parts) => parts.flat().join(''))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const wanted = new Set(indexTermsOf(one))
      for (const searched of [one, other, one + other]) {
        const expected = new Set(indexTermsOf(searched).filter((term) => wanted.has(term)))
        expect(termsAmong(wanted, searched)).toEqual(expected)
        const [from, to] = [searched.length >> 2, searched.length >> 1]
        const parts = [
          [0, from],
          [from, to],
          [from, searched.length],
        ] as const
        const ranges = parts.map(([start, end]) => ({ start, end }))
        expect(termsAmongParts(wanted, searched, ranges)).toEqual(
          ranges.map(({ start, end }) => termsAmong(wanted, searched.slice(start, end))),
        )
      }
    }),
    { numRuns: 500 },
  )
})
