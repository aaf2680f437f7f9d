import { childElements, type DocbookElement } from './docbook-tree.ts'

/** Rows are padded to the longest one, so a short text could produce many cells. */
const cellLimit = 20_000

/** Writes a CALS or HTML table as Markdown; `write` returns the text of a cell. */
export function docbookTable(
  element: DocbookElement,
  write: (cell: DocbookElement) => string,
): string[] {
  const groups = childElements(element).filter(({ name }) => name === 'tgroup')
  return (groups.length > 0 ? groups : [element]).flatMap((group) => {
    const head = rowsOf(group, /^thead$/).map((row) => cellsOf(row, write))
    const body = rowsOf(group, /^(?:tbody|tfoot)$/)
    const rows = (body.length > 0 || head.length > 0 ? body : directRows(group)).map((row) =>
      cellsOf(row, write),
    )
    const width = [...head, ...rows].reduce((most, row) => Math.max(most, row.length), 0)
    if (width === 0 || width * (head.length + rows.length) > cellLimit) return []
    const line = (cells: readonly string[]) =>
      `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`
    const [first = [], ...more] = head
    return [[line(first), `|${' --- |'.repeat(width)}`, ...[...more, ...rows].map(line)].join('\n')]
  })
}

function rowsOf(group: DocbookElement, part: RegExp): DocbookElement[] {
  return childElements(group)
    .filter(({ name }) => part.test(name))
    .flatMap(directRows)
}

function directRows(part: DocbookElement): DocbookElement[] {
  return childElements(part).filter(({ name }) => name === 'row' || name === 'tr')
}

function cellsOf(row: DocbookElement, write: (cell: DocbookElement) => string): string[] {
  return childElements(row)
    .filter(({ name }) => /^(?:entry|entrytbl|td|th)$/.test(name))
    .map((cell) => write(cell).replace(/\s+/g, ' ').replaceAll('|', '\\|').trim())
}
