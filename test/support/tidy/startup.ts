import { posix } from 'node:path'
import ts from 'typescript'
import { place, type Finding, type SourceFile } from './source-file.ts'

/** Imports that every command may load; together they take a few milliseconds. */
const light = [
  'bun',
  'bun:ffi',
  'bun:sqlite',
  'node:crypto',
  'node:fs',
  'node:fs/promises',
  'node:os',
  'node:path',
  'node:util',
  'semver/functions/parse.js',
  'semver/functions/satisfies.js',
  'semver/ranges/valid.js',
  'stemmer',
]

/**
 * Finds imports outside that list that are loaded before the first line of `entry` runs. Every
 * command waits for them, even `og version`.
 */
export function startupFindings(files: readonly SourceFile[], entry: string): Finding[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const seen = new Set<string>()
  const waiting = [entry]
  const findings: Finding[] = []
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = byPath.get(path)
    if (file === undefined || seen.has(path)) continue
    seen.add(path)
    for (const { node, name } of loaded(file)) {
      if (name.startsWith('.')) waiting.push(posix.join(posix.dirname(path), name))
      else if (!light.includes(name)) {
        const remedy = `every command waits for ${name}; import() it where it is used`
        findings.push(`${place(file, node)}: ${remedy}`)
      }
    }
  }
  return findings.sort()
}

/** Returns the imports that are loaded with a file, so neither types nor import(). */
export function loadedNames(file: SourceFile): string[] {
  return loaded(file).map(({ name }) => name)
}

/** Returns the import statements that are loaded with a file. */
function loaded({ tree }: SourceFile): { node: ts.Node; name: string }[] {
  return tree.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return []
    const from = node.moduleSpecifier
    if (from === undefined || !ts.isStringLiteral(from) || isOfTypes(node)) return []
    return [{ node, name: from.text }]
  })
}

function isOfTypes(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  const clause = node.importClause
  if (clause === undefined) return false
  const named = clause.namedBindings
  return (
    clause.isTypeOnly ||
    (clause.name === undefined &&
      named !== undefined &&
      ts.isNamedImports(named) &&
      named.elements.every((element) => element.isTypeOnly))
  )
}
