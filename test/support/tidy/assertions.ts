import ts from 'typescript'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

/** Limit per 1,000 lines. */
const most = 3

/**
 * Finds non-null assertions (`x!`), which state facts that the types lack. A better type makes them
 * unnecessary. Look-ups by index are allowed, because their types cannot know how long a list is:
 * `xs[i]!`, `xs.at(i)!`, `map.get(key)!`, a batch's `getChild(name)!`, and a name bound to such a
 * look-up, as in `const [first] = xs`.
 */
export function assertionFindings(files: SourceFile[]): Finding[] {
  const nLines = files.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0)
  const assertions = files.flatMap((file) => {
    const names = indexedNames(file)
    return nodes(file.tree)
      .filter(ts.isNonNullExpression)
      .filter(({ expression }) => !isLookUp(expression, names))
      .map((node) => place(file, node))
  })
  const limit = Math.floor((most * nLines) / 1000)
  if (assertions.length <= limit) return []
  const remedy = 'give the states types of their own'
  return [
    `${assertions.length} assertions in ${nLines} lines, at most ${limit}; ${remedy}:`,
    ...assertions,
  ]
}

function isLookUp(expression: ts.Expression, names: ReadonlySet<string>): boolean {
  if (ts.isElementAccessExpression(expression)) return true
  if (ts.isIdentifier(expression)) return names.has(expression.text)
  if (!ts.isCallExpression(expression)) return false
  const { expression: callee } = expression
  return ts.isPropertyAccessExpression(callee) && /^(at|get|getChild)$/.test(callee.name.text)
}

/** Returns the names in array patterns, because each name is the same as `list[i]`. */
function indexedNames({ tree }: SourceFile): Set<string> {
  const elements = nodes(tree)
    .filter(ts.isArrayBindingPattern)
    .flatMap((pattern) => pattern.elements.filter(ts.isBindingElement))
  return new Set(elements.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : [])))
}
