import type { SyntaxNode } from '@lezer/common'
import type { FileOutline } from '../symbol.ts'
import { childrenOf } from '../syntax.ts'
import type { TsFile } from './ts-comment.ts'
import { readAssignment, readRequired, requiredAs } from './ts-commonjs.ts'
import { namesIn } from './ts-signature.ts'

export function readModuleSyntax(body: SyntaxNode, file: TsFile, outline: FileOutline): void {
  let [isModule, isListed] = [false, false]
  for (const node of childrenOf(body)) {
    if (node.name === 'ImportDeclaration') readImport(node, file, outline)
    else if (node.name === 'ExportDeclaration')
      isListed = readExport(node, file, outline) || isListed
    else if (node.name === 'VariableDeclaration') readRequired(node, file, outline)
    else if (node.name === 'ExpressionStatement') readAssignment(node, file, outline)
    else continue
    isModule ||= node.name !== 'VariableDeclaration'
  }
  // In `declare namespace`, other declarations are private only if there is a list of exports.
  const isPlain = body.name === 'Block' && !isListed && isAmbient(body)
  if (!isModule || isPlain) outline.exported = null
}

function isAmbient(node: SyntaxNode): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (outer.name === 'AmbientDeclaration') return true
  }
  return false
}

/** Matches a list in braces, which can contain comments and strings with braces. */
const list = String.raw`\{(?:[^{}/"']|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/.*|"[^"\n]*"|'[^'\n]*')*\}`
const star = String.raw`\*\s*as\s*(?:[\w$]+|"[^"\n]*"|'[^'\n]*')(?=\s*from\b)`
const start = String.raw`(?:^[ \t]*|(?:[;}]|\*\/)\s*)`
const lists = new RegExp(
  String.raw`(${start}(?:import|export)\s*(?:type\s*)?(?:[\w$]+\s*,\s*)?)(${list}|${star})`,
  'gm',
)

/**
 * Blanks the names in import and export lists, because the grammar rejects reserved words, strings
 * and `type` there. Replaces strings that name modules or enumeration members with identifiers.
 * Keeps offsets.
 */
