import { stringAt } from './julia-string.ts'

/** The object that a docstring documents. */
export type JuliaObject = {
  kind: 'module' | 'constant' | 'type' | 'function' | 'macro'
  /** The name without its module; a macro starts with `@`. */
  name: string
  /** The module before the name, such as `Base` in `Base.show`; may be ''. */
  qualifier: string
  /** The declaration without its body. */
  signature: string
  /** The types of the positional arguments; null if the object is not a function. */
  types: string[] | null
  required: number
}

const name = String.raw`[\p{L}_∇∂∑∏][\p{L}\p{N}\p{M}_!′∇∂]*`
const operator = String.raw`[-+*/\\^%&|~<>=!:÷⊻∘×⋅≈≠≤≥∈∉⊆√⊗⊕]+`
const path = String.raw`((?:${name}\.)*)(?::?\(?(@?${name}|${operator})\)?)`

const prefixes = new RegExp(String.raw`(?:(?:${name}\.)*@${name}[ \t]+)+(?=[^\s=,.])`, 'uy')
const keyword = new RegExp(
  String.raw`(function|macro|(?:mutable[ \t]+)?struct|(?:abstract|primitive)[ \t]+type|` +
    String.raw`(?:bare)?module|const|global)[ \t\n]+`,
  'y',
)
const target = new RegExp(path, 'uy')
const callable = new RegExp(
  String.raw`\((?:${name})?::((?:${name}\.)*)(${name})[^()\n]{0,200}\)(?=\()`,
  'uy',
)
const parameters = /\{[^{}\n]{0,300}(?:\{[^{}\n]{0,300}\}[^{}\n]{0,300}){0,9}\}/y
const afterArguments = new RegExp(
  String.raw`(?:::[^\s=]{1,200})?` +
    String.raw`(?:[ \t\n]{1,9}where[ \t]+(?:\{[^\n]{0,200}?\}|[\w<:.]{1,100})){0,3}`,
  'y',
)

/** Parses the declaration or expression at an offset. Returns null unless it is a named object. */
export function objectAt(text: string, offset: number): JuliaObject | null {
  const at = offset + lengthOf(prefixes, text, offset)
  keyword.lastIndex = at
  const [head = '', word = ''] = keyword.exec(text) ?? []
  const start = at + head.length
  const named = nameAt(text, start, word === 'function' || word === '')
  if (named === null) return null
  const { name, qualifier, end } = named
  if (word === '' && blockWords.has(name)) return null
  const afterType = end + lengthOf(parameters, text, end)
  const object = { name, qualifier, types: null, required: 0 }
  const line = () => text.slice(at, lineEnd(text, at)).replace(/\s+end\s*$/, '')
  if (/struct|type/.test(word)) return { ...object, kind: 'type', signature: line() }
  if (word.endsWith('module')) return { ...object, kind: 'module', signature: line() }
  if (word === 'const' || word === 'global') {
    return { ...object, kind: 'constant', signature: line().slice(0, 200) }
  }
  const kind = word === 'macro' || name.startsWith('@') ? 'macro' : 'function'
  const shown = kind === 'macro' && !name.startsWith('@') ? `@${name}` : name
  const close = text[afterType] === '(' ? closingBracket(text, afterType) : -1
  if (close < 0) {
    const isType = kind === 'function' && word === '' && /^\p{Lu}/u.test(name)
    return { ...object, name: shown, kind: isType ? 'type' : kind, signature: '' }
  }
  const list = splitArguments(text.slice(afterType + 1, close))
  const signature = text.slice(start, close + 1 + lengthOf(afterArguments, text, close + 1))
  return {
    ...object,
    kind,
    name: shown,
    signature: kind === 'macro' ? `@${signature.replace(/^@/, '')}` : signature,
    types: list.map(argumentType),
    required: list.filter((it) => !/[^=!<>]=(?!=)|\.\.\.$/.test(it)).length,
  }
}

const blockWords = new Set([
  'end',
  'else',
  'elseif',
  'if',
  'for',
  'while',
  'return',
  'begin',
  'let',
  'try',
  'catch',
  'using',
  'finally',
  'do',
  'import',
  'export',
  'quote',
  'in',
  'isa',
  'where',
  'include',
  'true',
  'false',
])

function nameAt(
  text: string,
  at: number,
  mayCall: boolean,
): { name: string; qualifier: string; end: number } | null {
  for (const pattern of mayCall ? [callable, target] : [target]) {
    pattern.lastIndex = at
    const [whole, qualifier = '', name] = pattern.exec(text) ?? []
    if (whole !== undefined && name !== undefined) {
      return { name, qualifier: qualifier.replace(/\.$/, ''), end: at + whole.length }
    }
  }
  return null
}

/** Returns the length of a sticky pattern's match at an offset. */
export function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

const longestArguments = 5000

/** Returns the offset of the bracket that closes the one at `at`, or -1 if it is too far away. */
function closingBracket(text: string, at: number): number {
  let depth = 0
  const near = text.slice(at, at + longestArguments)
  for (let to = 0; to < near.length; to++) {
    const sign = near[to]!
    if (sign === '"') to = (stringAt(near, to)?.end ?? near.length) - 1
    else if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign) && --depth === 0) return at + to
  }
  return -1
}

export function splitArguments(list: string): string[] {
  const parts: string[] = []
  let [depth, start] = [0, 0]
  for (let at = 0; at <= list.length; at++) {
    const sign = list[at] ?? ','
    if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign)) depth--
    if (at < list.length && (depth > 0 || (sign !== ',' && sign !== ';'))) continue
    const part = list.slice(start, at).trim()
    if (part !== '') parts.push(part)
    if (sign === ';') break
    start = at + 1
  }
  return parts
}

/** Returns the type of an argument without spaces or module names. The default is `Any`. */
export function argumentType(argument: string): string {
  const at = argument.indexOf('::')
  const type = at < 0 ? 'Any' : argument.slice(at + 2).replace(/\s*(?<![<>=!])=(?!=)[^]*$/, '')
  return type.replace(/\s+|\b[A-Za-z_]\w*\.(?=[A-Za-z_])/g, '')
}
