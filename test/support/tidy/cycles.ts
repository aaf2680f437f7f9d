import { posix } from 'node:path'
import { loadedNames } from './startup.ts'
import type { Finding, SourceFile } from './source-file.ts'

/**
 * Finds files that load each other, directly or through others: a reader has to know all of them,
 * and the order in which they run depends on the entry. Cycles of types and of import() are
 * allowed.
 */
export function cycleFindings(files: readonly SourceFile[]): Finding[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const isDone = new Set<string>()
  const findings: Finding[] = []
  const visit = (path: string, above: readonly string[]): void => {
    const from = above.indexOf(path)
    if (from !== -1) findings.push(`${path}:1: ${cycle([...above.slice(from), path])}`)
    const file = byPath.get(path)
    if (from !== -1 || file === undefined || isDone.has(path)) return
    for (const name of loadedNames(file)) {
      if (name.startsWith('.')) visit(posix.join(posix.dirname(path), name), [...above, path])
    }
    isDone.add(path)
  }
  for (const { path } of files) visit(path, [])
  return findings
}

function cycle(paths: readonly string[]): string {
  return `${paths.join(' → ')}; give what both need a file of its own`
}
