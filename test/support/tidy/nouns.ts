import ts from 'typescript'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

/** They say how a value came about, and not what it is. */
const adjectives = new Set(['found', 'asked', 'wanted', 'known'])

/** Variables, parameters and functions of such a name; of a boolean it says what is so. */
export function nounFindings(file: SourceFile): Finding[] {
  return [...nodes(file.tree)].flatMap((node) => {
    const isGiving = ts.isVariableDeclaration(node) || ts.isParameter(node)
      || ts.isBindingElement(node) || ts.isFunctionDeclaration(node)
    if (!isGiving || !node.name || !ts.isIdentifier(node.name)) return []
    const { text } = node.name
    if (!adjectives.has(text) || isBoolean(node)) return []
    return [`${place(file, node.name)}: "${text}"; say what it is that is ${text}`]
  })
}

/** By what is written: its type, or the value that it begins with. */
function isBoolean(node: ts.Declaration): boolean {
  if (!ts.isVariableDeclaration(node) && !ts.isParameter(node)) return false
  const { type, initializer } = node
  return type?.kind === ts.SyntaxKind.BooleanKeyword
    || initializer?.kind === ts.SyntaxKind.TrueKeyword
    || initializer?.kind === ts.SyntaxKind.FalseKeyword
}
