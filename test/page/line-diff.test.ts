import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { linePairs } from '../../src/page/line-diff.ts'

/** Pairs as `before|after`, with `-` for a missing line. */
function check(before: string, after: string, expected: string): void {
  const pairs = linePairs(before.replaceAll(' ', '\n'), after.replaceAll(' ', '\n'))
  const shown = pairs.map((pair) => `${pair.before ?? '-'}|${pair.after ?? '-'}`).join(' ')
  expect(shown).toBe(expected)
}

test('pairs equal lines with each other, and replaced lines with their replacements', () => {
  check('a b c', 'a b c', 'a|a b|b c|c')
  check('a b c', 'a x c', 'a|a b|x c|c')
  check('a c', 'a b c', 'a|a -|b c|c')
  check('a b c d', 'a d', 'a|a b|- c|- d|d')
  check('', 'a', '-|a')
  check('a', '', 'a|-')
  check('', '', '')
  check('a b c d', 'b x d', 'a|- b|b c|x d|d')
})

test('keeps both texts complete, whatever their length', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const pairs = linePairs(a.join('\n'), b.join('\n'))
      const side = (of: 'before' | 'after') => pairs.flatMap((it) => it[of] ?? []).join('\n')
      expect([side('before'), side('after')]).toEqual([a.join('\n'), b.join('\n')])
    }),
  )
  const long = (word: string) => Array.from({ length: 3_000 }, (_, i) => `${word}${i}`).join('\n')
  expect(linePairs(long('a'), long('b'))).toHaveLength(3_000)
})
