/** The part of a file to include. Line numbers count from 1, and both ends are included. */
export type IncludePart = {
  /** Line ranges such as `3,5-10,20-`. The separator can also be `:` or `..`. */
  lines?: string | undefined
  /** The name of a region or section. */
  region?: string | undefined
  /** The names of tags of AsciiDoc, whose lines are shown in the order of the file. */
  tags?: readonly string[] | undefined
  startAfter?: string | undefined
  startAt?: string | undefined
  endBefore?: string | undefined
  endAt?: string | undefined
  /** The path of a definition in a Python file, such as `Class.method`. */
  pyobject?: string | undefined
  /** Keeps region marks and shared indentation. */
  isVerbatim?: boolean
}

/**
 * The lines of a part of the text, without region marks or shared indentation; null if the text has
 * no such part. Stops after `limit` characters, because a part may repeat the same lines.
 */
export function selectPart(text: string, part: IncludePart, limit = Infinity): string[] | null {
  let lines: string[] | null = text.replace(/\n$/, '').split('\n')
  if (part.region !== undefined) lines = regionOf(lines, part.region)
  if (lines && part.tags !== undefined) lines = taggedLines(lines, part.tags)
  if (lines && part.pyobject !== undefined) lines = pythonObject(lines, part.pyobject)
  if (lines) lines = between(lines, part)
  if (lines && part.lines !== undefined) lines = ranges(lines, part.lines, limit)
  if (lines === null || part.isVerbatim) return lines
  return Object.keys(part).length === 0
    ? lines.filter((line) => !isMark(line))
    : dedent(lines.filter((line) => !isMark(line)))
}

/** Removes the indentation that all lines share. */
export function dedent(lines: string[]): string[] {
  const widths = lines.filter((line) => line.trim() !== '').map(indentOf)
  const shared = widths.reduce((least, width) => Math.min(least, width), Infinity)
  return Number.isFinite(shared) ? lines.map((line) => line.slice(shared)) : lines
}

/** Indents all lines that are not empty. */
export function indentLines(lines: readonly string[], indent: string): string[] {
  return lines.map((line) => (line === '' ? '' : indent + line))
}

/**
 * The lines after the first one that `starts` a part, before the next one that `ends` it. They are
 * null if the start is missing, or if the end is missing and `isOpenEnded` is false.
 */
export function linesBetween(
  lines: readonly string[],
  [starts, ends]: readonly [(line: string) => boolean, (line: string) => boolean],
  isOpenEnded = false,
): string[] | null {
  const start = lines.findIndex(starts)
  const end = lines.findIndex((line, at) => at > start && ends(line))
  if (start < 0 || (end < 0 && !isOpenEnded)) return null
  return lines.slice(start + 1, end < 0 ? undefined : end)
}

/** The number of whitespace characters before the text of a line; a tab counts as one. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

const snippetMark = /-8<-+\s*\[\s*(start|end)\s*:\s*([\w-]+)\s*\]/
const regionMark =
  /^\s*(?:\/\/|\/\*|<!--|#|--|::|rem\b|'|;)\s*[#&]?(end ?region|region)\b\s*([\w*-]*)/i
const docMark = /^\s*(?:(?:\/\/|#|--|;|%|\/\*|<!--)\s*)?(?:tag|end)::([\w.-]+)\[\]/

function isMark(line: string): boolean {
  return (
    snippetMark.test(line) ||
    docMark.test(line) ||
    (/[#&]?(?:end)?region/i.test(line) && regionMark.test(line))
  )
}

/**
 * The lines between the marks of a region; null if absent. Marks are `--8<-- [start:x]`,
 * `// #region x`, `tag::x[]`, and Sphinx's `__x_start__` pairs.
 */
function regionOf(lines: string[], name: string): string[] | null {
  const start = lines.findIndex((line) => startsRegion(line, name))
  if (start < 0) return null
  let depth = 1
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const snippet = snippetMark.exec(line)
    if (snippet?.[1] === 'end' && snippet[2] === name) return lines.slice(start + 1, at)
    if (line.includes(`end::${name}[]`)) return lines.slice(start + 1, at)
    const region = regionMark.exec(line)
    if (region) depth += /^end/i.test(region[1] ?? '') ? -1 : 1
    if (depth === 0 || (region && /^end/i.test(region[1] ?? '') && region[2] === name)) {
      return lines.slice(start + 1, at)
    }
  }
  return lines.slice(start + 1)
}

