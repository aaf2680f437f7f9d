import { expect, test } from 'bun:test'
import {
  closeBox,
  openBox,
  pushOutputLine,
  pushBlock,
  pushText,
  type MdxOut,
} from '../../../src/formats/markdown/mdx-out.ts'

const written = (write: (out: MdxOut) => void) => {
  const out: MdxOut = { lines: [], filled: -1, items: [] }
  write(out)
  return { text: out.lines.join('\n'), items: out.items }
}

test('turns an empty box into its title', () => {
  expect(
    written((out) => {
      const box = openBox(out, 'a', 2)
      pushOutputLine(out, '')
      closeBox(out, box)
    }).text,
  ).toBe('  a\n\n')
  expect(
    written((out) => {
      const box = openBox(out, 'a', 0)
      pushBlock(out, 'b\t\nc', 1)
      closeBox(out, box)
    }).text,
  ).toBe('a\t\n\n b\n c\n\t')
})

test('closes list items at a line that begins before their text', () => {
  const items = (...lines: string[]) =>
    written((out) => {
      for (const line of lines) pushText(out, line)
    }).items
  expect(items('1. a', '   - b')).toEqual([3, 5])
  expect(items('1. a', '   - b', '', '   c')).toEqual([3])
  expect(items('- a', 'b')).toEqual([])
  expect(items(`${' '.repeat(200)}- a`)).toEqual([])
})
