import { expect, test } from 'bun:test'
import { linesToMarkdown } from '../../../src/formats/pdf/pdf-text.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const line = (text: string, y: number, more: { x?: number; size?: number } = {}) => {
  const { x = 50, size = 10 } = more
  const run = { text, font: 'f', size, x, end: x + text.length * 5, isMonospace: false }
  return { runs: [run], y, size }
}

test('joins words that are divided at the end of a line, and lines across pages', () => {
  const filler = 'word '.repeat(15).trim()
  const pages = [
    [line(`${filler} infor-`, 100), line(`mation ${filler}`, 112), line(`${filler} and`, 124)],
    [line(`so on ${filler}.`, 100), line('• one', 130), line('1. two', 142)],
  ]
  expect(linesToMarkdown(pages, []).text).toBe(
    `${filler} information ${filler} ${filler} and so on ${filler}.\n\n- one\n\n1. two\n`,
  )
})

test('joins the lines of a heading, and keeps a # at the start of a line as text', () => {
  const body = 'word '.repeat(15).trim()
  const pages = [
    [
      line('A long', 50, { size: 18 }),
      line('heading', 70, { size: 18 }),
      ...[100, 112, 124, 136, 148].map((y) => line(body, y)),
      line('# comment', 180),
    ],
  ]
  const { title, text } = linesToMarkdown(pages, [])
  expect(title).toBe('A long heading')
  expect(text).toStartWith('# A long heading\n\n')
  expect(text).toEndWith('\n\n\\# comment\n')
})

test('reads 300,000 lines and 3,000 entries of an outline in linear time', () => {
  const pages = Array.from({ length: 300 }, (_, page) =>
    Array.from({ length: 1000 }, (_, i) => line(`${page} word ${'. '.repeat(i % 40)}`, i * 12)),
  )
  const outline = Array.from({ length: 3000 }, (_, i) => ({
    title: `entry ${i}`,
    level: 1,
    page: i % 300,
  }))
  const start = usedCpuMs()
  expect(linesToMarkdown(pages, outline).text.length).toBeGreaterThan(1_000_000)
  expect(usedCpuMs() - start).toBeLessThan(15_000)
})
