import type { SyntaxNode } from '@lezer/common'
import type { FileOutline } from '../symbol.ts'
import { childrenOf, type TextOf } from '../syntax.ts'
import { parseStringLiteral } from './python-string.ts'

export type PythonFile = {
  textOf: TextOf
  lineOf: (offset: number) => number
  outline: FileOutline
}
export type PythonScope = PythonFile & {
  isClass: boolean
  /** Documentation of attributes in the docstring of the class; null outside a class. */
  fieldTypes: Map<string, string> | null
}

/** Blocks whose statements belong to the enclosing scope. */
const transparent = new Set(['IfStatement', 'TryStatement', 'WithStatement'])
const deepest = 20

/** The statements of a body, including those inside `if` and `try`. */
export function flattenStatements(body: SyntaxNode, depth = 0): SyntaxNode[] {
  return childrenOf(body).flatMap((child) => {
    const isNested = child.name === 'Body' || transparent.has(child.name)
    return isNested && depth < deepest ? flattenStatements(child, depth + 1) : [child]
  })
}

/** The text of the first string. */
export function leadingDocstring(statements: SyntaxNode[], file: PythonFile): string {
  const first = statements.find(({ name }) => name !== 'Comment' && name !== ':')
  return (first && stringStatementText(first, file)) ?? ''
}

/** The text of a statement that consists of a string; null for other statements. */
export function stringStatementText(statement: SyntaxNode, { textOf }: PythonFile): string | null {
  if (statement.name !== 'ExpressionStatement') return null
  const only = statement.firstChild
  const isText = only?.name === 'String' || only?.name === 'ContinuedString'
  return isText ? parseStringLiteral(textOf(only)) : null
}

export function bodyNodes(node: SyntaxNode): SyntaxNode[] {
  const body = node.getChild('Body')
  return body === null ? [] : flattenStatements(body)
}

export function groupsOf(nodes: SyntaxNode[]): SyntaxNode[][] {
  const groups: SyntaxNode[][] = [[]]
  for (const node of nodes) {
    if (node.name === ',') groups.push([])
    else groups.at(-1)!.push(node)
  }
  return groups.filter((group) => group.length > 0)
}
