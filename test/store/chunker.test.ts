import { expect, test } from 'bun:test'
import { chunkerLine, parseChunker, type Chunker } from '../../src/store/chunker.ts'

function check(line: string, expected: Chunker): void {
  expect(parseChunker(line)).toEqual(expected)
  expect(chunkerLine(expected)).toBe(line)
}

const parts = { chunks: '2', terms: 'terms-3', parser: '3', derived: 'pages-5' }

test('parses the chunker line of a registry with its sizes', () => {
  check('2/terms-3/parser-3/pages-5/default/0', { ...parts, chunkChars: null, overlapChars: 0 })
  check('2/terms-3/parser-3/pages-5/1800/200', { ...parts, chunkChars: 1800, overlapChars: 200 })
})

test('rejects the line of another og version', () => {
  const lines = [
    '',
    '1',
    '1/1/default/0',
    '2/terms-3/parser-3/pages-5/default',
    '2/terms-3/parser-3/pages-5/0800/0',
    '2/terms-3/parser-3/pages-5/800/00',
    '2/terms-3/parser-3/pages-5/default/0/more',
    '2/terms-3/3/pages-5/default/0',
  ]
  for (const line of lines) expect(parseChunker(line)).toBe(null)
})
