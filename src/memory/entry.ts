import { closesFence, parseFence, type Fence } from '../document/fence.ts'
import { sha256 } from '../platform/hash.ts'
import { trimEndCharacters } from '../platform/text/trim.ts'
import { isDate } from './text.ts'

/** A note: a `##` section, or a paragraph outside `##` sections. */
export type MemoryEntry = {
  /** The first 12 hexadecimal digits of the SHA-256 of `text`. A move does not change the id. */
  id: string
  /** The heading above the entry, without `#`; may be empty. */
  heading: string
  /**
   * The date (YYYY-MM-DD) from its heading, the nearest dated heading above it, or the day file.
   */
  date: string | null
  time: string | null
  /** The tags without `#`. */
  tags: string[]
  /** Ids of the entries that this one corrects, retires or supersedes. */
  corrects: string[]
  /** Ids of the outdated entries that this one replaces. */
  supersedes: string[]
  /** The first day of validity, and the first day after it; null means unlimited. */
  validFrom: string | null
  validUntil: string | null
  /** The note itself, without heading, tags, marks or surrounding blank lines. */
  body: string
  /** The entry in the file, without surrounding blank lines. */
  text: string
  startLine: number
  endLine: number
  /** UTF-16 offsets, `end` exclusive: `file.slice(start, end) === text`. */
  start: number
  end: number
}

/**
 * Parses the entries of a Markdown file in order. A `##` heading starts an entry. Outside `##`
 * sections, a deeper heading or a paragraph starts one too. A `#` in a code fence, tag line or
 * shebang is not a heading. A heading in the form that `append` writes starts an entry even if an
 * earlier entry left a code fence open, so that an appended entry always has the same parse. `day`
 * is the date of a daily log.
 */
export function parseEntries(text: string, options: { day?: string } = {}): MemoryEntry[] {
  const state: State = { lines: linesOf(text), text, at: 0, date: options.day ?? null, title: '' }
  const entries: MemoryEntry[] = []
  while (state.at < state.lines.length) {
    const line = state.lines[state.at]!
    const heading = headingOf(line.text)
    if (line.text.trim() === '') state.at++
    else if (heading?.level === 1) enterTitle(state, heading)
    else entries.push(heading ? section(state, heading) : paragraph(state))
  }
  return entries
}

/** Renders an entry in upstream's order: blank line, heading, blank line, tags, marks, body. */
export function renderEntry(
  heading: string,
  body: string,
  options: { tags?: readonly string[]; marks?: readonly string[] } = {},
): string {
  const { tags = [], marks = [] } = options
  const tagLine = tags.map((tag) => `#${tag}`).join(' ')
  const lines = [...(tagLine === '' ? [] : [tagLine]), ...marks, body.trim()].filter(
    (line) => line !== '',
  )
  return `\n## ${heading}\n\n${lines.join('\n')}\n`
}

/** Returns the HTML comment that marks an entry as the correction of an earlier one. */
export function correctionMark(id: string): string {
  return `<!-- corrects: ${id} -->`
}

/**
 * Returns the HTML comment that marks an entry as the successor of an outdated entry.
 */
export function supersessionMark(id: string): string {
  return `<!-- supersedes: ${id} -->`
}

/**
 * Returns the HTML comment with the first day of validity and the first day after it; empty if both
 * are null.
 */
export function validityMark(from: string | null, until: string | null): string {
  if (from === null && until === null) return ''
  const parts = [from && `from ${from}`, until && `until ${until}`].filter((part) => part !== null)
  return `<!-- valid ${parts.join(' ')} -->`
}

/** True for a line with a correction, supersession or validity mark. */
export function isMark(line: string): boolean {
  return markOf(line) !== null
}

type Marks = Pick<MemoryEntry, 'corrects' | 'supersedes' | 'validFrom' | 'validUntil'>

function markOf(line: string): Partial<Marks> | null {
  const [, corrects] = /^<!-- corrects: ([0-9a-f]{12}) -->$/.exec(line) ?? []
  if (corrects !== undefined) return { corrects: [corrects] }
  const [, old] = /^<!-- supersedes: ([0-9a-f]{12}) -->$/.exec(line) ?? []
  if (old !== undefined) return { corrects: [old], supersedes: [old] }
  const [, from, until] = validity.exec(line) ?? []
  const days = [from, until].filter((day) => day !== undefined)
  if (days.length === 0 || !days.every(isDate)) return null
  return { validFrom: from ?? null, validUntil: until ?? null }
}

const validity = /^<!-- valid(?: from (\d{4}-\d\d-\d\d))?(?: until (\d{4}-\d\d-\d\d))? -->$/

