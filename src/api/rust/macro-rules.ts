import { appendTokens, closingOf, gapBetween, paddingOf, rustTokens } from './rust-token.ts'
import type { MarkedCode, RustToken } from './rust-token.ts'

/** A rule of `macro_rules!`: a pattern, and a body that replaces the call. */
export type MacroRule = { pattern: Part[]; body: Part[]; source: string }

type Part =
  | { kind: 'token'; token: RustToken }
  | { kind: 'group'; token: RustToken; parts: Part[] }
  | { kind: 'variable'; token: RustToken; name: string; specifier: string }
  | {
      kind: 'repetition'
      token: RustToken
      parts: Part[]
      separator: RustToken | null
      mark: string
    }

/** Parses one rule. Returns null if its brackets are unbalanced. */
export function parseMacroRule(
  source: string,
  { pattern, body }: Record<'pattern' | 'body', { from: number; to: number }>,
): MacroRule | null {
  const [wanted, made] = [pattern, body].map(({ from, to }) => rustTokens(source, from, to))
  if (!wanted || !made) return null
  return { pattern: partsOf(wanted, true), body: partsOf(made, false), source }
}

/** True for the pattern `$($item:item)*`, which means that the arguments are themselves items. */
export function passesOnArguments({ pattern }: MacroRule): boolean {
  const [first, ...rest] = pattern
  const [only, ...more] = first?.kind === 'repetition' ? first.parts : []
  const isRest = only?.kind === 'variable' && /^(?:item|tt)$/.test(only.specifier)
  return isRest && rest.length + more.length === 0
}

/** @param isPattern true if `$name` is followed by a specifier such as `:expr` */
function partsOf(tokens: readonly RustToken[], isPattern: boolean): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < tokens.length; at++) {
    const first = tokens[at]!
    const [next, third, fourth] = tokens.slice(at + 1, at + 4)
    const upTo = (n: number) => ({ ...first, to: tokens[at + n]!.to })
    if (first.text === '$' && next?.text === '(') {
      const isMark = (it: RustToken | undefined) => /^[*+?]$/.test(it?.text ?? '')
      const separator = isMark(third) ? null : (third ?? null)
      const mark = (separator === null ? third : fourth)?.text ?? ''
      const n = Math.min(separator === null ? 2 : 3, tokens.length - 1 - at)
      const inner = partsOf(next.inside, isPattern)
      parts.push({ kind: 'repetition', token: upTo(n), parts: inner, separator, mark })
      at += n
    } else if (first.text === '$' && next?.kind === 'name') {
      const hasSpecifier = isPattern && third?.text === ':' && fourth?.kind === 'name'
      const n = hasSpecifier ? 3 : 1
      const specifier = hasSpecifier ? fourth.text : ''
      parts.push({ kind: 'variable', token: upTo(n), name: next.text, specifier })
      at += n
    } else if (first.kind === 'group') {
      parts.push({ kind: 'group', token: first, parts: partsOf(first.inside, isPattern) })
    } else parts.push({ kind: 'token', token: first })
  }
  return parts
}

/** The value of a variable: tokens, or one set of bindings per repetition. */
type Bound = { tokens: RustToken[] } | { each: Bindings[] }
type Bindings = Map<string, Bound>

/** The remaining budget for expansion: matching steps and output characters. */
export type ExpansionBudget = { steps: number; characters: number }

/**
 * Expands a macro call with the first matching rule. Returns null if no rule matches or the budget
 * is used up. Substitutes text and executes no code.
 */
export function expandMacroRules(
  rules: readonly MacroRule[],
  call: { source: string; from: number; to: number },
  budget: ExpansionBudget,
): MarkedCode | null {
  const given = rustTokens(call.source, call.from, call.to)
  if (given === null) return null
  for (const rule of rules) {
    const bindings: Bindings = new Map()
    const end = matchParts(rule.pattern, { tokens: given, at: 0, bindings, budget })
    if (end !== given.length) continue
    const code: MarkedCode = { text: '', marks: [] }
    const isWhole = transcribe(code, rule.body, { bindings, rule, call, budget })
    budget.characters -= code.text.length
    return isWhole ? code : null
  }
  return null
}

type Matching = {
  tokens: readonly RustToken[]
  at: number
  bindings: Bindings
  budget: ExpansionBudget
}

/** Returns the index of the token after the match, or -1. */
function matchParts(parts: readonly Part[], { tokens, at, bindings, budget }: Matching): number {
  for (const part of parts) {
    if (--budget.steps < 0) return -1
    const token = tokens[at]
    if (part.kind === 'token') {
      if (token?.kind === 'group' || token?.text !== part.token.text) return -1
      at++
    } else if (part.kind === 'group') {
      if (token?.kind !== 'group' || token.text !== part.token.text) return -1
      const { inside } = token
      const end = matchParts(part.parts, { tokens: inside, at: 0, bindings, budget })
      if (end !== inside.length) return -1
      at++
    } else if (part.kind === 'variable') {
      const end = matchedEnd(part.specifier, tokens, at)
      if (end < 0) return -1
      bindings.set(part.name, { tokens: tokens.slice(at, end) })
      at = end
    } else at = matchRepetition(part, { tokens, at, bindings, budget })
    if (at < 0) return -1
  }
  return at
}

function matchRepetition(
  { parts, separator, mark }: Extract<Part, { kind: 'repetition' }>,
  { tokens, at, bindings, budget }: Matching,
): number {
  const rounds: Bindings[] = []
  while (mark !== '?' || rounds.length === 0) {
    const isNext = rounds.length > 0 && separator !== null
    if (isNext && tokens[at]?.text !== separator.text) break
    const round: Bindings = new Map()
    const start = isNext ? at + 1 : at
    const end =
      start > tokens.length ? -1 : matchParts(parts, { tokens, at: start, bindings: round, budget })
    if (end < 0 || end === at) break
    rounds.push(round)
    at = end
  }
  if (mark === '+' && rounds.length === 0) return -1
  for (const name of namesIn(parts)) bindings.set(name, { each: rounds })
  return at
}

