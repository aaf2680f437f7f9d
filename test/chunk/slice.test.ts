import { expect, test } from 'bun:test'
import { cutIntoSlices } from '../../src/chunk/fill.ts'

type Sizes = { size: number; most: number }

function check(name: string, text: string, sizes: Sizes, expected: string[]) {
  test(name, () => {
    const found = cutIntoSlices(text, { start: 0, end: text.length }, sizes)
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(expected)
  })
}

check('keeps a short text whole', ' a b ', { size: 9, most: 9 }, [' a b '])
check('fills a slice with lines', 'aa\nbb\ncc\ndd', { size: 6, most: 6 }, ['aa\nbb\n', 'cc\ndd'])
check('keeps a longer line whole up to `most`', 'aa\nbbb bbb\ncc', { size: 4, most: 8 }, [
  'aa\n',
  'bbb bbb\n',
  'cc',
])
check('cuts after sentences rather than words', 'a b. c d. e f g', { size: 5, most: 6 }, [
  'a b. ',
  'c d. ',
  'e f g',
])
check('cuts between words', 'aa bb cc', { size: 4, most: 4 }, ['aa ', 'bb ', 'cc'])
check('cuts between code points, not inside them', 'a😀😀', { size: 2, most: 2 }, ['a', '😀', '😀'])
check('keeps a code point that is wider than a slice', '😀😀', { size: 1, most: 1 }, ['😀', '😀'])
check('adds whitespace to the text before it', 'aaaa     bbbb', { size: 4, most: 4 }, [
  'aaaa     ',
  'bbbb',
])
check('keeps indentation with its line', 'aaaa\n\n  bbbb', { size: 4, most: 4 }, [
  'aaaa\n\n',
  '  bbbb',
])
