import ts from 'typescript'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

/** Participles that say how a value was obtained instead of naming the value. */
const adjectives = new Set(['found', 'asked', 'wanted', 'known'])

/**
 * Finds variables, parameters, functions and types with such a name, and functions and types whose
 * name begins with one: `askedTerms`, `FoundHit`. A boolean may be `found`, and `KnownPage` is
 * allowed because "a known page" is English.
 */
export function nounFindings(file: SourceFile): Finding[] {
  return [...nodes(file.tree)].flatMap((node) => {
    if (!isNaming(node) || !node.name || !ts.isIdentifier(node.name)) return []
    const { text } = node.name
    const [first = ''] = text.match(/^[A-Z]?[a-z]+/) ?? []
    const word = first.toLowerCase()
    if (!adjectives.has(word)) return []
    const isAllowed = first === text ? isBoolean(node) : word === 'known' || isValue(node)
    if (isAllowed) return []
    return [`${place(file, node.name)}: "${text}"; say what it is that is ${word}`]
  })
}

function isNaming(node: ts.Node): node is ts.NamedDeclaration {
  return (
    isValue(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeParameterDeclaration(node)
  )
}

function isValue(node: ts.Node): node is ts.VariableDeclaration | ts.ParameterDeclaration {
  return ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)
}

/** Whether its declared type or initial value shows that it is a boolean. */
function isBoolean(node: ts.Declaration): boolean {
  if (!ts.isVariableDeclaration(node) && !ts.isParameter(node)) return false
  const { type, initializer } = node
  return (
    type?.kind === ts.SyntaxKind.BooleanKeyword ||
    initializer?.kind === ts.SyntaxKind.TrueKeyword ||
    initializer?.kind === ts.SyntaxKind.FalseKeyword
  )
}
