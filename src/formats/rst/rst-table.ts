/** A table of plain rst cells. The first `headers` rows are header rows. */
export type RstTable = { rows: string[][]; headers: number }

/**
 * Parses the body of a `.. list-table::`, which is a list of rows with a list of cells. Returns
 * null if it is malformed.
 * @param lines the body without indentation
 */
export function parseListTable(lines: readonly string[], headers: number): RstTable | null {
  const rows: string[][] = []
  let column = 0
  for (const line of lines) {
    const [, before, text] = /^([-*]\s+)[-*](?:\s+(.*))?$/.exec(line) ?? []
    const [, inner, more] = /^(\s+)[-*](?:\s+(.*))?$/.exec(line) ?? []
    const row = rows.at(-1)
    if (before !== undefined) {
      column = before.length
      rows.push([text ?? ''])
    } else if (row !== undefined && inner?.length === column) {
      row.push(more ?? '')
    } else if (row !== undefined && (line.trim() === '' || /^\s/.test(line))) {
      row[row.length - 1] += `\n${line.slice(column).replace(/^ {2}/, '')}`
    } else if (line.trim() !== '') {
      return null
    }
  }
  return rows.length === 0 ? null : { rows, headers }
}

/** Parses a `csv-table`. Quoted values can contain separators and line breaks. */
export function parseCsvTable(
  body: string,
  header: string | undefined,
  separator = ',',
): RstTable | null {
  const heads = header === undefined ? [] : csvRows(header, separator)
  const rows = [...heads, ...csvRows(body, separator)]
  return rows.length === 0 ? null : { rows, headers: header === undefined ? 0 : 1 }
}

function csvRows(text: string, separator: string): string[][] {
  const rows: string[][] = [[]]
  const sign = RegExp.escape(separator)
  const space = `[^\\S\\n${sign}]*`
  const plainValue = `((?:\\\\${sign}|[^${sign}\\n])*)`
  const value = new RegExp(
    `${space}(?:"((?:[^"]|"")*)"${space}|${plainValue})(${sign}|\\n|$)`,
    'gy',
  )
  const unescaped = (plain: string) => plain.replaceAll(`\\${separator}`, separator)
  for (const [whole, quoted, plain = '', end] of text.matchAll(value)) {
    rows
      .at(-1)!
      .push(quoted === undefined ? unescaped(plain).trim() : quoted.replaceAll('""', '"').trim())
    if (end === '\n') rows.push([])
    if (whole === '' || end === '') break
  }
  return rows.filter((row) => row.some((cell) => cell !== ''))
}

/** Parses a table drawn with rules; null for spanning cells, which Markdown lacks. */
export function parseDrawnTable(lines: readonly string[]): RstTable | null {
  const first = lines[0]!.trim()
  return first.startsWith('+') ? gridTable(lines) : simpleTable(lines)
}

function simpleTable(lines: readonly string[]): RstTable | null {
  const starts = [...lines[0]!.matchAll(/=+/g)].map(({ index }) => index)
  const isRule = (line: string) => /^\s*={2,}[= ]*$/.test(line)
  const rules = lines.flatMap((line, i) => (isRule(line) ? [i] : []))
  if (rules.length < 2 || rules.length > 3) return null
  const rows: string[][] = []
  let headers = 0
  for (const [i, line] of lines.entries()) {
    if (i === rules[1] && rules.length === 3) headers = rows.length
    // A rule of hyphens marks spanning cells, or separates rows.
    if (/^\s*-{2,}[- ]*$/.test(line)) {
      const edges = [...line.matchAll(/-+/g)].map(({ index }) => index)
      if (edges.join() !== starts.join()) return null
      continue
    }
    if (isRule(line) || line.trim() === '') continue
    const isCut = starts.some((start) => start > 0 && !/^\s?$/.test(line[start - 1] ?? ''))
    if (isCut) return null
    const cells = starts.map((start, k) => line.slice(start, starts[k + 1]).trim())
    const row = rows.at(-1)
    // A line with an empty first column continues the previous row.
    if (cells[0] !== '' || row === undefined) rows.push(cells)
    else cells.forEach((cell, k) => void (row[k] = `${row[k]} ${cell}`.trim()))
  }
  return joinedHeads(rows, headers)
}

function gridTable(lines: readonly string[]): RstTable | null {
  const indent = lines[0]!.search(/\S/)
  const edges = [...lines[0]!.matchAll(/\+/g)].map(({ index }) => index)
  const rows: string[][] = []
  let headers = 0
  let isNew = true
  for (const line of lines) {
    if (edges.some((edge) => !/[+|]/.test(line[edge] ?? ''))) return null
    if (/^\s*\+[-=+]+\+\s*$/.test(line)) {
      if (line.includes('=')) headers = rows.length
      isNew = true
      continue
    }
    if (line[indent] !== '|') return null
    const cells = edges.slice(0, -1).map((edge, k) => line.slice(edge + 1, edges[k + 1]).trim())
    const row = rows.at(-1)
    if (isNew || row === undefined) rows.push(cells)
    else cells.forEach((cell, k) => void (row[k] += `\n${cell}`))
    isNew = false
  }
  return joinedHeads(rows, headers)
}

/** Joins several header rows into one, because Markdown allows only one. */
function joinedHeads(rows: string[][], headers: number): RstTable | null {
  const [first] = rows
  if (first === undefined) return null
  const head = first.map((_, k) =>
    rows
      .slice(0, headers)
      .map((row) => row[k] ?? '')
      .join(' '),
  )
  return headers < 2 ? { rows, headers } : { rows: [head, ...rows.slice(headers)], headers: 1 }
}
