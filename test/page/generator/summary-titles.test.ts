import { expect, test } from 'bun:test'
import { summaryNavigation } from '../../../src/page/generator/summary-titles.ts'

test('reads the links of a summary, with their titles as text', () => {
  const summary = '# Summary\n[A](a.md)\n* [`b` & [c]](<d/e f.md>)\n  1. [G](../g.md)\n[x]()\n'
  expect([...summaryNavigation(summary, 'src').titles]).toEqual([
    ['src/a.md', 'A'],
    ['src/d/e f.md', 'b & [c]'],
    ['g.md', 'G'],
  ])
})

test('reads the parts of a summary and the pages above a page', () => {
  const summary =
    '# Summary\n\n[Start](a.md)\n\n# Guide\n\n- [B](b.md)\n    - [C](c.md)\n- [Draft]()\n    - [D](d.md)\n'
  expect([...summaryNavigation(summary, 'src').sections]).toEqual([
    ['src/a.md', ''],
    ['src/b.md', 'Guide'],
    ['src/c.md', 'Guide\n/src/b.md'],
    ['src/d.md', 'Guide'],
  ])
})
