/** A macro in an R help file with its arguments, such as `\item{x}{The value.}`. */
export type RdMacro = { name: string; args: RdNode[][] }
export type RdNode = RdMacro | string

/** The syntax of an argument: `code` has strings with unpaired braces, `verbatim` has no macros. */
type Mode = 'prose' | 'code' | 'verbatim'

const verbatim = (
  'name alias synopsis command env option kbd samp verb preformatted out url deqn eqn doi ' +
  'docType keyword concept Rdversion encoding RdOpts'
).split(' ')
const code = 'code usage examples dontrun donttest dontshow dontdiff testonly Sexpr'.split(' ')

const shapes: ReadonlyMap<string, Mode[]> = new Map<string, Mode[]>([
  ...verbatim.map((name): [string, Mode[]] => [name, ['verbatim']]),
  ...code.map((name): [string, Mode[]] => [name, ['code']]),
  ...['cr', 'tab', 'dots', 'ldots', 'R'].map((name): [string, Mode[]] => [name, []]),
  ...['section', 'subsection', 'tabular', 'enc', 'if', 'method', 'S3method', 'S4method'].map(
    (name): [string, Mode[]] => [name, ['prose', 'prose']],
  ),
  ['ifelse', ['prose', 'prose', 'prose']],
  ['href', ['verbatim', 'prose']],
  ['figure', ['verbatim', 'verbatim']],
  ['newcommand', ['verbatim', 'verbatim']],
  ['renewcommand', ['verbatim', 'verbatim']],
])

/** Macros with an optional last argument: `\eqn{latex}{text}`. */
const shapesWithOption: ReadonlyMap<string, Mode> = new Map([
  ['eqn', 'verbatim'],
  ['deqn', 'verbatim'],
])

/** Macros whose items have a name and text. Items in other lists have neither. */
const namedItems = new Set(['arguments', 'value', 'describe'])

/** Deeper macros stay text. R's own help files have about twelve levels. */
const deepest = 100

/** Parses an R help file into macros and text in linear time. */
export function parseRdTree(text: string): RdNode[] {
  const scan = { text: withoutFalseParts(text), at: 0, depth: 0 }
  const nodes: RdNode[] = []
  while (scan.at < scan.text.length) nodes.push(...readNodes(scan, 'prose', ''))
  return nodes
}

/** `depth` is the number of open macros. */
type Scan = { text: string; at: number; depth: number }

