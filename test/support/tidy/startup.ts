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
 * Finds imports outside that list that are loaded before the first line of `entry` runs. The
 * command waits for them, even if its options do not need them.
 */
export function startupFindings(files: readonly SourceFile[], entry: string): Finding[] {
  return loadedFiles(files, entry).flatMap((file) =>
    loaded(file)
      .filter(({ name }) => !name.startsWith('.') && !light.includes(name))
      .map(({ node, name }) => {
        const remedy = `every command waits for ${name}; import() it where it is used`
        return `${place(file, node)}: ${remedy}`
      }),
  )
}

/** A command loads only the parts of these folders and files that it needs. */
const partial = new RegExp(
  '^src/(?:cli/commands/\\w+|web|program|mcp|library|memory|search|source|chunk|page|references' +
    '|sites|formats|api|embed)/',
)

/** Finds files that are loaded before `entry` has chosen a command, but are for some commands. */
export function earlyFindings(files: readonly SourceFile[], entry: string): Finding[] {
  return loadedFiles(files, entry)
    .filter(({ path }) => partial.test(path))
    .map(({ path }) => `${path}:1: every command waits for it; import() it where it is used`)
}

/** Returns the files that are loaded before the first line of `entry` runs, by path. */
function loadedFiles(files: readonly SourceFile[], entry: string): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const seen = new Map<string, SourceFile>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = byPath.get(path)
    if (file === undefined || seen.has(path)) continue
    seen.set(path, file)
    const names = loadedNames(file).filter((name) => name.startsWith('.'))
    for (const name of names) waiting.push(posix.join(posix.dirname(path), name))
  }
  return [...seen.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
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
