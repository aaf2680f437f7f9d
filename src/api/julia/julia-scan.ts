import { lengthOf, objectAt, type JuliaObject } from './julia-declaration.ts'
import { stringAt, type JuliaString } from './julia-string.ts'

/** A docstring and its object. `module` is '' at the top level. */
export type JuliaDoc = JuliaObject & { module: string; literal: JuliaString; body: string }

/** The docstrings of a Julia file, and names that other files need. */
export type JuliaFile = {
  docs: JuliaDoc[]
  /** Constants with a string literal, which docstrings can interpolate. */
  constants: Map<string, JuliaString>
  exported: string[]
  /** Paths of `include` calls, each with the enclosing module. */
  included: { path: string; module: string }[]
  /** The first module that the file declares, or null. */
  module: string | null
}

type Scan = JuliaFile & {
  text: string
  /** Open brackets and blocks. A block is a keyword or `module NAME`. */
  open: string[]
  isStart: boolean
}

/** Scans a file once for its docstrings. Executes no code. */
export function scanJulia(text: string): JuliaFile {
  const empty = { docs: [], constants: new Map<string, JuliaString>(), exported: [], included: [] }
  const scan: Scan = { ...empty, module: null, text, open: [], isStart: true }
  for (let at = 0; at < text.length; ) at = scanToken(scan, at)
  const { docs, constants, exported, included, module } = scan
  return { docs, constants, exported, included, module }
}

const word = /@?[\p{L}_][\p{L}\p{N}_!]*/uy
const space = /[ \t\r]+/y
const comment = /#[^\n]*/y
const character = /'(?:\\[^\n]{1,9}?|[^'\\\n]{1,2})'/y

/** Scans the token at an offset and returns the offset after it. */
function scanToken(scan: Scan, at: number): number {
  const { text, open } = scan
  const sign = text[at]!
  if (sign === '\n' || sign === ';') {
    scan.isStart = true
    return at + 1
  }
  const skipped = lengthOf(space, text, at)
  if (skipped > 0) return at + skipped
  if (text.startsWith('#=', at)) return blockCommentEnd(text, at)
  if (sign === '#') return at + lengthOf(comment, text, at)
  const isStart = scan.isStart && !isBracket(open.at(-1))
  scan.isStart = false
  const doc = isStart ? docAt(scan, at) : null
  if (doc !== null) return doc
  const literal = stringAt(text, at)
  if (literal !== null) {
    noteConstant(scan, at, literal)
    return literal.end
  }
  if (sign === '`') return commandEnd(text, at)
  if (sign === "'" && !/[\w)\]}'.\p{L}]/u.test(text[at - 1] ?? ' ')) {
    return at + Math.max(1, lengthOf(character, text, at))
  }
  if ('([{'.includes(sign)) open.push(sign)
  else if (')]}'.includes(sign)) closeBracket(open)
  const length = lengthOf(word, text, at)
  if (length === 0) return at + 1
  scanWord(scan, { at, name: text.slice(at, at + length), isStart })
  return at + length
}

function isBracket(open: string | undefined): boolean {
  return open !== undefined && '([{'.includes(open)
}

function closeBracket(open: string[]): void {
  // A block that is still open inside the closed bracket was misread.
  const index = open.findLastIndex(isBracket)
  if (index >= 0) open.length = index
}

function blockCommentEnd(text: string, at: number): number {
  const mark = /#=|=#/g
  mark.lastIndex = at
  let depth = 0
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '#=' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  return text.length
}

function commandEnd(text: string, at: number): number {
  const mark = text.startsWith('```', at) ? '```' : '`'
  const end = text.indexOf(mark, at + mark.length)
  return end < 0 ? text.length : end + mark.length
}

const blocks = new Set([
  'begin',
  'function',
  'macro',
  'struct',
  'for',
  'while',
  'if',
  'let',
  'quote',
  'try',
  'do',
  'type',
])

