import { blank, maskConditions } from './conditions.ts'

/**
 * Blanks preprocessor conditions, and attributes and macros around declarations, in a C header.
 * Keeps offsets.
 */
export function maskMacros(text: string): string {
  const lines = openDeclarations(maskConditions(text, { branches: 'all' }))
  const code = withoutTexts(lines)
  const edits: Edit[] = []
  for (const { from, to } of declarations(code)) {
    edits.push(...declarationEdits(code.slice(from, to)).map((it) => shifted(it, from)))
  }
  return withEdits(lines, edits)
}

/** A range to blank. If `sign` is set, it replaces the first character. */
type Edit = { from: number; to: number; sign?: string }

function shifted(edit: Edit, by: number): Edit {
  return { ...edit, from: edit.from + by, to: edit.to + by }
}

/** Blanks comments, literals and macro definitions. */
function withoutTexts(text: string): string {
  return text.replace(texts, blank)
}

const texts = new RegExp(
  [
    String.raw`\/\*[^]*?(?:\*\/|$(?![^]))`,
    String.raw`\/\/[^\n]*`,
    String.raw`"(?:[^"\\\n]|\\.)*"`,
    String.raw`'(?:[^'\\\n]|\\.)*'`,
    String.raw`^[ \t]*#(?:[^\n\\]|\\[^])*`,
  ].join('|'),
  'gm',
)

/** Yields an edit for each declaration: the code between `;`, `{` or `}` outside parentheses. */
function* declarations(code: string): Generator<Edit> {
  let from = 0
  let depth = 0
  for (let at = 0; at < code.length; at++) {
    const sign = code[at]!
    // An edit must not start before the declaration, in a comment.
    if (from === at && /\s/.test(sign)) from++
    else if (sign === '(') depth++
    else if (sign === ')' && --depth === 0 && isWholeLine(code, from, at)) {
      yield { from, to: at + 1 }
      from = at + 1
    } else if ('{};'.includes(sign) && (depth <= 0 || sign !== ';')) {
      if (at - from < longestDeclaration) yield { from, to: at }
      from = at + 1
      depth = 0
    }
  }
}

const longestDeclaration = 5000

