import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import ts from 'typescript'

/** A file of this repository; `tree` is its syntax, without types. Paths are relative, with `/`. */
export type SourceFile = { path: string; text: string; tree: ts.SourceFile }

/** `src/a.ts:12: what is wrong; the remedy` */
export type Finding = string

export const root = join(import.meta.dir, '..', '..', '..')

/** Returns the files that match the patterns, except installed and built ones. */
export function filesOf(...patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) => [
    ...new Glob(pattern).scanSync({ cwd: root, dot: true }),
  ])
  return found.filter((path) => !/^(node_modules|build|dist|\.git|shared)(\/|$)/.test(path)).sort()
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export function sourceFile(path: string, text = readText(path)): SourceFile {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
}

/** Returns the position of a node, for the start of a finding. */
export function place({ path, tree }: SourceFile, node: ts.Node): string {
  return `${path}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`
}

const knownNodes = new WeakMap<ts.Node, ts.Node[]>()

/** Returns every node of a file, outer before inner. */
export function nodes(root: ts.Node): readonly ts.Node[] {
  const known = knownNodes.get(root)
  if (known !== undefined) return known
  const found: ts.Node[] = []
  const visit = (node: ts.Node) => {
    found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(root)
  knownNodes.set(root, found)
  return found
}
