import { expect, test } from 'bun:test'
import type { Markup } from '../../../src/page/page.ts'
import { excerptText } from '../../../src/search/excerpt/excerpt-text.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'
import { matchingTableRows } from '../../../src/search/excerpt/table-rows.ts'
import { indexTermsOf } from '../../../src/chunk/terms.ts'

const names = Array.from({ length: 60 }, (_, i) =>
  i === 7 ? 'steam_valve' : i === 41 ? 'max_steam' : `option_${i}`,
)
const says = (name: string) =>
  name.includes('steam')
    ? `What ${name} of the boiler does in the cellar`
    : `What ${name} does for the colour of the lamp in the hall`

/**
 * Returns the excerpt of a table for a query that matched rows 30 to 39, or null if no other rows
 * are selected.
 */
function shown(page: string, markup: Markup, query: string): string | null {
  const outline = outlinePage({ text: page, markup })
  const range = { start: page.indexOf('option_30'), end: page.indexOf('option_40') }
  const focus = { terms: indexTermsOf(query), nameScore: () => 0 }
  const excerpt = matchingTableRows(outline, range, focus)
  return excerpt && excerptText(outline, excerpt)
}

function row(name: string): string {
  return `| ${name} | ${says(name)} |\n`
}
const pipes = `# Boiler\n\nIts settings:\n\n| Name | Meaning |\n|---|---|\n${names.map(row).join('')}\n`

test('shows the header and the matching rows of a long table, wherever they are', () => {
  expect(shown(pipes, 'markdown', 'boiler steam')).toBe(
    '# Boiler\n\nIts settings:\n\n| Name | Meaning |\n|---|---|\n[…]\n' +
      `${row('steam_valve')}[…]\n${row('max_steam')}`.trimEnd(),
  )
})

test('ends a row of a grid at its rule, and shows the header of a list table', () => {
  const rule = `+${'-'.repeat(20)}+${'-'.repeat(80)}+\n`
  const gridRow = (name: string) =>
    `| ${name.padEnd(18)} | ${says(name).padEnd(78)} |\n|${' '.repeat(20)}| ${'so'.padEnd(78)} |\n`
  const head = `${rule}| Name               | ${'Meaning'.padEnd(78)} |\n${rule.replaceAll('-', '=')}`
  const grid =
    `Boiler\n======\n\nIts settings:\n\n${head}` +
    names.map((name) => gridRow(name) + rule).join('')
  expect(shown(grid, 'rst', 'boiler steam')).toBe(
    `Boiler\n======\n\nIts settings:\n\n${head}[…]\n` +
      `${gridRow('steam_valve')}${rule}[…]\n${gridRow('max_steam')}${rule}`.trimEnd(),
  )
  const item = (name: string) => `   * - ${name}\n     - ${says(name)}\n\n`
  const items =
    `Boiler\n======\n\n.. list-table::\n   :header-rows: 1\n\n   * - Name\n     - Meaning\n\n` +
    names.map(item).join('')
  expect(shown(items, 'rst', 'boiler steam')!.replace(/\n+/g, '\n')).toBe(
    (
      'Boiler\n======\n.. list-table::\n   :header-rows: 1\n   * - Name\n     - Meaning\n[…]\n' +
      `${item('steam_valve')}[…]\n${item('max_steam')}`
    )
      .replace(/\n+/g, '\n')
      .trimEnd(),
  )
})

test('selects no rows if none matches, if other text matches better, or if the table is short', () => {
  expect(shown(pipes, 'markdown', 'kettle')).toBeNull()
  const note = pipes.replace('option_35 |', 'option_35 | Never in the attic. |')
  expect(shown(note, 'markdown', 'boiler steam')).toContain('max_steam')
  expect(shown(note, 'markdown', 'boiler cellar steam attic')).toBeNull()
  const short = pipes
    .split('\n')
    .filter((line) => !/option_[1245]/.test(line))
    .join('\n')
  expect(shown(short, 'markdown', 'boiler steam')).toBeNull()
  expect(
    shown('# Boiler\n\noption_30 and the option_40 of steam.\n', 'markdown', 'steam'),
  ).toBeNull()
})

test('keeps a list inside its cell, and ignores HTML tables', () => {
  const item = (name: string) =>
    `   * - ${name}\n     - Either\n\n       * hot\n\n       * ${says(name)}\n\n`
  const items =
    `Boiler\n======\n\n.. list-table::\n   :header-rows: 1\n\n   * - Name\n     - Meaning\n\n` +
    names.map(item).join('')
  expect(shown(items, 'rst', 'boiler steam')!.replace(/\n+/g, '\n')).toContain(
    item('steam_valve').replace(/\n+/g, '\n'),
  )
  const cell = (name: string) => `<tr>\n<td>${name}</td>\n<td>\n* ${says(name)}</td>\n</tr>\n`
  const html = `# Boiler\n\n<table>\n${names.map(cell).join('')}</table>\n`
  expect(shown(html, 'markdown', 'boiler steam')).toBeNull()
})