function scanWord(
  scan: Scan,
  { at, name, isStart }: { at: number; name: string; isStart: boolean },
): void {
  const { text, open } = scan
  const before = text[at - 1]
  if (before === '.' || before === ':') return
  const inner = open.at(-1)
  if (name === 'end') {
    if (inner !== undefined && !isBracket(inner)) open.pop()
  } else if (name === 'module' || name === 'baremodule') {
    const [, module] = /^(?:bare)?module[ \t]+(\w+)/.exec(text.slice(at, at + 100)) ?? []
    if (module === undefined || !isStart) return
    open.push(`module ${module}`)
    scan.module ??= module
  } else if (name === 'type' && !/(?:abstract|primitive)[ \t]+$/.test(text.slice(at - 12, at))) {
    return
  } else if (blocks.has(name)) {
    // Inside brackets, `for` and `if` belong to a comprehension.
    if (!(isBracket(inner) && /^(?:for|if)$/.test(name))) open.push(name)
  } else if (isStart && /^(?:export|public)$/.test(name)) noteExports(scan, at + name.length)
  else if (name === 'include' && text[at + 7] === '(') noteInclude(scan, at)
}

const exportedName =
  /[ \t]*(?:\n[ \t]*)?(@?[\p{L}_][\p{L}\p{N}_!]*)[ \t]*(?:#[^\n]*)?(,?)[ \t]*(?:#[^\n]*)?/uy

function noteExports({ text, exported }: Scan, start: number): void {
  for (let at = start; ; ) {
    exportedName.lastIndex = at
    const [whole, name, comma] = exportedName.exec(text) ?? []
    if (whole === undefined || name === undefined) return
    exported.push(name)
    if (comma === '') return
    at += whole.length
    while (/\s/.test(text[at] ?? '')) at++
  }
}

function noteInclude(scan: Scan, at: number): void {
  const [, written = ''] =
    /^include\(([^()\n]{0,200}(?:\([^()\n]{0,200}\))?)\)/.exec(scan.text.slice(at, at + 500)) ?? []
  const parts = [...written.matchAll(/"([^"$\\]+)"/g)].map(([, part]) => part!)
  if (parts.length > 0 && !/[$[]/.test(written)) {
    scan.included.push({ path: parts.join('/'), module: moduleOf(scan) })
  }
}

function moduleOf({ open }: Scan): string {
  return open.findLast((it) => it.startsWith('module '))?.slice('module '.length) ?? ''
}

function noteConstant({ text, constants }: Scan, at: number, literal: JuliaString): void {
  const [, name] =
    /(?:^|\n)[ \t]*(?:const[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*\n?[ \t]*$/.exec(
      text.slice(Math.max(0, at - 200), at),
    ) ?? []
  if (name !== undefined && !constants.has(name)) constants.set(name, literal)
}

const docMark = /@doc[ \t]+(?=[a-z]*")/y
const toObject = new RegExp(
  String.raw`[ \t]*(?:#[^\n]*)?\r?\n[ \t]*(?=\S)|` +
    String.raw`[ \t]+(?=(?:function|macro|struct|mutable|abstract|const|module)\b)`,
  'y',
)
const toObjectOfMark = /[ \t]*(?:->)?[ \t]*\r?\n?[ \t]*(?=\S)/y

/** Reads a docstring at the start of a statement. Returns the offset after it, or null. */
function docAt(scan: Scan, at: number): number | null {
  const { text, open } = scan
  if (text[at] !== '"' && text[at] !== '@' && !/^[a-z]{1,8}"/.test(text.slice(at, at + 9))) {
    return null
  }
  const marked = lengthOf(docMark, text, at)
  const literal = stringAt(text, at + marked)
  if (literal === null || closedBlocks.has(open.at(-1) ?? '')) return null
  const gap = marked > 0 ? toObjectOfMark : toObject
  const start = literal.end + lengthOf(gap, text, literal.end)
  const object = start > literal.end ? objectAt(text, start) : null
  if (object === null) return null
  const isType = object.kind === 'type' && object.signature !== ''
  const body = isType
    ? (text.slice(start, start + longestBody).split(/\n[ \t]*end\b/)[0] ?? '')
    : ''
  scan.docs.push({ ...object, literal, body, module: moduleOf(scan) })
  scan.isStart = true
  return literal.end
}

/** Blocks whose strings document nothing that a page can name. */
const closedBlocks = new Set(['struct', 'function', 'macro', 'do', 'while', 'try'])

/** Maximum length of a type whose fields are parsed. */
const longestBody = 8000