/** The lines inside any of the tags; null if the file has none of them. */
function taggedLines(lines: readonly string[], tags: readonly string[]): string[] | null {
  const wanted = new Set(tags)
  const open = new Set<string>()
  const shown: string[] = []
  let isFound = false
  for (const line of lines) {
    const [, kind, name = ''] = /\b(tag|end)::([\w.-]+)\[\]/.exec(line) ?? []
    if (kind === 'tag' && wanted.has(name)) isFound = open.add(name).size > 0
    else if (kind === 'end') open.delete(name)
    else if (kind === undefined && open.size > 0) shown.push(line)
  }
  return isFound ? shown : null
}

function startsRegion(line: string, name: string): boolean {
  const snippet = snippetMark.exec(line)
  if (snippet) return snippet[1] === 'start' && snippet[2] === name
  if (line.includes(`tag::${name}[]`)) return true
  const region = regionMark.exec(line)
  return region !== null && /^region/i.test(region[1] ?? '') && region[2] === name
}

/** The lines of the named ranges, in the order given; null if a range is malformed. */
function ranges(lines: string[], rangeList: string, limit: number): string[] | null {
  const chosen: string[] = []
  let length = 0
  for (const range of rangeList.split(/[,;]/).map((source) => source.trim())) {
    if (range === '') continue
    const [whole, first, mark, last] = /^(\d*)(?:\s*(-|:|\.\.)\s*(-?\d*))?$/.exec(range) ?? []
    if (whole === undefined) return null
    const from = first ? Number(first) : 1
    const to = !mark ? from : last ? Number(last) : lines.length
    for (const line of lines.slice(Math.max(0, from - 1), to < 0 ? lines.length : to)) {
      chosen.push(line)
      length += line.length + 1
      if (length > limit) return chosen
    }
  }
  return chosen.length === 0 ? null : chosen
}

function between(lines: string[], part: IncludePart): string[] | null {
  const { startAfter, startAt, endBefore, endAt } = part
  const opening = startAfter ?? startAt
  const closing = endBefore ?? endAt
  let from = 0
  if (opening !== undefined) {
    from = lines.findIndex((line) => line.includes(opening))
    if (from < 0) return null
    if (startAfter !== undefined) from++
  }
  if (closing === undefined) return lines.slice(from)
  const to = lines.findIndex((line, at) => at >= from && line.includes(closing))
  if (to < 0) return null
  return lines.slice(from, endAt === undefined ? to : to + 1)
}

/** The lines of the Python definition at a path, with its decorators, found by indentation. */
function pythonObject(lines: string[], path: string): string[] | null {
  let body = lines
  const names = path.split('.')
  if (names.length > nameLimit) return null
  for (const name of names) {
    const isDefinition = new RegExp(`^\\s*(?:async\\s+)?(?:def|class)\\s+${RegExp.escape(name)}\\b`)
    const at = body.findIndex(
      (line, index) => (index > 0 || body === lines) && isDefinition.test(line),
    )
    if (at < 0) return null
    body = block(body, at)
  }
  return body
}

/** Maximum number of names in the path of a Python definition. */
const nameLimit = 20

function block(lines: string[], at: number): string[] {
  const indent = indentOf(lines[at] ?? '')
  let from = at
  while (from > 0 && /^\s*@/.test(lines[from - 1] ?? '')) from--
  let to = at + 1
  while (to < lines.length && isWithin(lines[to] ?? '', indent)) to++
  while (to > at && (lines[to - 1] ?? '').trim() === '') to--
  return lines.slice(from, to)
}

/**
 * Whether a line belongs to a definition; the closing bracket of its signature may be unindented.
 */
function isWithin(line: string, indent: number): boolean {
  return line.trim() === '' || indentOf(line) > indent || /^\s*[)\]]/.test(line)
}
