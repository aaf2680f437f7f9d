import ts from 'typescript'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

/**
 * Finds code that recognises errors by their message. platform/ is exempt: errors of LanceDB and
 * SQLite have nothing else.
 */
export function messageFindings(file: SourceFile): Finding[] {
  if (file.path.startsWith('src/platform/')) return []
  return nodes(file.tree)
    .filter(ts.isCallExpression)
    .flatMap((call) => {
      const { expression: callee } = call
      if (!ts.isPropertyAccessExpression(callee)) return []
      const method = callee.name.text
      const read =
        method === 'test'
          ? call.arguments[0]
          : /^(includes|startsWith|endsWith|match|search|indexOf)$/.test(method)
            ? callee.expression
            : undefined
      return read && isMessage(read)
        ? [`${place(file, call)}: reads the message of an error; give the error a code, or a class`]
        : []
    })
}

function isMessage(node: ts.Expression): boolean {
  if (ts.isCallExpression(node)) return /^(messageOf|reasonOf)$/.test(node.expression.getText())
  if (ts.isIdentifier(node)) return node.text === 'message'
  return ts.isPropertyAccessExpression(node) && node.name.text === 'message'
}