type Line = { text: string; start: number }
type State = { lines: Line[]; text: string; at: number; date: string | null; title: string }
type Heading = { level: number; text: string }

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    lines.push({ text: text.slice(start, end).replace(/\r$/, ''), start })
    start = end + 1
  }
  return lines
}

function headingOf(line: string): Heading | null {
  const [start, marks] = /^ {0,3}(#{1,6})(?![^ \t])/.exec(line) ?? []
  if (start === undefined || /[\r\u2028\u2029]/.test(line)) return null
  const text = line.slice(start.length).replace(/^[ \t]+/, '')
  return { level: marks!.length, text: withoutMarks(text).trim() }
}

/** Removes a closing `##` from a heading. */
function withoutMarks(text: string): string {
  const plain = trimEndCharacters(text, ' \t')
  const words = trimEndCharacters(plain, '#')
  return words.length < plain.length && /[ \t]$/.test(words.slice(-1)) ? words : text
}

function enterTitle(state: State, { text }: Heading): void {
  state.title = text
  state.date = dateIn(text) ?? state.date
  state.at++
}

function section(state: State, { level, text }: Heading): MemoryEntry {
  const first = state.at++
  skip(state, (line) => (headingOf(line)?.level ?? 7) <= level)
  state.date = dateIn(text) ?? state.date
  return entryOf(state, { first, heading: text, isParagraph: false })
}

function paragraph(state: State): MemoryEntry {
  const first = state.at
  skip(state, (line) => line.trim() === '' || headingOf(line) !== null)
  return entryOf(state, { first, heading: state.title, isParagraph: true })
}

const headingPattern = /^## (?:\d{4}-\d\d-\d\d )?\d\d:\d\d$/

/**
 * Advances to the line that ends the entry. Inside a code fence, only a heading written by `append`
 * ends an entry.
 */
function skip(state: State, ends: (line: string) => boolean): void {
  let fence: Fence | null = null
  for (; state.at < state.lines.length; state.at++) {
    const line = state.lines[state.at]!.text
    if (headingPattern.test(line)) return
    if (fence !== null) fence = closesFence(fence, line) ? null : fence
    else if (ends(line)) return
    else fence = parseFence(line)
  }
}

type EntryStart = { first: number; heading: string; isParagraph: boolean }

function entryOf(state: State, { first, heading, isParagraph }: EntryStart): MemoryEntry {
  let last = state.at - 1
  while (last > first && state.lines[last]!.text.trim() === '') last--
  const lines = state.lines.slice(first, last + 1)
  const start = lines[0]!.start
  const end = lines.at(-1)!.start + lines.at(-1)!.text.length
  const text = state.text.slice(start, end)
  return {
    id: sha256(text).slice(0, 12),
    heading,
    date: state.date,
    time: isParagraph ? null : timeIn(heading),
    ...content(lines.slice(isParagraph ? 0 : 1).map((line) => line.text)),
    text,
    startLine: first + 1,
    endLine: last + 1,
    start,
    end,
  }
}

function content(lines: string[]): Pick<MemoryEntry, 'tags' | 'body'> & Marks {
  const rest = lines.slice(lines.findIndex((line) => line.trim() !== ''))
  const tags = tagsOf(rest[0] ?? '')
  const marks: Marks = { corrects: [], supersedes: [], validFrom: null, validUntil: null }
  const body = rest.slice(tags.length > 0 ? 1 : 0).filter((line) => {
    const mark = markOf(line)
    if (mark === null) return true
    const { corrects = [], supersedes = [], ...days } = mark
    marks.corrects.push(...corrects)
    marks.supersedes.push(...supersedes)
    Object.assign(marks, days)
    return false
  })
  return { tags, ...marks, body: body.join('\n').trim() }
}

/** Returns the tags of a line that consists only of tags, such as `#one #two`. */
function tagsOf(line: string): string[] {
  if (!/^#[^\s#]+(?:[ \t]+#[^\s#]+)*[ \t]*$/.test(line)) return []
  return line
    .trim()
    .split(/[ \t]+/)
    .map((word) => word.slice(1))
}

function dateIn(heading: string): string | null {
  const date = /(?<!\d)\d{4}-\d\d-\d\d(?!\d)/.exec(heading)?.[0]
  return date !== undefined && isDate(date) ? date : null
}

function timeIn(heading: string): string | null {
  return /(?:^|\s)((?:[01]\d|2[0-3]):[0-5]\d)(?!\d)/.exec(heading)?.[1] ?? null
}
