import { headings } from '../headings.ts'
import { parseCsvTable, parseDrawnTable, parseListTable, type RstTable } from './rst-table.ts'

/**
 * Converts reStructuredText to Markdown for display. Each line of the source becomes one line of
 * Markdown, so that line numbers stay valid. Handles only the directives that `simplifyRst` keeps:
 * code, formulas, pictures and tables. A drawn table with spanning cells stays a drawing.
 * `language` is the one of code blocks that name none.
 */
export function rstToMarkdown(text: string, language = ''): string {
  // The lines change below, because reading a block removes the indentation of its content.
  const lines = text.split('\n')
  const out: string[] = lines.map(() => '')
  const titles = titlesByLine(text)
  let at = 0
  while (at < lines.length) {
    const title = titles.get(at)
    if (title !== undefined) {
      out[at] = `${'#'.repeat(Math.min(6, title.level))} ${inline(title.text)}`
      at = title.end
    } else {
      at = block({ lines, out, language }, at)
    }
  }
  return out.join('\n')
}

type Title = { level: number; text: string; end: number }

function titlesByLine(text: string): Map<number, Title> {
  const titles = new Map<number, Title>()
  let [line, from] = [0, 0]
  const lineAt = (offset: number) => {
    for (;;) {
      const next = text.indexOf('\n', from)
      if (next < 0 || next >= offset) return line
      from = next + 1
      line++
    }
  }
  for (const { offset, end, level, title } of headings(text, 'rst')) {
    const start = lineAt(offset)
    titles.set(start, { level, text: title, end: Math.max(start + 1, lineAt(end)) })
  }
  return titles
}

const codeDirective = new RegExp(
  '^(\\s*)\\.\\. (code-block|code|sourcecode|parsed-literal' +
    '|ipython|testcode|prompt|tab-code)::[ \\t]*(\\S*)',
)
const directive = /^(\s*)\.\. ([\w:.-]+)::[ \t]*(.*)$/
const rule = /^\s*(?:\+[-=+]{3,}\+|={2,}(?: +={2,})+)\s*$/

type Conversion = { lines: string[]; out: string[]; language: string }

