import { oneLine } from '../../platform/text/trim.ts'
import { writeTable, toCell } from '../../document/write-markdown.ts'
import { fenceCode } from '../../document/fence.ts'
import { markMonospace, type PdfLine } from './pdf-lines.ts'

/** An outline entry; `page` is 0-based. */
export type OutlineEntry = { title: string; level: number; page: number }

/** A line with its text, and its heading level or 0. */
type Line = {
  text: string
  /** The text in columns, which wide gaps separate. */
  cells: string[]
  level: number
  isCode: boolean
  page: number
  x: number
  end: number
  y: number
  size: number
}

/**
 * Converts a document to Markdown. The entries of the outline are headings. Without an outline,
 * lines in a larger font are headings. The title is the largest text on the first two pages.
 */
export function linesToMarkdown(
  pages: readonly PdfLine[][],
  outline: readonly OutlineEntry[],
): { title: string | null; text: string } {
  markMonospace(pages)
  const all = pages.map((lines, page) => lines.map((line) => toLine(line, page)))
  const lines = withoutRepeated(all).filter(({ text }) => !isTocEntry(text))
  const body = bodyOf(lines)
  const title = largestText(lines, body)
  const headed = outline.length >= 3 ? withOutline(lines, outline) : null
  const sized = headed ?? withSizes(lines, body)
  return { title, text: blocksOf(sized, body) }
}

const lineLimit = 4000

function toLine({ runs, y, size }: PdfLine, page: number): Line {
  const isCode = runs.every((run) => run.isMonospace)
  const cells = ['']
  let end = runs[0]!.x
  let isInCode = false
  const switchCode = (next: boolean) => {
    if (next !== isInCode) cells[cells.length - 1] += '`'
    isInCode = next
  }
  for (const run of runs) {
    const gap = (run.x - end) / run.size
    const width = (run.end - run.x) / run.size / run.text.length
    const isWide = !isCode && gap > 1.8
    if (isWide || (!run.isMonospace && !isCode)) switchCode(false)
    if (isWide) cells.push('')
    else if (gap > (/^[.,;:)\]]/.test(run.text) ? 0.4 : 0.15)) {
      const nSpaces = isCode ? Math.min(200, Math.max(1, Math.round(gap / width))) : 1
      if (!cells.at(-1)!.endsWith(' ')) cells[cells.length - 1] += ' '.repeat(nSpaces)
    }
    if (run.isMonospace && !isCode) switchCode(true)
    cells[cells.length - 1] += run.text
    end = run.end
  }
  switchCode(false)
  const texts = cells.map((cell) => (isCode ? cell : oneLine(cell)))
  const filledCells = texts.filter((cell) => cell !== '')
  const text = filledCells.join(' ').slice(0, lineLimit)
  return { text, cells: filledCells, level: 0, isCode, page, x: runs[0]!.x, end, y, size }
}

/**
 * Removes page numbers, headers and footers: lines in the same place on three or more pages, with
 * the same text or a page number.
 */
