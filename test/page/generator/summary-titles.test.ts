import { expect, test } from 'bun:test'
import { summaryTitles } from '../../../src/page/generator/summary-titles.ts'

test('reads the links of a summary, with their titles as text', () => {
  const summary = '# Summary\n[A](a.md)\n* [`b` & [c]](<d/e f.md>)\n  1. [G](../g.md)\n[x]()\n'
  expect([...summaryTitles(summary, 'src')]).toEqual([
    ['src/a.md', 'A'],
    ['src/d/e f.md', 'b & [c]'],
    ['g.md', 'G'],
  ])
})
