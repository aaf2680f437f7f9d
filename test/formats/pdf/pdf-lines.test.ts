import { expect, test } from 'bun:test'
import { linesOfPage, markMonospace } from '../../../src/formats/pdf/pdf-lines.ts'

const styles = { f: { fontFamily: 'serif' }, m: { fontFamily: 'monospace' } }
const item = (str: string, [x, y]: [number, number], fontName = 'f') => ({
  str,
  width: str.length * 5,
  transform: [10, 0, 0, 10, x, y],
  fontName,
})
const linesFrom = (items: ReturnType<typeof item>[], transform = [1, 0, 0, -1, 0, 800]) =>
  linesOfPage({ items, styles, transform })

test('joins runs on one baseline, and begins a line when the text jumps back', () => {
  const lines = linesFrom([
    item('a', [50, 700]),
    item('b', [80, 702]),
    item(' ', [90, 700]),
    item('c', [50, 700]),
    item('d', [50, 680], 'm'),
  ])
  expect(lines.map(({ runs, y }) => [runs.map(({ text }) => text).join(), y])).toEqual([
    ['a,b', 100],
    ['c', 100],
    ['d', 120],
  ])
  expect(lines.at(-1)?.runs[0]?.isMonospace).toBe(true)
})

test('omits vertical text, and reads the text of a turned page', () => {
  const vertical = { ...item('up', [10, 10]), transform: [0, 10, -10, 0, 10, 10] }
  expect(linesFrom([vertical])).toEqual([])
  expect(linesFrom([vertical], [0, 1, 1, 0, 0, 0])).toHaveLength(1)
})

test('marks a font as monospaced if all its texts have the same width per character', () => {
  const code = Array.from({ length: 8 }, (_, i) => item(`il${'m'.repeat(i)}`, [0, i * 20]))
  const lines = linesFrom(code)
  markMonospace([lines])
  expect(lines.every(({ runs }) => runs[0]?.isMonospace)).toBe(true)
  const prose = linesFrom(code.map((it, i) => ({ ...it, width: it.width + i })))
  markMonospace([prose])
  expect(prose.some(({ runs }) => runs[0]?.isMonospace)).toBe(false)
})