function namesIn(parts: readonly Part[]): string[] {
  return parts.flatMap((it) =>
    it.kind === 'variable' ? [it.name] : it.kind === 'token' ? [] : namesIn(it.parts),
  )
}

/** Returns the index after the tokens that match a specifier such as `expr`, or -1. */
function matchedEnd(specifier: string, tokens: readonly RustToken[], at: number): number {
  const token = tokens[at]
  const isName = token?.kind === 'name'
  if (specifier === 'vis') {
    if (token?.text !== 'pub') return at
    return tokens[at + 1]?.text === '(' ? at + 2 : at + 1
  }
  if (token === undefined) return -1
  switch (specifier) {
    case 'ident':
      return isName && token.text !== '_' ? at + 1 : -1
    case 'tt':
      return at + 1
    case 'lifetime':
      return token.kind === 'lifetime' ? at + 1 : -1
    case 'block':
      return token.text === '{' ? at + 1 : -1
    case 'literal': {
      const own = token.text === '-' ? tokens[at + 1] : token
      const isLiteral = own?.kind === 'literal' || /^(?:true|false)$/.test(own?.text ?? '')
      return isLiteral ? at + (own === token ? 1 : 2) : -1
    }
    case 'item':
      return itemEnd(tokens, at)
    case 'ty':
    case 'path':
      return runEnd(tokens, at, /^(?:,|;|=|=>|:|\||\{|as|where)$/)
    case 'pat':
    case 'pat_param':
      return runEnd(tokens, at, /^(?:,|=|=>|if|in)$/)
    default:
      // `expr`, `stmt`, `meta`
      return runEnd(tokens, at, /^(?:,|;|=>)$/)
  }
}

/** Returns the index of the first token that ends a run, ignoring tokens in `<…>`. */
function runEnd(tokens: readonly RustToken[], start: number, ends: RegExp): number {
  const isType = ends.source.includes('where')
  let depth = 0
  let at = start
  for (; at < tokens.length; at++) {
    const { text } = tokens[at]!
    if (depth === 0 && ends.test(text)) break
    if (isType && text === '[' && at > start && !/^[&*]|^mut$/.test(tokens[at - 1]!.text)) break
    if (!isType) continue
    if (text === '<') depth++
    else if (text === '>' || text === '>>') depth -= text.length
    if (depth < 0) break
  }
  return at === start ? -1 : at
}

/** An item ends with a semicolon or a body in braces. */
function itemEnd(tokens: readonly RustToken[], start: number): number {
  const word = /^(?:use|const|static|type|extern|fn|impl|struct|enum|union|trait|mod)$/
  const first = tokens.findIndex(({ text }, at) => at >= start && word.test(text))
  const [{ text: keyword = '' } = {}, next] = first < 0 ? [] : tokens.slice(first, first + 2)
  const isFunction = /^(?:fn|unsafe|async|extern)$/.test(next?.text ?? '')
  const needsSign =
    /^(?:use|static|type)$/.test(keyword) ||
    (keyword === 'const' && !isFunction) ||
    (keyword === 'extern' && next?.text === 'crate')
  const isEnd = ({ text }: RustToken) => text === ';' || (text === '{' && !needsSign)
  const end = tokens.findIndex((it, at) => at >= start && isEnd(it))
  return end < 0 ? -1 : end + 1
}

type Transcription = {
  bindings: Bindings
  rule: MacroRule
  call: { source: string }
  budget: ExpansionBudget
}

/** Appends a body with substituted variables. Returns false if it is invalid or too large. */
function transcribe(code: MarkedCode, parts: readonly Part[], options: Transcription): boolean {
  const { bindings, rule, call, budget } = options
  let last: Part | null = null
  for (const part of parts) {
    const { token } = part
    if (--budget.steps < 0 || code.text.length > budget.characters) return false
    if (last !== null) {
      const areJoined = last.kind === 'variable' && part.kind === 'variable'
      code.text += gapBetween(last.token, token, rule.source) || (areJoined ? ' ' : '')
    }
    last = part
    if (part.kind === 'token') code.text += token.text
    else if (part.kind === 'group') {
      code.text += token.text + paddingOf(token)
      if (!transcribe(code, part.parts, options)) return false
      code.text += paddingOf(token) + closingOf(token)
    } else if (part.kind === 'variable') {
      const bound = bindings.get(part.name)
      if (bound === undefined) code.text += part.name === 'crate' ? 'crate' : `$${part.name}`
      else if (!('tokens' in bound)) return false
      else appendTokens(code, bound.tokens, { source: call.source, hasMarks: true })
    } else if (!transcribeRounds(code, part, options)) return false
  }
  return true
}

function transcribeRounds(
  code: MarkedCode,
  { parts, separator }: Extract<Part, { kind: 'repetition' }>,
  options: Transcription,
): boolean {
  const { bindings } = options
  const repeated = namesIn(parts).flatMap((name) => {
    const bound = bindings.get(name)
    return bound !== undefined && 'each' in bound ? [bound.each] : []
  })
  const n = Math.max(0, ...repeated.map((rounds) => rounds.length))
  for (let round = 0; round < n; round++) {
    const inner: Bindings = new Map(bindings)
    for (const rounds of repeated)
      for (const [name, value] of rounds[round] ?? []) inner.set(name, value)
    if (round > 0) code.text += `${separator?.text ?? ''}\n`
    if (!transcribe(code, parts, { ...options, bindings: inner })) return false
  }
  return true
}