/** True for a macro call without a semicolon on a line of its own. */
function isWholeLine(code: string, from: number, end: number): boolean {
  return (
    /^[A-Z][A-Z\d_]+\s*\(/.test(code.slice(from, from + 100)) &&
    /^[ \t]*\n\s*[\w#]/.test(code.slice(end + 1, end + 1000))
  )
}

/**
 * Blanks the upper-case macros in a declaration: `API int CALL f OF((int a)) PURE;`, `EXTERN(int)
 * f(int a);` and `EXPORT(1, int, f, (int a));`.
 */
function declarationEdits(code: string): Edit[] {
  const edits: Edit[] = []
  const call = /^[A-Z][A-Z\d_]+\s*\(/.exec(code)?.[0]
  if (call !== undefined && closing(code, call.length - 1) === code.trimEnd().length - 1) {
    return exportEdits(code)
  }
  const wrapped = /\b[A-Z][A-Z\d_]+\s*\(\s*(?=\()/g
  for (const { index, 0: head } of code.matchAll(wrapped)) {
    const end = closing(code, index + head.length - 1 - /\s*$/.exec(head)![0].length)
    if (end > 0) edits.push({ from: index, to: index + head.length }, { from: end, to: end + 1 })
  }
  const list = parameterStart(code)
  const head = code.slice(0, list)
  const typeMacro = /\b[A-Z][A-Z\d_]+\s*\(([^()]*)\)(?=\s*[*\s]*\w+\s*$)/.exec(head)
  if (typeMacro !== null) {
    const open = typeMacro.index + typeMacro[0].indexOf('(')
    const close = typeMacro.index + typeMacro[0].length - 1
    edits.push({ from: typeMacro.index, to: open + 1 }, { from: close, to: close + 1 })
  }
  return [...edits, ...attributeEdits(head), ...tailEdits(code, list)]
}

const qualifiers = /^(?:static|extern|inline|const|volatile|register|restrict|typedef|__\w+)\b/
/** Words that can be part of a type. */
const partsOfTypes =
  /^(?:struct|union|enum|unsigned|signed|long|short|int|char|float|double|void|bool|_Bool|size_t)$/

/** Blanks macros before the type, or between the type and the name. */
function attributeEdits(head: string): Edit[] {
  // The last word is the name.
  const words = [...head.matchAll(/\b[A-Za-z_]\w*\b(?:\s*\([^()]*\))?/g)].slice(0, -1)
  const ranges = words.map(({ 0: word, index }) => ({ word, from: index, to: index + word.length }))
  const types = ranges.filter(({ word }) => !qualifiers.test(word))
  const named = types.filter(({ word }) => !/^[A-Z][A-Z\d_]+\b/.test(word))
  const attributes = ranges.filter(({ word }) => /^__\w+\s*\(/.test(word))
  if (named.length === 0) {
    // The type may itself be upper-case, such as `FILE *`.
    return [...attributes, ...types.slice(0, -1)]
  }
  const isPlain = named.some(({ word }) => partsOfTypes.test(word))
  const capitals = types.filter((it) => !named.includes(it))
  return [...attributes, ...capitals, ...(isPlain ? [] : named.slice(0, -1))]
}

/** Blanks attributes after the parameters. */
function tailEdits(code: string, list: number): Edit[] {
  const end = list < code.length ? closing(code, list) : -1
  if (end < 0) return []
  const tail = code.slice(end + 1)
  return /^[\s\w]*[A-Z_]\w*(?:\s*\([^]*\))?\s*$/.test(tail)
    ? [{ from: end + 1, to: code.length }]
    : []
}

/**
 * Returns the offset of the parenthesis that opens the parameters, or the length of the code if
 * there is none.
 */
function parameterStart(code: string): number {
  for (const { index, 0: word } of code.matchAll(/\b[A-Za-z_]\w*\s*(?=\()/g)) {
    const open = index + word.length
    if (/^[A-Z][A-Z\d_]*\s*$/.test(word) && /^\(\s*\(/.test(code.slice(open))) return index
    const end = closing(code, open)
    if (end > 0 && !/^\s*\**\s*\w+/.test(code.slice(end + 1))) return open
    if (end > 0 && /[a-z]/.test(word) && !word.startsWith('__')) return open
  }
  return code.length
}

/** Rewrites `EXPORT(1, int, f, (int a), REST)` to `int  f  (int a)`. */
function exportEdits(code: string): Edit[] {
  const open = code.indexOf('(')
  const close = code.lastIndexOf(')')
  const commas = topLevelCommas(code, open + 1, close)
  const starts = [open, ...commas].map((at) => at + 1)
  const list = starts.findIndex((at, i) => i >= 2 && /^\s*\(/.test(code.slice(at, at + 200)))
  if (list < 2) return [{ from: 0, to: code.length }]
  const [type, name] = [starts[list - 2]!, starts[list - 1]!]
  const rest = commas[list] ?? close
  return [
    { from: 0, to: type },
    { from: name - 1, to: name },
    { from: starts[list]! - 1, to: starts[list]! },
    { from: rest, to: close + 1, sign: ';' },
  ]
}

function topLevelCommas(code: string, from: number, to: number): number[] {
  const commas: number[] = []
  let depth = 0
  for (let at = from; at < to; at++) {
    if (code[at] === '(') depth++
    else if (code[at] === ')') depth--
    else if (code[at] === ',' && depth === 0) commas.push(at)
  }
  return commas
}

/** Returns the offset of the parenthesis that closes the one at `open`, or -1. */
function closing(code: string, open: number): number {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth++
    else if (code[at] === ')' && --depth === 0) return at
  }
  return -1
}

/**
 * Uncomments declarations in comments, because libraries document macros as if they were functions.
 */
function openDeclarations(text: string): string {
  const declaration = String.raw`[A-Za-z_][\w *]{0,200}\([^;{}*]{0,500}\);`
  const comment = new RegExp(
    String.raw`\/\*(\s*\n(?:${declaration}[ \t]*\n){0,9}${declaration})(\s*\n[ \t]*\n)`,
    'g',
  )
  return text.replace(
    comment,
    (_, declared: string, gap: string) => `  ${declared}/*${gap.slice('/*'.length)}`,
  )
}

function withEdits(text: string, edits: readonly Edit[]): string {
  let masked = ''
  let at = 0
  for (const { from, to, sign = '' } of edits.toSorted((a, b) => a.from - b.from)) {
    if (from < at) continue
    masked += text.slice(at, from) + sign + blank(text.slice(from + sign.length, to))
    at = to
  }
  return masked + text.slice(at)
}