function withoutRepeated(pages: Line[][]): Line[] {
  const keyOf = ({ text, y, cells }: Line) => {
    const hasNumber = /^\d{1,4}$/.test(cells[0] ?? '') || /^\d{1,4}$/.test(cells.at(-1) ?? '')
    return `${Math.round(y)} ${hasNumber ? '#' : text.replace(/\d+|^[ivxlc]+$/g, '#')}`
  }
  const top = pages.flat().reduce((least, { y }) => Math.min(least, y), Infinity)
  const bottom = pages.flat().reduce((most, { y }) => Math.max(most, y), 0)
  const margin = (bottom - top) / 8
  const isInMargin = ({ y, isCode }: Line) => !isCode && (y < top + margin || y > bottom - margin)
  const edges = pages.map((lines) => {
    const sorted = lines.toSorted((a, b) => a.y - b.y)
    return new Set([...sorted.slice(0, 2), ...sorted.slice(-2)].filter(isInMargin))
  })
  const counts = new Map<string, number>()
  for (const edge of edges) {
    for (const key of new Set([...edge].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const isRepeated = (line: Line) => counts.get(keyOf(line))! > 2 && /[\p{L}\p{N}]/u.test(line.text)
  return pages.flatMap((lines, i) => lines.filter((it) => !edges[i]!.has(it) || !isRepeated(it)))
}

/** True for a line such as `Installation . . . . . . 12`. */
function isTocEntry(text: string): boolean {
  const bare = text.replace(/[ `]/g, '')
  return /\.{5}[\divxlc]{0,6}$/.test(bare.slice(-20)) && !bare.endsWith('......')
}

/** Font size, line spacing and right edge of most of the text. */
type Body = { size: number; leading: number; edge: number }

function bodyOf(lines: Line[]): Body {
  const sizes = new Map<number, number>()
  const leadings = new Map<number, number>()
  const edges = new Map<number, number>()
  const add = (map: Map<number, number>, key: number, by: number) =>
    map.set(key, (map.get(key) ?? 0) + by)
  for (const { size, text, isCode } of lines) {
    if (!isCode) add(sizes, Math.round(size * 2) / 2, text.length)
  }
  const size = mostFrequent(sizes) ?? 10
  for (const [i, line] of lines.entries()) {
    if (Math.abs(line.size - size) > 0.5) continue
    const gap = line.y - (lines[i - 1]?.y ?? Infinity)
    if (gap > 0 && gap < 3 * size) add(leadings, Math.round(gap * 2) / 2, 1)
    add(edges, Math.round(line.end), 1)
  }
  return { size, leading: mostFrequent(leadings) ?? size * 1.2, edge: mostFrequent(edges) ?? 500 }
}

function mostFrequent(counts: Map<number, number>): number | null {
  let best: [number, number] | null = null
  for (const entry of counts) if (best === null || entry[1] > best[1]) best = entry
  return best?.[0] ?? null
}

function largestText(lines: Line[], { size }: Body): string | null {
  const early = lines.filter(({ page, text }) => page < 2 && /\p{L}{2}/u.test(text))
  const largest = early.reduce((most, it) => Math.max(most, it.size), 0)
  if (largest < size * 1.15) return null
  const first = early.findIndex((it) => it.size === largest)
  const after = early.findIndex((it, i) => i > first && it.size < largest * 0.98)
  const title = early.slice(first, after < 0 ? undefined : Math.min(after, first + 3))
  return title
    .map(({ text }) => text)
    .join(' ')
    .slice(0, 300)
}

/**
 * Returns only letters and digits, because a line can differ from its entry in numbers and spaces.
 */
function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * Marks the lines of outline entries as headings. Adds a line at the start of the page for an entry
 * without a line. Returns null if most entries have no line.
 */
function withOutline(lines: Line[], outline: readonly OutlineEntry[]): Line[] | null {
  const byPage = Map.groupBy(lines, ({ page }) => page)
  const bareByPage = new Map(
    [...byPage].map(([page, own]) => [page, own.map((it) => bare(it.text))]),
  )
  const missing = new Map<number, Line[]>()
  const joined = new Set<Line>()
  const nextAt = new Map<number, number>()
  let nFound = 0
  for (const { title, level, page } of outline) {
    const own = byPage.get(page) ?? []
    const heading = findHeading(bareByPage.get(page) ?? [], title, nextAt.get(page) ?? 0)
    if (heading === null) {
      const [x, y, end] = [0, 0, 0]
      const line = { text: title, cells: [title], level, isCode: false, page, x, end, y, size: 0 }
      missing.set(page, [...(missing.get(page) ?? []), line])
      continue
    }
    nFound++
    nextAt.set(page, heading.from + heading.count)
    const [first, ...rest] = own.slice(heading.from, heading.from + heading.count) as [
      Line,
      ...Line[],
    ]
    first.level = level
    first.text = [first, ...rest]
      .map(({ text }) => text)
      .join(' ')
      .replaceAll('`', '')
    first.cells = [first.text]
    first.isCode = false
    for (const line of rest) joined.add(line)
  }
  if (nFound * 2 < outline.length) {
    for (const line of lines) line.level = 0
    return null
  }
  const nPages = Math.max(0, ...byPage.keys(), ...missing.keys()) + 1
  const pages = Array.from({ length: nPages }, (_, page) => [
    ...(missing.get(page) ?? []),
    ...(byPage.get(page) ?? []),
  ])
  const titles = new Set(outline.map(({ title }) => bare(title)))
  // Entries of a table of contents, and page headers with a section's title.
  const isReference = ({ level, text }: Line) =>
    level === 0 && /\d$/.test(text) && titles.has(bare(text.replace(/\d{1,4}$/, '')))
  return pages.flat().filter((line) => !joined.has(line) && !isReference(line))
}

/** Returns up to three lines of a page whose text is a title, with or without a number. */
function findHeading(
  lines: string[],
  title: string,
  start: number,
): { from: number; count: number } | null {
  const bareTitle = bare(title)
  if (bareTitle === '') return null
  for (let from = start; from < lines.length; from++) {
    let text = ''
    for (let count = 1; count <= 3 && from + count <= lines.length; count++) {
      text += lines[from + count - 1]!
      if (text.length > bareTitle.length + 16) break
      if (text === bareTitle || (/\d|^chapter|^appendix/.test(text) && text.endsWith(bareTitle))) {
        return { from, count }
      }
    }
  }
  return null
}

/** Marks lines in larger fonts as headings of up to four levels; the largest is level 1. */
function withSizes(lines: Line[], body: Body): Line[] {
  const isLarge = ({ text, size, isCode, cells }: Line) =>
    size > body.size * 1.12 &&
    !isCode &&
    cells.length <= 2 &&
    text.length <= 200 &&
    /\p{L}{2}/u.test(text)
  const large = lines.filter(isLarge)
  // A presentation or a form has no body text for comparison.
  if (large.length * 3 > lines.length) return lines
  const sizes = [...new Set(large.map(({ size }) => Math.round(size)))].sort((a, b) => b - a)
  const out: Line[] = []
  for (const line of lines) {
    if (isLarge(line)) line.level = Math.min(4, sizes.indexOf(Math.round(line.size)) + 1)
    const last = out.at(-1)
    const isSecondLine =
      last !== undefined &&
      line.level > 0 &&
      last.level === line.level &&
      last.page === line.page &&
      line.y > last.y &&
      line.y - last.y < line.size * 1.6
    if (isSecondLine) Object.assign(last, { text: `${last.text} ${line.text}`, y: line.y })
    else out.push(line)
  }
  return out
}

const bullet = /^(?:[•‣▪●◦∙·■□–*−-]|\uf0b7)\s+(?=\S)/
const numbered = /^(?:\(?\d{1,3}[.)]|[a-z][.)])\s/

function blocksOf(lines: Line[], body: Body): string {
  const out: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const count =
      line.level > 0 ? 1 : line.isCode ? codeCount(lines, at, body) : tableCount(lines, at)
    if (line.level > 0) {
      out.push(`${'#'.repeat(line.level)} ${line.text.replaceAll('`', '')}`)
    } else if (count > 0) {
      const block = lines.slice(at, at + count)
      out.push(line.isCode ? codeOf(block) : tableOf(block))
    } else {
      const end = paragraphEnd(lines, at, body)
      out.push(paragraphOf(lines.slice(at, end)))
      at = end
      continue
    }
    at += count
  }
  const text = out.reduce((sum, block, i) => {
    const isList = /^- /.test(block) && /^- /.test(out[i - 1] ?? '')
    return i === 0 ? block : `${sum}${isList ? '\n' : '\n\n'}${block}`
  }, '')
  return `${text}\n`
}

function codeCount(lines: Line[], at: number, body: Body): number {
  let end = at + 1
  while (end < lines.length && lines[end]!.isCode && lines[end]!.level === 0) {
    const [last, next] = [lines[end - 1]!, lines[end]!]
    const isFar = last.page === next.page && next.y - last.y > body.leading * 3.2
    if (isFar) break
    end++
  }
  return end - at
}

function codeOf(lines: Line[]): string {
  const left = lines.reduce((least, { x }) => Math.min(least, x), Infinity)
  const widths = lines.map(({ text, x, end }) => (end - x) / Math.max(1, text.length))
  const width = widths.toSorted((a, b) => a - b)[widths.length >> 1]! || 1
  const texts = lines.flatMap((line, i) => {
    const indent = ' '.repeat(Math.min(120, Math.max(0, Math.round((line.x - left) / width))))
    const last = lines[i - 1]
    const isBlankBefore = last?.page === line.page && line.y - last.y > line.size * 1.9
    return [...(isBlankBefore ? [''] : []), indent + line.text.trimEnd()]
  })
  return fenceCode(texts.join('\n'), '')
}

/** Returns the number of lines with the same columns from `at` on; 0 if they are not a table. */
function tableCount(lines: Line[], at: number): number {
  const isRow = (line: Line | undefined) =>
    line !== undefined &&
    line.level === 0 &&
    !line.isCode &&
    line.cells.length > 1 &&
    line.cells.length === lines[at]!.cells.length &&
    line.page === lines[at]!.page
  let end = at
  while (isRow(lines[end])) end++
  return end - at >= 2 ? end - at : 0
}

function tableOf(lines: Line[]): string {
  return writeTable(lines.map(({ cells }) => cells.map(toCell)))
}

function paragraphEnd(lines: Line[], at: number, body: Body): number {
  const isList = bullet.test(lines[at]!.text) || numbered.test(lines[at]!.text)
  let end = at + 1
  for (; end < lines.length; end++) {
    const [last, next] = [lines[end - 1]!, lines[end]!]
    if (next.level > 0 || (next.isCode && !isInSentence(last, next, body))) break
    if (bullet.test(next.text) || numbered.test(next.text)) break
    if (Math.abs(next.size - last.size) > body.size * 0.15) break
    const isEnded = /[.:!?)]$/.test(last.text)
    if (next.page !== last.page || next.y <= last.y) {
      if (isEnded || !/^[\p{Ll}`(]/u.test(next.text)) break
      continue
    }
    if (next.y - last.y > body.leading * 1.3) break
    const isIndented = next.x > lines[at]!.x + body.size * 0.8
    if (isIndented && !isList && end > at + 1) break
    if (last.end < body.edge * (isEnded ? 0.85 : 0.5)) break
    if (tableCount(lines, end) > 0) break
  }
  return end
}

/** True if a line of code continues the sentence in the previous line. */
function isInSentence(last: Line, next: Line, { leading, edge }: Body): boolean {
  const isNear = next.page === last.page && next.y - last.y < leading * 1.15
  return isNear && !/[.:]$/.test(last.text) && last.end > edge * 0.85 && next.x <= last.x
}

function paragraphOf(lines: Line[]): string {
  let text = ''
  for (const line of lines) {
    const own = line.isCode ? `\`${line.text.trim()}\`` : line.cells.join(' | ')
    if (text === '') text = own
    else if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(own)) text = text.slice(0, -1) + own
    else text += ` ${own}`
  }
  if (bullet.test(text)) return text.replace(bullet, '- ')
  return text.replace(/^(?=#{1,6}\s|>\s|```)/, '\\')
}
