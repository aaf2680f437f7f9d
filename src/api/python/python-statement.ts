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
  /** Types of attributes from the docstring of the class; null outside a class. */
  fieldTypes: Map<string, string> | null
}

/** Blocks that share the enclosing scope. */
const transparent = new Set(['IfStatement', 'TryStatement', 'WithStatement'])
const deepest = 20

/** Returns the statements of a body, including those in `if`, `try` and `with`. */
export function flattenStatements(body: SyntaxNode, depth = 0): SyntaxNode[] {
  return childrenOf(body).flatMap((child) => {
    const isNested = child.name === 'Body' || transparent.has(child.name)
    return isNested && depth < deepest ? flattenStatements(child, depth + 1) : [child]
  })
}

export function leadingDocstring(statements: SyntaxNode[], file: PythonFile): string {
  const first = statements.find(({ name }) => name !== 'Comment' && name !== ':')
  return (first && stringStatementText(first, file)) ?? ''
}

/**
 * Returns the documentation of an assignment, or null. It is a string below the assignment, or a
 * `#:` comment above it or at its end.
 */
export function textBeside(statement: SyntaxNode, scope: PythonScope): string | null {
  let next = statement.nextSibling
  while (next?.name === 'Comment') next = next.nextSibling
  return (next && stringStatementText(next, scope)) ?? markedComment(statement, scope)
}

function markedComment(statement: SyntaxNode, { textOf, lineOf }: PythonScope): string | null {
  const isMarked = (node: SyntaxNode | null) => node?.name === 'Comment' && /^#:/.test(textOf(node))
  const textOfComment = (node: SyntaxNode) => textOf(node).replace(/^#: ?/, '')
  const after = statement.nextSibling
  const lastLine = lineOf(statement.to - (/\n$/.test(textOf(statement)) ? 1 : 0))
  if (isMarked(after) && lineOf(after!.from) === lastLine) return textOfComment(after!)
  const lines: string[] = []
  for (
    let node = statement.prevSibling, line = lineOf(statement.from) - 1;
    isMarked(node);
    line--
  ) {
    const before = node!.prevSibling
    const isAtEnd = before !== null && before.name !== ':' && lineOf(before.to - 1) === line
    if (lineOf(node!.from) !== line || isAtEnd) break
    lines.unshift(textOfComment(node!))
    node = before
  }
  return lines.length > 0 ? lines.join('\n') : null
}

/** Returns the text of a statement that consists of one string, or null. */
function stringStatementText(statement: SyntaxNode, { textOf }: PythonFile): string | null {
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
