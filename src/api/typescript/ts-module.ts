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

function moduleOf(node: SyntaxNode, { textOf }: TsFile): string | null {
  const string = node.getChild('String')
  return string === null ? null : textOf(string).slice(1, -1)
}

/** Reads the names between braces: `a`, `a as b` and `type a`. */
function groupNames(group: string): { original: string; name: string }[] {
  const names = group.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, '').split(',')
  return names.flatMap((part) => {
    const words = part.trim().split(/\s+/)
    const isType = words[0] === 'type' && words.length !== 1 && words[1] !== 'as'
    const [original = '', as, name] = isType ? words.slice(1) : words
    return original === '' ? [] : [{ original, name: as === 'as' && name ? name : original }]
  })
}

function readImport(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const module = moduleOf(node, file)
  if (module === null) return
  const add = (name: string, original: string | null) =>
    outline.references.push({ name, module, original, isPassedOn: false })
  const group = node.getChild('ImportGroup')
  const names = group === null ? [] : groupNames(file.textOf(group).slice(1, -1))
  for (const { name, original } of names) add(name, original)
  const children = childrenOf(node)
  children.forEach((child, at) => {
    if (child.name !== 'VariableDefinition') return
    add(file.textOf(child), children[at - 1]?.name === 'as' ? null : 'default')
  })
}

/** The grammar does not know `type` in a group, so groups and stars are read from the text. */
const groupExport =
  /^export\s+(?:type\s+)?(?:\{([^{}]*)\}|\*(?:\s+as\s+([\w$]+))?)(?:\s*from\s*(['"])([^'"\n]+)\3)?/

function readExport(node: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const exported = outline.exported!
  const text = file.textOf({ from: node.from, to: node.from + longestGroup })
  const [whole, group, namespace, , module] = groupExport.exec(text) ?? []
  if (group !== undefined) {
    for (const { name, original } of groupNames(group)) {
      if (module === undefined) exported.push({ name, local: original })
      else outline.references.push({ name, module, original, isPassedOn: true })
    }
  } else if (whole !== undefined && module !== undefined) {
    const original = namespace === undefined ? '*' : null
    outline.references.push({ name: namespace ?? '*', module, original, isPassedOn: true })
  } else if (node.getChild('Equals') !== null || node.getChild('default') !== null) {
    readDefault(node, file, outline)
  } else {
    for (const name of declaredNames(node, file)) exported.push({ name, local: name })
  }
}

const longestGroup = 100_000

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