export function maskModuleNames(text: string): string {
  return text
    .replace(lists, (_, head: string, names: string) => {
      const blank = names.replace(/[^\n]/g, ' ')
      if (names[0] !== '*') return `${head}{${blank.slice(1, -1)}}`
      return head + (head.includes('import') ? '_' : '*') + blank.slice(1)
    })
    .replace(namedByString, (found) => found.replace(/(["']).*\1/, (it) => '_'.repeat(it.length)))
    .replace(importedModule, (found) => '_'.repeat(found.length))
    .replace(optionalMethod, '$1 ')
    .replace(variance, (_, before: string, words: string) => before + ' '.repeat(words.length))
    .replace(predicate, (_, arrow: string, subject: string) => arrow + ' '.repeat(subject.length))
}

/** A module inside a type: `typeof import("x").Name`. */
const importedModule = /\bimport\((["'])[^"'\n]*\1(?:,[^()\n]*)?\)/g
const variance = /([<,]\s*)((?:in )?out |in )(?=[A-Z])/g
const predicate = /(=>\s*)((?:asserts )?[\w$]+ is )(?=\S)/g
const optionalMethod = /^([ \t]*(?:[a-z]+[ \t]+)*[\w$]+)\?(?=[(<])/gm

const quotedName = String.raw`("[^"\n]*"|'[^'\n]*')`
const namedByString = new RegExp(
  String.raw`(\bmodule\s+)${quotedName}(?=\s*\{)|((?:[,{]|\*\/)\s*)${quotedName}(?=\s*=(?![=>]))`,
  'g',
)

type Name = { original: string; name: string }

const word = String.raw`([\w$]+|"[^"\n]*"|'[^'\n]*')`
const item = new RegExp(String.raw`(?:type\s+)?${word}(?:\s+as\s+${word})?\s*(?:,|$)`, 'g')

/** Parses names in braces, such as `a`, `a as b`, `type a` and `a as "b-c"`. */
function listedNames(names: string): Name[] {
  const code = names.slice(1, -1).replace(/\/\*[^]*?\*\/|\/\/.*$/gm, ' ')
  return [...code.trim().matchAll(item)].map(([, original = '', name = original]) => ({
    original: withoutQuotes(original),
    name: withoutQuotes(name),
  }))
}

function withoutQuotes(name: string): string {
  return name.replace(/^(["'])(.*)\1$/, '$2')
}

const clause = new RegExp(
  String.raw`^(?:import|export)\s*(?:type\b\s*(?=[\w$*{]))?(?:([\w$]+)\s*(?:,\s*|(?=from\b)))?` +
    String.raw`(?:(${list})|\*(?:\s*as\s*${word})?)?\s*(?:from\s*(["'])([^"'\n]+)\4)?`,
)

type Clause = { first?: string; names: Name[] | null; space?: string; module?: string }

/** Returns the names and module of an import or export from the original text. */
function clauseOf(node: SyntaxNode, { textOf }: TsFile): Clause {
  const text = textOf({ from: node.from, to: node.from + longestClause })
  const [, first, names, space, , module] = clause.exec(text) ?? []
  return { first, names: names === undefined ? null : listedNames(names), space, module }
}

function readImport(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const { first, names, space, module } = clauseOf(node, file)
  if (module === undefined) return readAlias(node, file, outline)
  const add = (name: string, original: string | null) =>
    outline.references.push({ name, module, original, isPassedOn: false })
  for (const { name, original } of names ?? []) add(name, original)
  if (first !== undefined) add(first, 'default')
  if (space !== undefined) add(space, null)
}

const alias = new RegExp(
  String.raw`^(export\s+)?import\s+(?:type\s+)?([\w$]+)\s*=\s*` +
    String.raw`(?:require\s*\(\s*["']([^"']+)["']\s*\)|([\w$.]+))`,
)

/** Reads `import a = require("b")` and `import a = b.c`, optionally with `export`. */
function readAlias(node: SyntaxNode, { textOf }: TsFile, outline: FileOutline): void {
  const text = textOf({ from: node.from, to: node.from + longestClause })
  const [, passing, name, module, local] = alias.exec(text) ?? []
  const isPassedOn = passing !== undefined
  if (name === undefined) return
  if (module !== undefined) outline.references.push(...requiredAs(name, module, isPassedOn))
  else if (isPassedOn) outline.exported!.push({ name, local: local! })
}

/** Returns true if other declarations in the body are private. */
function readExport(node: SyntaxNode, file: TsFile, outline: FileOutline): boolean {
  const exported = outline.exported!
  const { names, space, module } = clauseOf(node, file)
  const pass = (name: string, original: string | null) =>
    outline.references.push({ name, module: module!, original, isPassedOn: true })
  const text = file.textOf({ from: node.from, to: node.from + 50 })
  if (names !== null) {
    for (const { name, original } of names) {
      if (module === undefined) exported.push({ name, local: original })
      else pass(name, original)
    }
    return true
  }
  if (module !== undefined) {
    if (space === undefined) pass('*', '*')
    else pass(withoutQuotes(space), null)
  } else if (/^export\s+import\b/.test(text)) readAlias(node, file, outline)
  else if (node.getChild('Equals') !== null || node.getChild('default') !== null) {
    readDefault(node, file, outline)
    return true
  } else if (!/^export\s+as\b/.test(text)) {
    for (const name of declaredNames(node, file)) exported.push({ name, local: name })
  }
  return false
}

const longestClause = 100_000

/** Reads `export = a.b`, `export default a`, `export default class A` and similar exports. */
function readDefault(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const [declared] = declaredNames(node, file)
  const value = node.getChild('VariableName') ?? node.getChild('MemberExpression')
  const isDefault = node.getChild('default') !== null
  const local = declared ?? (value === null ? undefined : file.textOf(value))
  if (local === undefined && !isDefault) return
  outline.exported!.push({ name: isDefault ? 'default' : 'export=', local: local ?? 'default' })
}

function declaredNames(node: SyntaxNode, file: TsFile): string[] {
  for (const child of childrenOf(node)) {
    if (child.name === 'AmbientDeclaration') return declaredNames(child, file)
    if (!child.name.endsWith('Declaration')) continue
    const all = childrenOf(child).flatMap((it) => {
      if (/^(Object|Array)Pattern$/.test(it.name)) return namesIn(it, file.textOf)
      return it.name === 'VariableDefinition' || it.name === 'TypeDefinition' ? file.textOf(it) : []
    })
    return child.name === 'NamespaceDeclaration' ? all.slice(0, 1) : all
  }
  return []
}
