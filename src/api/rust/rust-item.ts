import type { SyntaxNode } from '@lezer/common'
import { parseStringLiteral } from '../python/python-string.ts'
import { childrenOf, type TextOf } from '../syntax.ts'
import { expandMacroRules, parseMacroRule, passesOnArguments } from './macro-rules.ts'
import type { ExpansionBudget, MacroRule } from './macro-rules.ts'
import { rustdocToMarkdown } from './rust-doc.ts'
import { includeMark } from './rust-include.ts'
import type { MarkedCode } from './rust-token.ts'

/** A Rust file, or the part of one inside a macro. */
export type RustFile = {
  text: string
  textOf: TextOf
  lineOf(node: { from: number; to?: number }): number
  /** Number of enclosing macros. */
  depth: number
  /** Bodies of `macro_rules!` without parameters, until their first use. */
  macros: Map<string, { file: RustFile; from: number; to: number }>
  /** Names of macros from other files that are called without arguments. */
  calls: string[]
  rules: MacroRules
}

/** The macros of a file, and the remaining budget for their expansion. */
export type MacroRules = {
  byName: Map<string, MacroRule[]>
  /** Source text of macros defined in the file. */
  texts: Map<string, string>
  added: Set<string>
  unknown: Set<string>
  budget: ExpansionBudget
}

/** An item with its comments and attributes. */
export type RustItem = {
  node: SyntaxNode
  file: RustFile
  documentation: string
  deprecated: string | null
  derives: string[]
  /** Attributes without brackets, such as `cfg(test)` or `macro_export`. */
  attributes: string[]
}

type Parse = (text: string, outer: RustFile, offset: number) => { top: SyntaxNode; file: RustFile }

/** Maximum nesting of macros, because each level parses its text again. */
const deepestMacro = 16

/**
 * Returns the items in a body and in macros such as `cfg_rt! { … }`. Omits tests, and hidden items
 * other than modules.
 */
export function itemsOf(body: SyntaxNode, file: RustFile, parse: Parse): RustItem[] {
  const items: RustItem[] = []
  let before = noNotes()
  for (const node of flatChildren(body)) {
    if (readNote(node, file, before)) continue
    if (node.name === 'MacroDefinition') keepMacro(node, file)
    if (node.name === 'MacroInvocation' || isMacroStatement(node)) {
      if (!isHiddenItem(before.attributes)) items.push(...macroItems(node, file, parse))
    } else if (/^[A-Z]/.test(node.name) && !isLeftOut(node, before.attributes)) {
      const { lines, ...rest } = before
      items.push({ node, file, documentation: documentationOf(lines, rest.attributes), ...rest })
      const block = node.name === 'ConstItem' ? unnamedBlock(node, file) : null
      if (block !== null) items.push(...itemsOf(block, file, parse))
    }
    if (node.name !== ',') before = noNotes()
  }
  return items
}

type Notes = Pick<RustItem, 'deprecated' | 'derives' | 'attributes'> & { lines: string[] }

function noNotes(): Notes {
  return { lines: [], deprecated: null, derives: [], attributes: [] }
}

/** Returns the children of a body. Attributes are part of their item's node. */
function flatChildren(body: SyntaxNode): SyntaxNode[] {
  const nodes: SyntaxNode[] = []
  const waiting = childrenOf(body).reverse()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.name === 'AttributeItem') waiting.push(...childrenOf(node).reverse())
    else nodes.push(node)
  }
  return nodes
}

