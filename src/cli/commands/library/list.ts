import { loadConfig } from '../../../config/load.ts'
import { type StoredVersion, displayVersion } from '../../../library/list.ts'
import { list as listOperation, type LibraryListing } from '../../../operation/library.ts'
import { command, option } from '../../command.ts'
import type { Terminal } from '../../terminal.ts'
import { rawPagesHint } from '../../answer/raw-pages-hint.ts'
import { fieldOptions } from '../../operation-options.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { jsonText } from '../../../platform/json.ts'
import { sliceAnsi, stringWidth } from 'bun'
import { missingShare } from '../../../library/quality/missing-names.ts'
import { formatBytes } from '../../../platform/file/space.ts'
import { displaySource } from '../../../store/source.ts'
import { printableLine } from '../../span.ts'
import { renderTable } from '../../screen/layout.ts'

const fields = fieldOptions(listOperation.input, {
  search_term: { name: 'search', placeholder: 'TEXT' },
})

export const list = command({
  name: 'list',
  aliases: ['ls', 'list-libraries'],
  summary: listOperation.summary,
  options: { ...fields.options, json: option.flag('print a JSON array') },
  hintForWord: (word) =>
    `og list --search ${shellWord(word)} lists the libraries with this name, ` +
    `og get ${shellWord(word)} the pages of one`,
  async run({ env, terminal, openOg }, { json, ...options }) {
    const config = await loadConfig(env)
    await using og = await openOg(config)
    const answer = await listOperation.run({ versions: og.holdings }, fields.input(options))
    const { libraries, indexed } = answer.value
    if (json) await terminal.write(jsonText(listOperation.json(answer)))
    else if (libraries.length > 0) {
      await terminal.write(renderLibraries(libraries, terminal.width()))
      for (const hint of remediesOf(libraries)) terminal.note('hint', hint)
    } else if (indexed.length > 0) noteNoMatch(terminal, answer.value, options.search ?? '')
    else {
      terminal.note('plain', 'No libraries found.')
      const hint = await rawPagesHint(config)
      terminal.note('hint', hint ?? 'og add LIBRARY --source GIT_URL_OR_FOLDER')
    }
    return 0
  },
})

function noteNoMatch(
  terminal: Pick<Terminal, 'note'>,
  { nearest, indexed }: LibraryListing,
  term: string,
): void {
  terminal.note('plain', `No library has "${term}" in its name.`)
  const names = nearest.length > 0 ? nearest : indexed
  terminal.note('hint', `indexed: ${names.slice(0, mostNamed).join(', ')}`)
}

const mostNamed = 20

function remediesOf(holdings: readonly StoredVersion[]): string[] {
  const remedies = holdings.flatMap(({ library, stale }) =>
    stale.map(({ remedy }) => ({ remedy, library })),
  )
  const groups = Map.groupBy(remedies, ({ remedy }) => remedy)
  return [...groups].map(([remedy, some]) => {
    const libraries = [...new Set(some.map(({ library }) => library))]
    const all = remedy === 'og update' ? ' --all' : ''
    return `for stale libraries: ${remedy}${libraries.length === 1 ? ` ${libraries[0]}` : all}`
  })
}

/** `least` is the minimum width of a shortened cell. Without it, cells keep their width. */
type Column = { head: string; cells: string[]; least?: number }

/**
 * Renders the table of `og list`. On a screen with `width` columns, each library version takes one
 * line: less important columns are dropped, and long cells are shortened in the middle. If `width`
 * is null, the table is complete, because a program reads it.
 */
export function renderLibraries(holdings: readonly StoredVersion[], width: number | null): string {
  const all = columnsOf(holdings)
  if (width === null) return renderTable(rowsOf(all), null)
  let columns = all.map((one) => ({ ...one, cells: one.cells.map(printableLine) }))
  for (const step of steps) if (leastWidth(columns) > width) columns = step(columns)
  if (leastWidth(columns) > width) return renderTable(rowsOf(columns), width)
  for (const head of shortenable) columns = narrowColumn(columns, head, width)
  return renderTable(rowsOf(columns), null)
}

function columnsOf(holdings: readonly StoredVersion[]): Column[] {
  const column = (
    head: string,
    cellOf: (one: StoredVersion) => string,
    least?: number,
  ): Column => ({ head, cells: holdings.map(cellOf), ...(least === undefined ? {} : { least }) })
  return [
    column('LIBRARY', ({ library }) => library, 40),
    column('VERSION', displayVersion, 16),
    column('PAGES', ({ pages }) => String(pages)),
    column('CHUNKS', ({ chunks }) => String(chunks)),
    column('SIZE', ({ bytes }) => (bytes === null ? '-' : formatBytes(bytes))),
    column('INDEXED', ({ indexedAt }) => `${indexedAt.slice(0, 16).replace('T', ' ')}Z`),
    column('STALE', (one) => staleReasons(one).join(', ') || '-', 14),
    column('SOURCE', ({ pack, source }) => pack ?? source.package ?? displaySource(source), 20),
  ]
}

function staleReasons({ stale, names }: StoredVersion): string[] {
  const reasons = stale.map(({ what }) => what)
  return names?.missing ? [...reasons, missingShare(names)] : reasons
}

/** Columns that may contain long cells, in the order of shortening. */
const shortenable = ['SOURCE', 'STALE', 'VERSION', 'LIBRARY']

type Step = (columns: Column[]) => Column[]

const withoutColumn =
  (head: string): Step =>
  (columns) =>
    columns.filter((one) => one.head !== head)

/** Steps that make the table narrower, in order. */
const steps: readonly Step[] = [
  (columns) =>
    columns.filter(({ head, cells }) => head !== 'STALE' || cells.some((cell) => cell !== '-')),
  (columns) =>
    columns.map((one) =>
      one.head === 'INDEXED' ? { ...one, cells: one.cells.map((cell) => cell.slice(0, 10)) } : one,
    ),
  ...['CHUNKS', 'SIZE', 'INDEXED', 'PAGES', 'SOURCE', 'STALE'].map(withoutColumn),
]

/** Shortens the cells of one column until the table fits or the column has its minimum width. */
function narrowColumn(columns: Column[], head: string, width: number): Column[] {
  const surplus = total(columns.map(widthOf)) - width
  if (surplus <= 0) return columns
  return columns.map((one) => {
    if (one.head !== head) return one
    const room = Math.max(one.least ?? 0, widthOf(one) - surplus)
    return { ...one, cells: one.cells.map((cell) => shorten(cell, room)) }
  })
}

function shorten(text: string, room: number): string {
  if (stringWidth(text) <= room) return text
  const first = sliceAnsi(text, 0, Math.ceil((room - 1) / 2))
  return `${first}…${sliceAnsi(text, stringWidth(first) + 1 - room)}`
}

function leastWidth(columns: readonly Column[]): number {
  return total(columns.map((one) => Math.min(widthOf(one), one.least ?? Infinity)))
}

function widthOf({ head, cells }: Column): number {
  return Math.max(...[head, ...cells].map((cell) => stringWidth(cell)))
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1))
}

function rowsOf(columns: readonly Column[]): string[][] {
  const [{ cells } = { cells: [] }] = columns
  const heads = columns.map(({ head }) => head)
  return [heads, ...cells.map((_, i) => columns.map((one) => one.cells[i]!))]
}
