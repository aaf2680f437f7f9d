import { dedent, indentOf } from '../../document/block-lines.ts'
import { fenceCode } from '../../document/fence.ts'
import { withoutFrontBlock } from '../front-block.ts'
import { languageOfPath } from '../../document/language.ts'
import type { Include } from './include-file.ts'

/** The part of a file to include. Lines are 1-based and inclusive. */
export type IncludePart = {
  /** Line ranges such as `3,5-10,20-`. The separator can also be `:` or `..`. */
  lines?: string | undefined
  /** The name of a region or section. */
  region?: string | undefined
  /** Names of regions. The regions keep the order of the file. `!name` excludes a region. */
  regions?: readonly string[] | undefined
  /** Invisible marks around regions. A region ends at group `end` or at the second mark. */
  marks?: readonly RegExp[]
  startAfter?: string | undefined
  startAt?: string | undefined
  endBefore?: string | undefined
  endAt?: string | undefined
  /** The path of a definition in a Python file, such as `Class.method`. */
  pyobject?: string | undefined
  /** Keeps common indentation. */
  keepsIndent?: boolean
}

const snippetMark = /-8<-+\s*\[\s*(?:start|(?<end>end))\s*:\s*(?<name>[\w-]+)\s*\]/
export const regionMark = new RegExp(
  String.raw`^\s*(?://|/\*|<!--|#|--|::|rem\b|'|;)\s*[#&]?` +
    String.raw`(?:(?<end>end ?region)|region)\b\s*(?<name>[\w*-]*)`,
  'i',
)
/** A region mark in AsciiDoc. */
export const tagMark = /^\W*(?:tag|(?<end>end))::(?<name>[\w.-]+)\[\]/
const editorMarks = [snippetMark, tagMark, regionMark]

/**
 * Returns the lines of a part without region marks or common indentation, or null if the part is
 * missing. Stops after `limit` characters, because a part can repeat lines.
 */
export function selectPart(text: string, part: IncludePart, limit = Infinity): string[] | null {
  const { marks = editorMarks, keepsIndent = false, ...selection } = part
  const names = part.regions ?? (part.region === undefined ? [] : [part.region])
  let lines: string[] | null = text.replace(/\n$/, '').split('\n')
  if (names.length > 0) lines = regionLines(lines, names, marks)
  if (lines && part.pyobject !== undefined) lines = pythonObject(lines, part.pyobject)
  if (lines) lines = between(lines, part)
  if (lines && part.lines !== undefined) lines = ranges(lines, part.lines, limit)
  const content = lines?.filter((line) => !marks.some((mark) => mark.test(line))) ?? null
  const isWhole = Object.values(selection).every((value) => value === undefined)
  return content === null || isWhole || keepsIndent ? content : dedent(content)
}

/** Returns the lines in the regions, or null if there are none. Names ignore case. */
function regionLines(
  lines: readonly string[],
  names: readonly string[],
  marks: readonly RegExp[],
): string[] | null {
  const isInverse = names.every((name) => name.startsWith('!'))
  const all = new Set(names.map((name) => name.replace(/^!/, '').toLowerCase()))
  for (const mark of isInverse ? [tagMark] : marks) {
    const open: string[] = []
    const out: string[] = []
    let isFound = isInverse
    for (const line of lines) {
      const { name, end } = mark.exec(line)?.groups ?? {}
      if (name === undefined) {
        if (open.some((it) => all.has(it)) !== isInverse) out.push(line)
        continue
      }
      const key = name.toLowerCase()
      // An end mark without a name ends the innermost region.
      const at = end && key === '' ? open.length - 1 : open.lastIndexOf(key)
      if (at >= 0) open.splice(at, 1)
      else if (!end) {
        open.push(key)
        isFound ||= all.has(key)
      }
    }
    if (isFound) return out
  }
  return null
}

type Rendering = { indent?: string; part?: IncludePart; language?: string | undefined }

/** Renders a file as code below an optional title. */
export function renderCode(
  target: string,
  { indent = '', part = {}, language, title = '' }: Rendering & { title?: string },
): Include['render'] {
  return (text, limit) => {
    const lines = selectPart(text, part, limit)
    if (lines === null) return null
    const own = language ?? languageOfPath(target)
    const code = fenceCode(dedent(lines).join('\n'), own).split('\n')
    return indentLines(title === '' ? code : [`\`${title}\``, '', ...code], indent)
  }
}

/** Renders a file as text. Removes front matter from a page. */
export function renderText({
  indent = '',
  part = {},
  isPage = false,
}: Rendering & { isPage?: boolean }): Include['render'] {
  return (text, limit) => {
    const lines = selectPart(isPage ? withoutFrontBlock(text) : text, part, limit)
    return lines && indentLines(lines, indent)
  }
}

export function indentLines(lines: readonly string[], indent: string): string[] {
  return lines.map((line) => (line === '' ? '' : indent + line))
}

/** Returns the lines in the given ranges, in this order. Returns null if a range is invalid. */
function ranges(lines: string[], rangeList: string, limit: number): string[] | null {
  const out: string[] = []
  let length = 0
  for (const range of rangeList.split(/[,;]/).map((source) => source.trim())) {
    if (range === '') continue
    const [whole, first, mark, last] = /^(\d*)(?:\s*(-|:|\.\.)\s*(-?\d*))?$/.exec(range) ?? []
    if (whole === undefined) return null
    const from = first ? Number(first) : 1
    const to = !mark ? from : last ? Number(last) : lines.length
    for (const line of lines.slice(Math.max(0, from - 1), to < 0 ? lines.length : to)) {
      out.push(line)
      length += line.length + 1
      if (length > limit) return out
    }
  }
  return out.length === 0 ? null : out
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

/** Returns the Python definition at a path, with its decorators. Finds its end by indentation. */
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

/** True if a line belongs to a definition, including an unindented closing bracket. */
function isWithin(line: string, indent: number): boolean {
  return line.trim() === '' || indentOf(line) > indent || /^\s*[)\]]/.test(line)
}
