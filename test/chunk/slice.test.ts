import { expect, test } from 'bun:test'
import { slices } from '../../src/chunk/slice.ts'

type Sizes = { size: number; most: number }

function check(name: string, text: string, sizes: Sizes, expected: string[]) {
  test(name, () => {
    const found = slices(text, { start: 0, end: text.length }, sizes)
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(expected)
  })
}

check('short text stays', ' a b ', { size: 9, most: 9 }, [' a b '])
check('lines fill a slice', 'aa\nbb\ncc\ndd', { size: 6, most: 6 }, ['aa\nbb\n', 'cc\ndd'])
check('a longer line stays whole within most', 'aa\nbbb bbb\ncc', { size: 4, most: 8 }, [
  'aa\n',
  'bbb bbb\n',
  'cc',
])
check('sentences before words', 'a b. c d. e f g', { size: 5, most: 6 }, [
  'a b. ',
  'c d. ',
  'e f g',
])
check('words', 'aa bb cc', { size: 4, most: 4 }, ['aa ', 'bb ', 'cc'])
check('code points, not halves of them', 'a😀😀', { size: 2, most: 2 }, ['a', '😀', '😀'])
check('one wider than a slice stays', '😀😀', { size: 1, most: 1 }, ['😀', '😀'])
check('whitespace goes with the text before it', 'aaaa     bbbb', { size: 4, most: 4 }, [
  'aaaa     ',
  'bbbb',
])
check('but indentation with its line', 'aaaa\n\n  bbbb', { size: 4, most: 4 }, [
  'aaaa\n\n',
  '  bbbb',
])
