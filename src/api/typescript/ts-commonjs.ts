import type { SyntaxNode } from '@lezer/common'
import type { FileOutline, Reference } from '../symbol.ts'
import { childrenOf } from '../syntax.ts'
import type { TsFile } from './ts-comment.ts'

const required = String.raw`(?:[\w$.]+\()?require\(\s*["']([^"'\n]+)["']\s*\)\)?(?:\.([\w$]+))?`
const requiredValue = new RegExp(`^${required}$`)
const requiredVariable = new RegExp(String.raw`([\w$]+|\{[^{}]*\})\s*=\s*${required}`, 'g')

/** Returns the references for `a = require("b")`: the default export, or else the whole module. */
export function requiredAs(name: string, module: string, isPassedOn: boolean): Reference[] {
  return ['default', null].map((original) => ({ name, module, original, isPassedOn }))
}

/**
 * Reads `require` in forms such as `const a = require('b')`, `const { a, b: c } = require('d')`,
 * `require('e').f` and `const a = module.exports = …`.
 */
export function readRequired(node: SyntaxNode, { textOf }: TsFile, outline: FileOutline): void {
  const text = textOf(node)
  const [, whole] = exportingVariable.exec(text.slice(0, 200)) ?? []
  if (whole !== undefined) outline.exported?.push({ name: 'export=', local: whole })
  if (text.length > longest || !text.includes('require(')) return
  for (const [, target = '', module = '', property] of text.matchAll(requiredVariable)) {
    const add = (name: string, original: string) =>
      outline.references.push({ name, module, original, isPassedOn: false })
    if (target.startsWith('{')) {
      for (const [, original = '', name = original] of target.matchAll(renamedProperty))
        add(name, original)
    } else if (property !== undefined) add(target, property)
    else outline.references.push(...requiredAs(target, module, false))
  }
}

const longest = 5000
const exportingVariable = /^\w+\s+([\w$]+)\s*=\s*(?:exports\s*=\s*)?module\.exports\s*=/
const renamedProperty = /([\w$]+)(?:\s*:\s*([\w$]+))?/g
const target = /^(?:(module\.exports)|(?:module\.)?exports\.([\w$]+))$/
const exportStar = /^(?:[\w$]+\.)?__exportStar\(\s*require\(\s*["']([^"'\n]+)["']/
const exportGetter =
  /^Object\.defineProperty\(\s*exports\s*,\s*["']([\w$]+)["'][^]{0,200}?return\s+([\w$.]+)/

/** Reads `module.exports = { a, b: c }`, `exports.a = b` and the calls that compilers generate. */
export function readAssignment(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const { textOf } = file
  const text = textOf({ from: node.from, to: Math.min(node.to, node.from + longest) })
  const star = exportStar.exec(text)?.[1]
  if (star !== undefined) passAll(star, outline)
  const [, got, local] = exportGetter.exec(text) ?? []
  if (got !== undefined) outline.exported!.push({ name: got, local: local! })
  for (const { name, value } of assignmentsOf(node, file)) {
    if (name !== null) exportValue(name, value, { file, outline })
    else if (value.name === 'ObjectExpression') readProperties(value, file, outline)
    else {
      const [, module] = requiredValue.exec(textOf(value)) ?? []
      if (module !== undefined) passAll(module, outline)
      exportValue('export=', value, { file, outline })
    }
  }
}

type Assignment = { name: string | null; value: SyntaxNode }

/** Returns the targets of `exports.a = exports.b = value`; null means the whole module. */
function assignmentsOf(node: SyntaxNode, { textOf }: TsFile): Assignment[] {
  const found: (string | null)[] = []
  let value = node.getChild('AssignmentExpression')
  while (value !== null && value.name === 'AssignmentExpression') {
    const [left, , right] = childrenOf(value)
    if (!left || !right) return []
    const [, isWhole, name = null] = target.exec(textOf(left)) ?? []
    if (isWhole !== undefined || name !== null) found.push(name)
    value = right
  }
  const last = value
  return last === null ? [] : found.map((name) => ({ name, value: last }))
}

type Exporting = { file: TsFile; outline: FileOutline }

function exportValue(name: string, value: SyntaxNode, { file, outline }: Exporting): void {
  const text = file.textOf({ from: value.from, to: Math.min(value.to, value.from + longest) })
  const [, module, property] = requiredValue.exec(text) ?? []
  if (module !== undefined && property !== undefined) {
    outline.references.push({ name, module, original: property, isPassedOn: true })
  } else if (module !== undefined) {
    if (name !== 'export=') outline.references.push(...requiredAs(name, module, true))
  } else if (value.name === 'VariableName' || value.name === 'MemberExpression') {
    outline.exported!.push({ name, local: text })
  } else if (value.name !== 'UnaryExpression') {
    outline.exported!.push({ name, local: name === 'export=' ? ownName(value, file) : name })
  }
}

/** Returns the class or function name in an export such as `module.exports = class Lamp {}`. */
function ownName(value: SyntaxNode, { textOf }: TsFile): string {
  const name = value.getChild('VariableDefinition')
  return name === null ? 'default' : textOf(name)
}

/**
 * Returns the name and value of an export without a declaration, such as `exports.light = function
 * () {}` or `export default { a: 1 }`.
 */
export function assignedExpression(
  node: SyntaxNode,
  file: TsFile,
): { name: string; node: SyntaxNode } | null {
  if (node.name === 'ExportDeclaration' && node.getChild('default') !== null) {
    const value = childrenOf(node).find(({ name }) => /Expression$|Function$|^Array/.test(name))
    const isName = value === undefined || value.name === 'MemberExpression'
    return isName ? null : { name: 'default', node: value }
  }
  if (node.name !== 'ExpressionStatement') return null
  const [first] = assignmentsOf(node, file)
  const isOwn = first !== undefined && !/^(Variable|Member|Call|Unary)/.test(first.value.name)
  if (!isOwn || (first.name === null && first.value.name === 'ObjectExpression')) return null
  return { name: first.name ?? ownName(first.value, file), node: first.value }
}

export function exportedObjectIn(node: SyntaxNode, file: TsFile): SyntaxNode | null {
  const [first] = node.name === 'ExpressionStatement' ? assignmentsOf(node, file) : []
  return first?.name === null && first.value.name === 'ObjectExpression' ? first.value : null
}

function passAll(module: string, outline: FileOutline): void {
  outline.references.push({ name: '*', module, original: '*', isPassedOn: true })
}

function readProperties(object: SyntaxNode, file: TsFile, outline: FileOutline): void {
  for (const property of object.getChildren('Property')) {
    const key = property.getChild('PropertyDefinition')
    const value = property.lastChild
    const spread = requiredValue.exec(file.textOf(property).replace(/^\.\.\./, ''))?.[1]
    if (spread !== undefined && key === null) passAll(spread, outline)
    if (key === null || value === null) continue
    const name = file.textOf(key)
    if (value === key) outline.exported!.push({ name, local: name })
    else exportValue(name, value, { file, outline })
  }
}
