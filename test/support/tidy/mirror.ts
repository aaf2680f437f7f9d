import ts from 'typescript'
import { importedPaths } from './imports.ts'
import type { Finding, SourceFile } from './source-file.ts'

type Options = {
  /** Paths of all test files. */
  tests: string[]
  /** By the path of a file, or of a folder with its `/`: the test that covers it. */
  coveredBy: Record<string, string>
  /** Files that still lack a test; none may be added, and one that has a test leaves. */
  untested: string[]
}

/**
 * Files that no test answers for. test/page/html/html.test.ts answers for src/page/html/html.ts and
 * for the files of that room which html.ts imports, directly or through others: they are its parts.
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

/** `src/page/html/html.ts` → `src/page`; `src/open.ts` itself. */
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
