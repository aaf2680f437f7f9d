import { expect, test } from 'bun:test'
import { excerptText } from '../../../src/search/excerpt/excerpt-text.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'
import { matchingTableRows } from '../../../src/search/excerpt/table-rows.ts'
import { indexTermsOf } from '../../../src/chunk/terms.ts'
import type { Markup } from '../../../src/document/headings.ts'

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

test('ignores HTML tables', () => {
  const cell = (name: string) => `<tr>\n<td>${name}</td>\n<td>\n* ${says(name)}</td>\n</tr>\n`
  const html = `# Boiler\n\n<table>\n${names.map(cell).join('')}</table>\n`
  expect(shown(html, 'markdown', 'boiler steam')).toBeNull()
})
