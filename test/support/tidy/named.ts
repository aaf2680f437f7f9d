import ts from 'typescript'
import { importedPaths } from './imports.ts'
import { nodes, type Finding, type SourceFile } from './source-file.ts'

/**
 * Finds files that no test refers to: none imports it, has its name (test/formats/html/html.test.ts
 * for src/formats/html/html.ts) or, if it contains commands, runs each of them by name.
 */
export function unnamedFindings(src: SourceFile[], tests: SourceFile[]): Finding[] {
  const imported = new Set(tests.flatMap(importedPaths))
  const mirrored = new Set(
    tests.map(({ path }) => path.replace(/^test/, 'src').replace('.test.ts', '.ts')),
  )
  const texts = tests.map(({ text }) => text)
  const isNamed = (file: SourceFile) =>
    imported.has(file.path) || mirrored.has(file.path) || isRun(file, texts)
  return src
    .filter((file) => !declaresOnly(file) && !isNamed(file))
    .map(({ path }) => `${path}:1: no test names it; test what it promises`)
}

/** Returns whether a test runs each command of a file, as `og('memory list')` does. */
function isRun({ path, tree }: SourceFile, texts: readonly string[]): boolean {
  if (!path.startsWith('src/cli/commands/')) return false
  const names = nodes(tree).flatMap(commandName)
  return (
    names.length > 0 &&
    names.every((name) => {
      const words = name.split(' ').join(`['", ]+`)
      const call = new RegExp(`(['"\`]|og )${words}(['"\` ]|$)`)
      return texts.some((text) => call.test(text))
    })
  )
}

function commandName(node: ts.Node): string[] {
  const isCommand = ts.isCallExpression(node) && node.expression.getText() === 'command'
  const [definition] = isCommand ? node.arguments : []
  if (definition === undefined || !ts.isObjectLiteralExpression(definition)) return []
  return definition.properties.flatMap((property) =>
    ts.isPropertyAssignment(property) &&
    property.name.getText() === 'name' &&
    ts.isStringLiteral(property.initializer)
      ? [property.initializer.text]
      : [],
  )
}

/** Returns whether a file declares only types and constants, which need no test. */
function declaresOnly({ tree }: SourceFile): boolean {
  return !nodes(tree).some(
    (node) => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined,
  )
}
