import { posix } from 'node:path'
import ts from 'typescript'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

/** The order of the folders. Folders in the same position never import each other. */
const line = [
  ['main'],
  ['cli'],
  ['web'],
  ['program'],
  ['mcp'],
  ['operation'],
  ['open-memory'],
  ['open'],
  ['open-store'],
  ['config'],
  ['library', 'memory'],
  ['search'],
  ['source'],
  ['version'],
  ['store'],
  ['chunk'],
  ['page'],
  ['references'],
  ['sites'],
  ['formats'],
  ['api'],
  ['document'],
  ['embed'],
  ['platform'],
]

/** Packages that only one folder may import. */
const owners: Record<string, string> = {
  '@lancedb/lancedb': 'store',
  'apache-arrow': 'store',
  'onnxruntime-node': 'embed',
  '@huggingface/tokenizers': 'embed',
  'bun:ffi': 'platform',
}

/** Files outside src that a file may import, because the build inlines their content. */
const inlined = [
  'docs/help.txt',
  'package.json',
  'packaging/identity.json',
  'scripts/build/licenses.ts',
]

/**
 * Finds imports, of types too, that break the order of folders, and imports of packages outside
 * their folder.
 */
export function importFindings(file: SourceFile): Finding[] {
  const folder = folderOf(file.path)
  if (rankOf(folder) === -1) {
    return [`${file.path}:1: src/${folder} is not in the line of folders; ${where}`]
  }
  return imports(file.tree).flatMap(({ node, name }) => {
    const wrong = name.startsWith('.') ? wrongPath(file.path, name) : wrongPackage(folder, name)
    return wrong === null ? [] : [`${place(file, node)}: ${wrong}`]
  })
}

const where = `place it in ${line.map((place) => place.join('|')).join(' → ')}`

/** Finds `export *` and `index.ts`, which hide the exports of a file. */
export function barrelFindings(file: SourceFile): Finding[] {
  const stars = nodes(file.tree).filter(
    (node) => ts.isExportDeclaration(node) && node.exportClause === undefined,
  )
  const findings = stars.map((node) => `${place(file, node)}: export *; name what is exported`)
  if (/(^|\/)index\.ts$/.test(file.path)) {
    findings.push(`${file.path}:1: an index.ts; import from the file that owns the thing`)
  }
  return findings
}

/** Returns the files of this repository that a file imports. */
export function importedPaths({ path, tree }: SourceFile): string[] {
  const relative = imports(tree).filter(({ name }) => name.startsWith('.'))
  return relative.map(({ name }) => posix.join(posix.dirname(path), name))
}

/** Returns all imports of a file: import, export, import() as value or type, and require(). */
function imports(tree: ts.SourceFile): { node: ts.Node; name: string }[] {
  return nodes(tree).flatMap((node) => {
    const from = specifier(node)
    return from && ts.isStringLiteralLike(from) ? [{ node, name: from.text }] : []
  })
}

function specifier(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal
  if (!ts.isCallExpression(node)) return undefined
  const { expression } = node
  const isRequire = ts.isIdentifier(expression) && expression.text === 'require'
  return isRequire || expression.kind === ts.SyntaxKind.ImportKeyword
    ? node.arguments[0]
    : undefined
}

function wrongPath(from: string, name: string): string | null {
  const target = posix.join(posix.dirname(from), name)
  if (inlined.includes(target) || target.startsWith('data/')) return null
  if (!target.startsWith('src/')) return `imports ${target}; src imports only src and packages`
  if (target.endsWith('.txt') || /^src\/web\/assets\/[^/]+$/.test(target)) return null
  if (!target.endsWith('.ts')) return `imports "${name}"; write the extension .ts`
  const [mine, other] = [folderOf(from), folderOf(target)]
  if (mine === other || rankOf(other) > rankOf(mine)) return null
  const remedy =
    other === 'config'
      ? 'take the values as parameters: only main, cli, mcp and open see Config'
      : `${mine} sees only what is to its right: move the code, or pass it in`
  return `imports ${target}; ${remedy}`
}

function wrongPackage(folder: string, name: string): string | null {
  const owner = owners[name]
  if (owner === undefined || owner === folder) return null
  return `imports ${name}; only src/${owner} does`
}

/** `src/store/where.ts` → `store`; `src/main.ts` → `main` */
function folderOf(path: string): string {
  return path.split('/')[1]!.replace(/\.ts$/, '')
}

function rankOf(folder: string): number {
  return line.findIndex((place) => place.includes(folder))
}
