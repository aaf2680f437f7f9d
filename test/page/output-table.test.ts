import { expect, test } from 'bun:test'
import { htmlTablesToMarkdown } from '../../src/page/output-table.ts'

const check = (html: string, expected: string) =>
  expect(htmlTablesToMarkdown(html, 2000)).toBe(expected)

test('converts rows and cells with or without closing tags', () => {
  check('<table><tr><td>a<td>b<tr><td>c</table>', '|  |  |\n|---|---|\n| a | b |\n| c |  |')
  check('<table><tr><th>a</th></tr><tr><td>b<br>c\n d</td></tr></table>', '| a |\n|---|\n| b c d |')
  check(
    '<table><tr><td colspan="2">a</td></tr><tr><td>b</td><td>c</td></tr>',
    '|  |  |\n|---|---|\n| a |  |\n| b | c |',
  )
  check('<p>a</p>', '')
  check('<table></table><td>x</td></table>', '')
})

test('escapes text that could be markup', () =>
  check(
    '<table><tr><td>a|b \\ &lt;i&gt; *c* `d` e_f_g</td></tr></table>',
    '|  |\n|---|\n| a\\|b \\\\ \\<i> \\*c\\* \\`d\\` e_f_g |',
  ))

test('converts a nested table to a separate one', () =>
  check(
    '<table><tr><td>a<table><tr><td>b</td></tr></table>c</td></tr></table>',
    '|  |\n|---|\n| b |\n\n|  |\n|---|\n| ac |',
  ))

test('cuts a long table, and drops one that is mostly padding', () => {
  const rows = Array.from({ length: 1000 }, (_, i) => `<tr><td>row ${i}</td></tr>`).join('')
  const shown = htmlTablesToMarkdown(`<table>${rows}</table>`, 100)
  expect(shown.length).toBeLessThan(200)
  expect(shown).toEndWith('\n| … |')
  const wide = `<tr>${'<td colspan="50">'.repeat(40)}x</td></tr>`
  const padded = `<table><tr><td>a</td></tr>${wide}${'<tr><td>b</td></tr>'.repeat(100)}</table>`
  expect(htmlTablesToMarkdown(padded, 1e6)).toBe('')
})