/** Adds a comment or attribute to the notes for the next item. */
function readNote(node: SyntaxNode, { textOf }: RustFile, notes: Notes): boolean {
  if (node.name === 'LineComment' || node.name === 'BlockComment') {
    notes.lines.push(...docLines(textOf(node), /^\/\/\/(?!\/)|^\/\*\*(?!\*|\/)/))
    return true
  }
  if (node.name !== 'Attribute' && node.name !== 'InnerAttribute') return false
  if (node.name === 'InnerAttribute') return true
  const code = textOf(node)
    .replace(/^#?\[|\]$/g, '')
    .trim()
  notes.attributes.push(code)
  const text = docAttribute.exec(code)?.[1]
  // A comment mark is usually followed by a space.
  const spaced =
    text === undefined
      ? []
      : rustString(text)
          .replace(/^(?=.)/gm, ' ')
          .split('\n')
  notes.lines.push(...spaced)
  const derived = /^derive\s*\((.*)\)$/s.exec(code)?.[1]
  if (derived !== undefined) {
    notes.derives.push(...derived.split(',').flatMap((it) => it.trim().split('::').at(-1) || []))
  }
  if (/^deprecated\b/.test(code)) notes.deprecated = deprecationOf(code)
  return true
}

/** Matches `doc = "…"`, even in a `cfg_attr`. */
const docAttribute =
  /^(?:cfg_attr\s*\((?:feature\s*=\s*"[^"]*"|docsrs|all\([^()]*\))\s*,\s*)?doc\s*=\s*(.*)$/s

/** Returns the lines of a documentation comment; none if it does not start with the mark. */
export function docLines(comment: string, mark: RegExp): string[] {
  if (!mark.test(comment)) return []
  if (comment.startsWith('//')) return [comment.slice(3)]
  const lines = comment.slice(3).replace(/\*\/$/, '').split('\n')
  const isStarred = lines.slice(1).every((line) => /^\s*(\*|$)/.test(line))
  return isStarred ? lines.map((line, at) => (at === 0 ? line : line.replace(/^\s*\*/, ''))) : lines
}

const longestConcat = 10_000

/** Returns the text of a literal or `concat!`, or a placeholder for `include_str!("…")`. */
export function rustString(code: string): string {
  const included = /^include_str!\s*\(\s*"([^"\\]{1,300})"/.exec(code.trim())?.[1]
  if (included !== undefined) return includeMark(included)
  if (/^concat!\s*\(/.test(code.trim())) {
    const parts = code
      .slice(0, longestConcat)
      .matchAll(/("(?:[^"\\]|\\.)*")|\bstringify!\s*\(\s*(\w+)\s*\)/g)
    return [...parts].map(([, text, name]) => name ?? parseStringLiteral(text!) ?? '').join('')
  }
  const raw = /^r(#*)"(.*?)"\1/s.exec(code.trim())?.[2]
  return raw ?? (/^"/.test(code.trim()) ? (parseStringLiteral(code.trim()) ?? '') : '')
}

function deprecationOf(code: string): string {
  const quoted = (pattern: RegExp) => rustString(pattern.exec(code)?.[1] ?? '')
  const since = quoted(/\bsince\s*=\s*("(?:[^"\\]|\\.)*")/s)
  const note = quoted(/\b(?:note|deprecated)\s*=\s*("(?:[^"\\]|\\.)*")/s)
  return [since && `since ${since}`, note].filter((part) => part !== '').join(': ')
}

/** Hidden modules are kept, because their items can be re-exported and their macros are public. */
function isLeftOut({ name }: SyntaxNode, attributes: readonly string[]): boolean {
  return name === 'ModItem' ? isForTests(attributes) : isHiddenItem(attributes)
}

export function isHiddenItem(attributes: readonly string[]): boolean {
  return isForTests(attributes) || attributes.some((it) => /^doc\s*\(.*\bhidden\b/.test(it))
}

function isForTests(attributes: readonly string[]): boolean {
  return attributes.some((code) => /^cfg\s*\(\s*(?:test|doctest)\b/.test(code))
}

function documentationOf(lines: string[], attributes: readonly string[]): string {
  return [rustdocToMarkdown(lines.join('\n')), featureNote(attributes)]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Returns the required features in `cfg(feature = "net")`. Ignores `cfg(not(…))`. */
export function featureNote(attributes: readonly string[]): string {
  const conditions = attributes.filter(
    (code) => /^cfg\s*\(|^cfg_attr\s*\(\s*docsrs\b/.test(code) && !/\bnot\s*\(/.test(code),
  )
  const names = conditions.flatMap((code) =>
    [...code.matchAll(/\bfeature\s*=\s*"([^"]{1,100})"/g)].map(([, name]) => `\`${name}\``),
  )
  const unique = [...new Set(names)]
  if (unique.length === 0) return ''
  const isAny = conditions.some((code) => /\bany\s*\(/.test(code))
  return `Needs the feature ${unique.join(isAny ? ' or ' : ' and ')}.`
}

/** The grammar parses a macro call with a semicolon as a statement. */
function isMacroStatement({ name, firstChild }: SyntaxNode): boolean {
  return name === 'ExpressionStatement' && firstChild?.name === 'MacroInvocation'
}

/** Returns the block of `const _: () = { … };`. The crate exports the macros in this block. */
function unnamedBlock(node: SyntaxNode, { textOf }: RustFile): SyntaxNode | null {
  const block = node.getChild('Block')
  return block !== null && /^const\s+_\s*:/.test(textOf(node)) ? block : null
}

/** Stores a macro rule without parameters, whose items replace a later `name!();`. */
function keepMacro(node: SyntaxNode, file: RustFile): void {
  const name = node.getChild('Identifier')
  const all = node.getChildren('MacroRule')
  if (name !== null) {
    file.rules.byName.set(file.textOf(name), rulesOf(all, file.text))
    const isShort = node.to - node.from <= longestDefinition
    if (isShort && !file.rules.byName.get(file.textOf(name))!.every(passesOnArguments)) {
      file.rules.texts.set(file.textOf(name), file.textOf(node))
    }
  }
  const rule = all.find(
    ({ firstChild }) => firstChild !== null && /^[([{]\s*[)\]}]$/.test(file.textOf(firstChild)),
  )
  const body = rule?.lastChild
  if (name === null || !body) return
  file.macros.set(file.textOf(name), { file, from: body.from + 1, to: body.to - 1 })
}

function rulesOf(nodes: readonly SyntaxNode[], text: string): MacroRule[] {
  const inside = ({ from, to }: SyntaxNode) => ({ from: from + 1, to: to - 1 })
  return nodes.slice(0, mostRules).flatMap(({ firstChild, lastChild }) => {
    if (firstChild === null || lastChild === null) return []
    return parseMacroRule(text, { pattern: inside(firstChild), body: inside(lastChild) }) ?? []
  })
}

function macroItems(node: SyntaxNode, file: RustFile, parse: Parse): RustItem[] {
  const call = node.name === 'MacroInvocation' ? node : node.firstChild!
  if (file.depth >= deepestMacro) return []
  const body = call.getChild('BracedTokens') ?? call.getChild('BracketedTokens')
  const name = /^[\w:]+/.exec(file.textOf(call))?.[0].replace(/^.*:/, '') ?? ''
  const kept = file.macros.get(name)
  if (kept === undefined && !file.rules.byName.has(name)) file.rules.unknown.add(name)
  const items = expandedItems(name, body ?? call.getChild('ParenthesizedTokens'), { file, parse })
  if (items !== null) return items
  if (body === null && kept === undefined) {
    if (/^\w+!\s*\(\s*\)/.test(file.textOf(call))) file.calls.push(name)
    return []
  }
  file.macros.delete(name)
  if (body === null) return partItems(kept!.file, kept!, parse)
  const isChoice = name.startsWith('cfg_if')
  return (isChoice ? body.getChildren('BracedTokens') : [body]).flatMap((tokens) =>
    partItems(file, { from: tokens.from + 1, to: tokens.to - 1 }, parse),
  )
}

/** Limits on macro expansion per file. Further calls are omitted. */
export const expansionBudget = { steps: 2_000_000, characters: 1_000_000 } as const
const mostRules = 100
const longestArguments = 200_000
/** Longer macros are expanded only in their own file. */
const longestDefinition = 20_000

/** Expands a call with arguments and returns the items. Returns null if no rule matches. */
function expandedItems(
  name: string,
  tokens: SyntaxNode | null,
  { file, parse }: { file: RustFile; parse: Parse },
): RustItem[] | null {
  const rules = file.rules.byName.get(name)
  if (rules === undefined || tokens === null) return null
  const [from, to] = [tokens.from + 1, tokens.to - 1]
  if (to - from > longestArguments) return null
  const isEmpty = file.text.slice(from, to).trim() === ''
  if (isEmpty && !file.rules.added.has(name)) return null
  const code = expandMacroRules(rules, { source: file.text, from, to }, file.rules.budget)
  if (code === null) return null
  const lineOf = ({ from: start, to: end = start + 1 }: { from: number; to?: number }) => {
    const mark = code.marks[indexFrom(code.marks, start)]
    return file.lineOf({ from: mark !== undefined && mark.at < end ? mark.source : tokens.from })
  }
  const inner = parse(code.text, { ...file, lineOf }, 0)
  return itemsOf(inner.top, inner.file, parse)
}

function indexFrom(marks: MarkedCode['marks'], offset: number): number {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (marks[middle]!.at < offset) low = middle + 1
    else high = middle
  }
  return low
}

function partItems(
  file: RustFile,
  { from, to }: { from: number; to: number },
  parse: Parse,
): RustItem[] {
  const code = file.text.slice(from, to)
  if (!/\b(?:pub|mod|impl|fn|macro_rules)\b/.test(code)) return []
  const inner = parse(code, file, from)
  return itemsOf(inner.top, inner.file, parse)
}