/** Converts the block that begins at a line. @returns the line after it */
function block({ lines, out, language: usual }: Conversion, at: number): number {
  const line = lines[at]!
  const [, indent, name, own] = codeDirective.exec(line) ?? []
  if (indent !== undefined) {
    const language = own || (name === 'parsed-literal' ? '' : usual)
    return literal(lines, out, { at, indent: indent.length, language })
  }
  if (rule.test(line)) return convertDrawing(lines, out, at)
  const [, before, directiveName, words] = directive.exec(line) ?? []
  if (before !== undefined) {
    return convertDirective(lines, out, {
      at,
      indent: before.length,
      name: directiveName!,
      words: words!,
    })
  }
  if (doctest.test(line)) return prompts(lines, out, at)
  const [, margin = '', note, noteText = ''] = footnote.exec(line) ?? []
  if (note !== undefined) {
    out[at] = `${margin}\\[${note}\\] ${inline(noteText)}`
    moveLeft(lines, at + 1, margin.length)
    return at + 1
  }
  if (/^\s*\.\.(?:\s|$)/.test(line)) return bodyEnd(lines, at + 1, columns(line))
  if (/::\s*$/.test(line)) {
    const words = line.trimEnd().slice(0, -2)
    out[at] = words.trim() === '' ? '' : inline(/\s$/.test(words) ? words.trimEnd() : `${words}:`)
    return literal(lines, out, { at, indent: columns(line), language: '' })
  }
  if (columns(line) >= 4 && isQuotation(lines, at)) {
    moveLeft(lines, at, 0)
    return at
  }
  if (isTerm(lines, at)) return term(lines, out, at)
  out[at] = inline(
    line.replace(/^(\s*)(?:#|\w)\.(?=\s)/, (whole, space: string) =>
      /#/.test(whole) ? `${space}1.` : whole,
    ),
  )
  return at + 1
}

const footnote = /^(\s*)\.\. \[([#*\w.-]{1,60})\](?:[ \t]+(.*))?$/s

/** Matches the start of a line that is neither a term nor the plain text of a definition. */
const otherStart =
  /^\s*(?:(?:[-*+•|]|\.\.|\(?(?:\d+|#|[a-z])[.)]|:[^:]+:)(?:\s|$)|>|--?\w|[=~^"'-]{3,}$)/i

/** Whether a line is a term whose definition is indented on the next line. */
function isTerm(lines: readonly string[], at: number): boolean {
  const [line, next] = [lines[at]!, lines[at + 1] ?? '']
  if (line.trim() === '' || next.trim() === '' || columns(next) <= columns(line)) return false
  const before = lines[at - 1] ?? ''
  return !otherStart.test(line) && (before.trim() === '' || columns(before) === columns(line))
}

/** Converts a term to a bold line above its definition, which loses its indentation. */
function term(lines: string[], out: string[], at: number): number {
  const line = lines[at]!
  const indent = columns(line)
  const words = inline(line.trim())
  const isBroken = !otherStart.test(lines[at + 1]!) && !/::\s*$/.test(lines[at + 1]!)
  const above = out[at - 1] ?? ''
  if (above.trim() !== '' && !/^\s*(?:#|`{3})|\\$/.test(above)) out[at - 1] = `${above}\\`
  const strong = /[*_]/.test(words) ? words : `**${words}**`
  out[at] = `${' '.repeat(indent)}${strong}${isBroken ? '\\' : ''}`
  moveLeft(lines, at + 1, indent)
  return at + 1
}

type DirectiveLine = { at: number; indent: number; name: string; words: string }

/** Converts a directive without code. Returns the line after it. */
function convertDirective(lines: string[], out: string[], directive: DirectiveLine): number {
  const { at, indent, name, words } = directive
  const first = options(lines, at + 1)
  const margin = ' '.repeat(indent)
  if (name === 'list-table' || name === 'csv-table') {
    const end = table(lines, out, directive)
    if (end !== null) return end
  }
  if (name === 'math') {
    out[at] = words === '' ? '' : `${margin}\`${words}\``
    return literal(lines, out, { at, indent, language: '' })
  }
  if (name === 'raw') {
    const end = bodyEnd(lines, first, indent)
    moveLeft(lines, first, indent)
    if (/html/i.test(words)) for (const i of range(first, end)) out[i] = lines[i]!
    return end
  }
  if (name === 'image' || name === 'figure') {
    const alt = option(lines, at, 'alt') || words.replace(/^.*\//, '')
    out[at] = `${margin}![${alt.replace(/[[\]\\]/g, '')}](<${words.replace(/[<>\\]/g, '')}>)`
  } else {
    const isFile = /^(?:toctree|contents|include|literalinclude)$/.test(name)
    const file = `\`${name}: ${words.replaceAll('`', '')}\``
    out[at] = margin + (isFile ? file : `**${name}** ${inline(words)}`)
  }
  moveLeft(lines, first, indent)
  return first
}

/** The line after the options of a directive, which have the form `:name: value`. */
function options(lines: string[], from: number): number {
  let at = from
  while (/^\s+:[\w-]+:/.test(lines[at] ?? '')) at++
  return at
}

/** The value of an option of the directive at a line; '' if it is absent. */
function option(lines: string[], at: number, name: string): string {
  const line = lines
    .slice(at + 1, options(lines, at + 1))
    .map((line) => line.trim())
    .find((line) => line.startsWith(`:${name}:`))
  return line?.slice(name.length + 2).trim() ?? ''
}

/** Converts a table. Returns the line after it; null if the table is malformed. */
function table(lines: string[], out: string[], { at, indent, name, words }: DirectiveLine) {
  const first = options(lines, at + 1)
  const end = bodyEnd(lines, first, indent)
  const filled = range(first, end).filter((i) => lines[i]!.trim() !== '')
  const least = leastIndent(lines, filled)
  const body = lines.slice(first, end).map((line) => line.slice(least))
  const header = option(lines, at, 'header') || undefined
  const table =
    name === 'csv-table'
      ? parseCsvTable(body.join('\n'), header)
      : parseListTable(body, Number(option(lines, at, 'header-rows')) || 0)
  const last = (filled.at(-1) ?? at) + 1
  const isPlaced =
    table !== null && writeTable(out, table, { at, end: last, indent, caption: words })
  return isPlaced ? end : null
}

type Room = { at: number; end: number; indent: number; caption: string }

/** Writes a table to the lines from `at` to `end`. Returns false if the table does not fit. */
function writeTable(out: string[], { rows, headers }: RstTable, room: Room): boolean {
  const { at, end, indent, caption } = room
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width * rows.length > mostCells) return false
  const row = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, k) => cell(cells[k] ?? '')).join(' | ')} |`
  const [head, body] = headers > 0 ? [rows[0]!, rows.slice(1)] : [[], rows]
  const rowLines = [row(head), `|${'---|'.repeat(width)}`, ...body.map(row)]
  const free = end - at - rowLines.length
  if (free < 0) return false
  if (caption !== '' && free > 0) rowLines.unshift(`**${inline(caption)}**`)
  const margin = ' '.repeat(Math.min(indent, 3))
  rowLines.forEach((line, i) => void (out[at + i] = margin + line))
  return true
}

/** Maximum number of cells in a table, because rows are padded to the longest one. */
const mostCells = 200_000

/** A cell as one line of Markdown, with `<br>` between its paragraphs and list items. */
function cell(text: string): string {
  const blocks = text
    .replace(/^[ \t]*(?:\.\. (?:[\w-]+::.*|_.*:)|:[\w-]+: .*)$/gm, '')
    .split(/\n\s*\n|\n(?=\s*[-*+] )/)
    .map((block) => block.replace(/\s+/g, ' ').trim())
  return blocks
    .filter((block) => block !== '')
    .map((block) => inline(block.replace(/^[-*+] /, '• ')).replaceAll('|', '\\|'))
    .join('<br>')
}

const doctest = /^\s*>>>(?:\s|$)/

/** Encloses an interpreter session in a fence, because in Markdown `>` would begin a quote. */
function prompts(lines: string[], out: string[], at: number): number {
  const indent = columns(lines[at]!)
  const isApart = at > 0 && lines[at - 1]!.trim() === '' && out[at - 1] === ''
  if (!isApart) {
    out[at] = lines[at]!.replace('>', '\\>')
    return at + 1
  }
  let end = at + 1
  while (end < lines.length && (lines[end]!.trim() !== '' || doctest.test(lines[end + 1] ?? '')))
    end++
  const margin = ' '.repeat(Math.min(indent, 3))
  const fence = margin + fenceOf(lines.slice(at, end))
  out[at - 1] = `${fence}pycon`
  for (const i of range(at, end)) out[i] = margin + lines[i]!.slice(indent)
  if (end < lines.length) out[end] = fence
  return end + 1
}

/** Reduces the indentation of a body to `indent`, because four columns would turn it into code. */
function moveLeft(lines: string[], from: number, indent: number): void {
  const body = range(from, bodyEnd(lines, from, indent)).filter((i) => lines[i]!.trim() !== '')
  const least = leastIndent(lines, body)
  for (const i of body) lines[i] = lines[i]!.slice(least - indent)
}

/** Whether a line begins a quote: it is indented, follows a blank line, and is not in a list. */
function isQuotation(lines: readonly string[], at: number): boolean {
  if (at > 0 && lines[at - 1]!.trim() !== '') return false
  const indent = columns(lines[at]!)
  const nearby = lines.slice(Math.max(0, at - 60), at)
  const outer = nearby.findLast((line) => line.trim() !== '' && columns(line) < indent)
  return outer === undefined || !/^\s*(?:[-*+•]|(?:\d+|#|\w)[.)])\s/.test(outer)
}

type CodeStart = { at: number; indent: number; language: string }

/** Converts indented code to a fence, whose marks replace the blank lines around the code. */
function literal(lines: string[], out: string[], { at, indent, language }: CodeStart): number {
  const first = options(lines, at + 1)
  const end = bodyEnd(lines, first, indent)
  const body = range(first, end).filter((i) => lines[i]!.trim() !== '')
  if (body.length === 0) return Math.max(at + 1, first)
  const cut = leastIndent(lines, body)
  const opening = lines[body[0]! - 1]!.trim() === '' ? body[0]! - 1 : at
  const fence = fenceOf(body.map((i) => lines[i]!))
  const margin = ' '.repeat(Math.min(indent, 3))
  const caption = option(lines, at, 'caption')
  if (caption !== '' && opening > at && out[at] === '') out[at] = `${margin}**${inline(caption)}**`
  out[opening] = `${margin}${fence}${language}`
  for (const i of range(body[0]!, body.at(-1)! + 1)) out[i] = margin + lines[i]!.slice(cut)
  const after = body.at(-1)! + 1
  if (after < lines.length) out[after] = margin + fence
  // If text follows without a blank line, that line is converted next.
  return lines[after] === undefined || lines[after]!.trim() === '' ? after + 1 : after
}

/** A fence mark that does not occur in these lines. */
function fenceOf(body: readonly string[]): string {
  return '`'.repeat(body.reduce((most, line) => Math.max(most, longestRun(line) + 1), 3))
}

function longestRun(line: string): number {
  return (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
}

/** Converts a drawn table. A table with spanning cells stays a drawing, between fences. */
function convertDrawing(lines: string[], out: string[], at: number): number {
  const last = lines[at]!.trim().startsWith('+') ? lastOfGrid(lines, at) : lastOfSimple(lines, at)
  if (last === null) return at + 1
  const indent = columns(lines[at]!)
  const table = parseDrawnTable(lines.slice(at, last + 1))
  const room = { at, end: last + 1, indent, caption: '' }
  if (table !== null && writeTable(out, table, room)) return last + 1
  out[at] = '```'
  for (const i of range(at + 1, last)) out[i] = lines[i]!
  out[last] = '```'
  return last + 1
}

/** The last line of a grid table: the last rule before a blank line. */
function lastOfGrid(lines: readonly string[], at: number): number | null {
  let last: number | null = null
  for (let i = at + 1; i < lines.length && lines[i]!.trim() !== ''; i++) {
    if (rule.test(lines[i]!)) last = i
  }
  return last
}

/** The last line of a simple table: the first rule before a blank line. */
function lastOfSimple(lines: readonly string[], at: number): number | null {
  const most = Math.min(lines.length, at + mostRows)
  for (let i = at + 1; i < most; i++) {
    if ((lines[i + 1] ?? '').trim() === '' && rule.test(lines[i]!)) return i
  }
  return null
}

/** Maximum number of lines of a simple table. */
const mostRows = 1_000

/** The end of a body: the first line that is not indented more than `indent`. */
function bodyEnd(lines: string[], from: number, indent: number): number {
  let at = from
  while (at < lines.length && (lines[at]!.trim() === '' || columns(lines[at]!) > indent)) at++
  return at
}

function columns(line: string): number {
  return line.length - line.trimStart().length
}

/** The smallest indentation of the lines with these numbers. */
function leastIndent(lines: readonly string[], some: readonly number[]): number {
  return some.reduce((least, i) => Math.min(least, columns(lines[i]!)), Infinity)
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
}

/** Maximum length of a line with inline markup; longer lines are generated. */
const longest = 4_000

/** Converts ``code``, :role:`text <target>`, `text <address>`_ and `text`_, and escapes `<`. */
function inline(text: string): string {
  if (text.length > longest) return text
  return text.replace(pieces, (...[whole, code, role, words, target, link]: Piece) => {
    if (whole === '<') return '\\<'
    if (whole === '\\ ') return ''
    if (code !== undefined) return code.includes('`') ? whole : `\`${code}\``
    if (role === ':doc:') return `[${words}](<${target ?? words}>)`
    const isAddress = /^(?:https?:|mailto:)/.test(target ?? '')
    if (link !== undefined) return isAddress ? `[${words}](<${target}>)` : words
    return role === undefined || isProse.test(role) ? words : `\`${words}\``
  })
}

type Maybe = string | undefined
type Piece = [whole: string, code: Maybe, role: Maybe, words: string, target: Maybe, link: Maybe]

const pieces = new RegExp(
  [/``(.+?)``(?!`)/, /(:[\w:.+-]{1,60}:)?`([^`<]{1,300}?)(?:\s*<([^<>`]{1,400})>)?`(__?)?/, /<|\\ /]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const isProse = new RegExp(
  ':(?:ref|doc|term|numref|guilabel|menuselection|abbr|emphasis|title|strong|sub|sup|any):$',
)
