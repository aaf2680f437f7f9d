import ts from 'typescript'
import { importedPaths } from './imports.ts'
import type { Finding, SourceFile } from './source-file.ts'

type Options = {
  /** Paths of all test files. */
  tests: string[]
  /** Maps the path of a file, or of a folder with a final `/`, to the test that covers it. */
  coveredBy: Record<string, string>
  /** Files that still have no test. Add no files to the list, and remove files that have a test. */
  untested: string[]
}

/**
 * Finds files that no test covers. test/formats/html/html.test.ts covers src/formats/html/html.ts
 * and the files of that room that html.ts imports, directly or through others.
 */
export function mirrorFindings(src: SourceFile[], options: Options): Finding[] {
  const { tests, coveredBy, untested } = options
  const byPath = new Map(src.map((file) => [file.path, file]))
  const answered = new Set<string>()
  const answer = (path: string): void => {
    const file = byPath.get(path)
    if (file === undefined || answered.has(path)) return
    answered.add(path)
    for (const other of importedPaths(file)) if (roomOf(other) === roomOf(path)) answer(other)
  }
  for (const test of tests) answer(test.replace(/^test/, 'src').replace('.test.ts', '.ts'))
  const exceptions = Object.entries(coveredBy)
  const stale = exceptions.filter(([, test]) => !tests.includes(test))
  const missing = src.filter(
    ({ path, tree }) =>
      !answered.has(path) &&
      !isOnlyTypes(tree) &&
      !untested.includes(path) &&
      !exceptions.some(([key]) => path === key || (key.endsWith('/') && path.startsWith(key))),
  )
  const done = untested.filter((path) => answered.has(path) || !byPath.has(path))
  return [
    ...done.map((path) => `${path}:1: has a test or is gone; take it off the list`),
    ...stale.map(([key, test]) => `${key}: ${test} is not there; name the test that covers it`),
    ...missing.map(({ path }) => `${path}:1: no test; write ${mirrorOf(path)}`),
  ]
}

/** Returns `src/page` for `src/formats/html/html.ts`, and `src/open.ts` itself. */
function roomOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

function mirrorOf(path: string): string {
  return path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')
}

function isOnlyTypes(tree: ts.SourceFile): boolean {
  return tree.statements.every(
    (statement) =>
      ts.isTypeAliasDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isImportDeclaration(statement) ||
      ts.isModuleDeclaration(statement),
  )
}