/** Removes the parts for other systems: `#ifdef windows` … `#endif`. */
function withoutFalseParts(text: string): string {
  if (!/^#ifn?def/m.test(text)) return text
  // The conditions around a line: 1 for another system, otherwise 0.
  const conditions: number[] = []
  let falseConditions = 0
  const lines = text.split('\n').filter((line) => {
    const [, not, system] = /^#if(n?)def[ \t]+(\w+)/.exec(line) ?? []
    if (system !== undefined) {
      const isFalse = (system === 'unix') === (not === 'n')
      falseConditions += conditions[conditions.push(Number(isFalse)) - 1]!
      return false
    }
    if (!/^#endif/.test(line)) return falseConditions === 0
    falseConditions -= conditions.pop() ?? 0
    return false
  })
  return lines.join('\n')
}

/** Matches text without a special meaning in any mode. */
const plainRun = /[^\\%{}"'`#\n]+/y

/**
 * Reads an argument and its closing brace, or the rest of the text. `list` is the enclosing list
 * macro.
 */
function readNodes(scan: Scan, mode: Mode, list: string): RdNode[] {
  const { text } = scan
  const nodes: RdNode[] = []
  let value = ''
  let braces = 0
  // In code: the quote of the open string, or `#` in a comment.
  let open = ''
  const isLiteral = () => open !== '' && open !== '#'
  while (scan.at < text.length) {
    plainRun.lastIndex = scan.at
    const run = plainRun.exec(text)?.[0]
    if (run !== undefined) {
      value += run
      scan.at += run.length
      continue
    }
    const sign = text[scan.at]!
    if (sign === '\\') {
      const macro = mode === 'verbatim' ? null : readMacro(scan, { mode, list, isLiteral })
      if (macro === null) value += readEscape(scan, isLiteral() ? open : '')
      else {
        nodes.push(value, macro)
        value = ''
      }
    } else if (sign === '%') scan.at = commentEnd(text, scan.at)
    else {
      scan.at++
      if (!isLiteral()) {
        if (sign === '}' && braces-- === 0) break
        if (sign === '{') braces++
      }
      if (mode === 'code') open = openAfter(open, sign)
      if (mode !== 'prose' || (sign !== '{' && sign !== '}')) value += sign
    }
  }
  nodes.push(value)
  return nodes.filter((node) => node !== '')
}

/** Returns the open string or comment after a character of R code. */
function openAfter(open: string, sign: string): string {
  if (open === '#') return sign === '\n' ? '' : open
  if (!/["'`#]/.test(sign)) return open
  if (open === '') return sign
  return open === sign ? '' : open
}

/** Returns the end of a comment. If the line contains nothing else, skips the whole line. */
function commentEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  if (end < 0) return text.length
  let from = at
  while (from > 0 && (text[from - 1] === ' ' || text[from - 1] === '\t')) from--
  return from === 0 || text[from - 1] === '\n' ? end + 1 : end
}

/**
 * Reads an escaped character. In an R string, which ends with `quote`, a remaining backslash
 * escapes another character.
 */
function readEscape(scan: Scan, quote: string): string {
  const next = scan.text[scan.at + 1] ?? ''
  const isEscape = /[\\%{}]/.test(next)
  scan.at += isEscape ? 2 : 1
  const sign = isEscape ? next : '\\'
  if (quote === '' || sign !== '\\') return sign
  const escaped = scan.text.startsWith('\\\\', scan.at) ? 2 : scan.text[scan.at] === quote ? 1 : 0
  scan.at += escaped
  return escaped === 0 ? sign : sign + (escaped === 2 ? '\\' : quote)
}

type MacroPlace = { mode: Mode; list: string; isLiteral: () => boolean }

const macroName = /\\([A-Za-z]\w*)/y

/** Reads the macro at a backslash. Returns null if there is none, as in `"\n"`. */
function readMacro(scan: Scan, { mode, list, isLiteral }: MacroPlace): RdMacro | null {
  macroName.lastIndex = scan.at
  const name = macroName.exec(scan.text)?.[1]
  if (name === undefined || scan.depth >= deepest) return null
  if (isLiteral() && !/^(?:link|var)/.test(name)) return null
  const after = scan.at + 1 + name.length
  const isKnown = shapes.has(name) || /[{[]/.test(scan.text[after] ?? '')
  if (mode === 'code' && !isKnown) return null
  scan.at = after
  if (/^(?:link|Sexpr)/.test(name)) skipOption(scan)
  return { name, args: readArguments(scan, name, list) }
}

/** Skips the option of a macro: `[utils:head]`. */
function skipOption(scan: Scan): void {
  if (scan.text[scan.at] !== '[') return
  const end = scan.text.slice(scan.at, scan.at + 300).indexOf(']')
  if (end > 0) scan.at += end + 1
}

function readArguments(scan: Scan, name: string, list: string): RdNode[][] {
  if (name === 'item' && !namedItems.has(list)) return []
  const inner = name === 'itemize' || name === 'enumerate' || namedItems.has(name) ? name : list
  const modes = name === 'item' ? (['prose', 'prose'] as const) : shapes.get(name)
  const optional = shapesWithOption.get(name)
  const args: RdNode[][] = []
  scan.depth++
  for (let index = 0; index < (modes?.length ?? mostArguments); index++) {
    // There is no space between the arguments of a macro from a package.
    if (!atBrace(scan, modes !== undefined && index > 0)) break
    args.push(readNodes(scan, modes?.[index] ?? 'prose', inner))
  }
  if (optional !== undefined && args.length > 0 && atBrace(scan, false)) {
    args.push(readNodes(scan, optional, inner))
  }
  if (modes?.length === 0 && scan.text.startsWith('{}', scan.at)) scan.at += 2
  scan.depth--
  return args
}

const mostArguments = 9

const spacesBeforeBrace = /\s*\{/y

/** Enters an argument. Returns false if none starts here. */
function atBrace(scan: Scan, maySpace: boolean): boolean {
  if (scan.text[scan.at] === '{') return scan.at++ >= 0
  if (!maySpace) return false
  spacesBeforeBrace.lastIndex = scan.at
  const spaces = spacesBeforeBrace.exec(scan.text)?.[0]
  if (spaces === undefined) return false
  scan.at += spaces.length
  return true
}
