import type { SyntaxNode } from '@lezer/common'
import type { FileOutline } from '../symbol.ts'
import { childrenOf } from '../syntax.ts'
import type { TsFile } from './ts-comment.ts'

/** Reads the imports and exports of a file into its outline. */
export function readModuleSyntax(top: SyntaxNode, file: TsFile, outline: FileOutline): void {
  let isModule = false
  for (const node of childrenOf(top)) {
    if (node.name === 'ImportDeclaration') readImport(node, file, outline)
    else if (node.name === 'ExportDeclaration') readExport(node, file, outline)
    else if (node.name === 'ExpressionStatement') readAssignment(node, file, outline)
    else continue
    isModule = true
  }
  if (!isModule) outline.exported = null
}

/** A comment or a string inside a list may contain braces. */
const list = String.raw`\{(?:[^{}/"']|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/.*|"[^"\n]*"|'[^'\n]*')*\}`
const star = String.raw`\*\s*as\s*(?:[\w$]+|"[^"\n]*"|'[^'\n]*')(?=\s*from\b)`
const start = String.raw`(?:^[ \t]*|(?:[;}]|\*\/)\s*)`
const lists = new RegExp(
  String.raw`(${start}(?:import|export)\s*(?:type\s*)?(?:[\w$]+\s*,\s*)?)(${list}|${star})`,
  'gm',
)

/**
 * Replaces the names in lists of imports and exports with spaces, because the grammar rejects
 * reserved words, strings and `type` there. Offsets stay the same.
 */
export function maskModuleNames(text: string): string {
  return text.replace(lists, (_, head: string, names: string) => {
    const blank = names.replace(/[^\n]/g, ' ')
    return head + (names[0] === '*' ? `*${blank.slice(1)}` : `{${blank.slice(1, -1)}}`)
  })
}

type Name = { original: string; name: string }

const word = String.raw`([\w$]+|"[^"\n]*"|'[^'\n]*')`
const item = new RegExp(String.raw`(?:type\s+)?${word}(?:\s+as\s+${word})?\s*(?:,|$)`, 'g')

/** Reads the names between braces: `a`, `a as b`, `type a` and `a as "b-c"`. */
function namesIn(names: string): Name[] {
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

/** The names and the module of an import or export; both are read from the source. */
function clauseOf(node: SyntaxNode, { textOf }: TsFile): Clause {
  const text = textOf({ from: node.from, to: node.from + longestClause })
  const [, first, names, space, , module] = clause.exec(text) ?? []
  return { first, names: names === undefined ? null : namesIn(names), space, module }
}

function readImport(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const { first, names, space, module } = clauseOf(node, file)
  if (module === undefined) return
  const add = (name: string, original: string | null) =>
    outline.references.push({ name, module, original, isPassedOn: false })
  for (const { name, original } of names ?? []) add(name, original)
  if (first !== undefined) add(first, 'default')
  if (space !== undefined) add(space, null)
}

function readExport(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const exported = outline.exported!
  const { names, space, module } = clauseOf(node, file)
  const pass = (name: string, original: string | null) =>
    outline.references.push({ name, module: module!, original, isPassedOn: true })
  if (names !== null) {
    for (const { name, original } of names) {
      if (module === undefined) exported.push({ name, local: original })
      else pass(name, original)
    }
  } else if (module !== undefined) {
    if (space === undefined) pass('*', '*')
    else pass(withoutQuotes(space), null)
  } else if (node.getChild('Equals') !== null || node.getChild('default') !== null) {
    readDefault(node, file, outline)
  } else {
    for (const name of declaredNames(node, file)) exported.push({ name, local: name })
  }
}

const longestClause = 100_000

/** Reads `export = a`, `export default a` and `export default class A`. */
function readDefault(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const [declared] = declaredNames(node, file)
  const value = node.getChild('VariableName')
  const local = declared ?? (value === null ? undefined : file.textOf(value))
  if (local === undefined) return
  const name = node.getChild('default') === null ? 'export=' : 'default'
  outline.exported!.push({ name, local })
}

/** The names that a declaration inside a statement introduces. */
function declaredNames(node: SyntaxNode, { textOf }: TsFile): string[] {
  for (const child of childrenOf(node)) {
    if (child.name === 'AmbientDeclaration') return declaredNames(child, { textOf } as TsFile)
    if (!child.name.endsWith('Declaration')) continue
    return childrenOf(child)
      .filter(({ name }) => name === 'VariableDefinition' || name === 'TypeDefinition')
      .map(textOf)
  }
  return []
}

/** Reads `module.exports = { a, b: c }`, `module.exports = a` and `exports.a = b`. */
function readAssignment(node: SyntaxNode, { textOf }: TsFile, outline: FileOutline): void {
  const assignment = node.getChild('AssignmentExpression')
  const [target, , value] = assignment === null ? [] : childrenOf(assignment)
  if (!target || !value) return
  const [, isWhole, name] =
    /^(?:(module\.exports)|(?:module\.)?exports\.([\w$]+))$/.exec(textOf(target)) ?? []
  if (name !== undefined) outline.exported!.push({ name, local: textOf(value) })
  if (isWhole === undefined) return
  if (value.name === 'VariableName')
    outline.exported!.push({ name: 'export=', local: textOf(value) })
  if (value.name !== 'ObjectExpression') return
  for (const property of value.getChildren('Property')) {
    const key = property.getChild('PropertyDefinition')
    const local = property.getChild('VariableName')
    if (key !== null) {
      outline.exported!.push({ name: textOf(key), local: textOf(local ?? key) })
    }
  }
}
