import { expect, test } from 'bun:test'
import { splitLines } from '../../../src/mcp/stdio.ts'

/** Expects these lines from pieces of bytes; a line over the limit is `HEAD…TAIL`. */
function check(pieces: (string | Buffer)[], expected: string[], maxBytes = 600): void {
  const lines: string[] = []
  const split = splitLines(maxBytes, {
    onLine: (line) => void lines.push(line),
    onTooLong: (head, tail) => void lines.push(`${head}…${tail}`),
  })
  for (const piece of pieces) split(Buffer.from(piece))
  expect(lines).toEqual(expected)
}

test('splits lines independently of how the bytes arrive', () => {
  check(['a\nb', 'c\n', '\nd'], ['a', 'bc', ''])
  check(
    [...Buffer.from('é🦫\n')].map((byte) => Buffer.from([byte])),
    ['é🦫'],
  )
  check([''], [])
})

test('truncates a long line in the middle and keeps the next line intact', () => {
  const [head, tail] = ['h'.repeat(256), 't'.repeat(256)]
  const long = `${head}${'x'.repeat(1000)}${tail}`
  check([`${long}\nnext\n`], [`${head}…${tail}`, 'next'])
  check([...long.match(/.{1,100}/g)!, '\nnext\n'], [`${head}…${tail}`, 'next'])
})

test('keeps a line of exactly the limit whole', () => {
  check([`${'x'.repeat(600)}\n`], ['x'.repeat(600)])
  check([`${'x'.repeat(601)}\n`], [`${'x'.repeat(256)}…${'x'.repeat(256)}`])
})
