import { dirname } from 'node:path'
import ts from 'typescript'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

const limits = {
  fileLines: 400,
  functionLines: 70,
  parameters: 3,
  exports: 10,
  columns: 100,
  folderFiles: 20,
}

/** Finds functions that are too long to understand, and files that export too much. */
export function sizeFindings(file: SourceFile): Finding[] {
  // A name may be both a value and a type.
  const names = [...new Set(exported(file.tree))]
  const many =
    names.length > limits.exports
      ? [`${file.path}:1: exports ${names.length} names, at most ${limits.exports}; split the file`]
      : []
  return [...many, ...nodes(file.tree).flatMap((node) => functionFindings(file, node))]
}

/**
 * Finds types that several files export under one name, because a reader cannot tell them apart.
 */
export function typeNameFindings(files: SourceFile[]): Finding[] {
  const types = files.flatMap((file) =>
    file.tree.statements.flatMap((node) => {
      const isType = ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)
      const isGiven =
        isType && node.modifiers?.some((it) => it.kind === ts.SyntaxKind.ExportKeyword)
      return isGiven ? [{ name: node.name.text, at: place(file, node) }] : []
    }),
  )
  return [...Map.groupBy(types, ({ name }) => name)].flatMap(([name, [first, ...others]]) =>
    others.map(({ at }) => `${at}: type ${name} is that of ${first!.at} too; say what it is`),
  )
}

export function lengthFindings({ path, text }: SourceFile): Finding[] {
  const nLines = text.trimEnd().split('\n').length
  if (nLines <= limits.fileLines) return []
  return [`${path}:1: ${nLines} lines, at most ${limits.fileLines}; split it by what it owns`]
}

/** Finds folders with too many files for one purpose; `paths` contains all files. */
export function folderFindings(paths: string[]): Finding[] {
  const folders = Map.groupBy(paths, (path) => dirname(path))
  return [...folders].flatMap(([folder, { length }]) => {
    if (length <= limits.folderFiles) return []
    return [`${folder}: ${length} files, at most ${limits.folderFiles}; make a room of some`]
  })
}

/** In tests, expected text may be long, so lines are measured without string literals. */
export function columnFindings({ path, text }: SourceFile): Finding[] {
  const quotation = path.startsWith('test/') ? /'[^']*'|"[^"]*"|`[^`]*`/g : /$^/
  return text.split('\n').flatMap((line, i) => {
    const nColumns = line.replace(quotation, '').length
    if (nColumns <= limits.columns) return []
    return [`${path}:${i + 1}: ${nColumns} columns, at most ${limits.columns}; break the line`]
  })
}

/**
 * Limits the number of `try` statements. Errors are thrown where the fact is known and caught in
 * the faces; a `try` in between usually hides something. platform/ is exempt, because it calls
 * other programs' code.
 */
export function tryFindings(files: SourceFile[]): Finding[] {
  const rationed = files.filter(({ path }) => !path.startsWith('src/platform/'))
  const nLines = rationed.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0)
  const tries = rationed.flatMap((file) =>
    nodes(file.tree)
      .filter(ts.isTryStatement)
      .map((node) => place(file, node)),
  )
  const most = Math.floor((5 * nLines) / 1000)
  if (tries.length <= most) return []
  const remedy = 'let errors rise to cli/run.ts, and use `using` to release'
  return [`${tries.length} try in ${nLines} lines, at most ${most}; ${remedy}:`, ...tries]
}

/** Finds tests that run no check, or that are skipped without a reason. */
export function idleTestFindings(file: SourceFile): Finding[] {
  return nodes(file.tree).flatMap((node) => {
    const isIdle =
      ts.isPropertyAccessExpression(node) &&
      /^(test|it|describe)$/.test(node.expression.getText(file.tree)) &&
      /^(skip|only|todo|failing)$/.test(node.name.text)
    const isSilent =
      ts.isPropertyAccessExpression(node) &&
      /^(skipIf|todoIf|failingIf|if)$/.test(node.name.text) &&
      /^(test|it|describe)$/.test(node.expression.getText(file.tree)) &&
      file.path !== 'test/support/where.ts'
    if (isIdle) return [`${place(file, node)}: ${node.getText(file.tree)}; write it or delete it`]
    const remedy = 'use testWhere of test/support/where.ts, which says why'
    return isSilent ? [`${place(file, node)}: ${node.getText(file.tree)}; ${remedy}`] : []
  })
}

function functionFindings(file: SourceFile, node: ts.Node): Finding[] {
  if (!ts.isFunctionLike(node) || !('body' in node)) return []
  const start = place(file, node)
  const nLines = node.getText(file.tree).split('\n').length
  const nParameters = node.parameters.length
  return [
    nLines > limits.functionLines
      ? `${start}: a function of ${nLines} lines, at most ${limits.functionLines}; divide it`
      : '',
    nParameters > limits.parameters
      ? `${start}: ${nParameters} parameters, at most ${limits.parameters}; end with one of options`
      : '',
  ].filter((finding) => finding !== '')
}

function exported(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause) {
      const clause = statement.exportClause
      return ts.isNamedExports(clause) ? clause.elements.map((element) => element.name.text) : ['*']
    }
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText(tree))
    }
    const { name } = statement as ts.DeclarationStatement
    return [name?.getText(tree) ?? 'default']
  })
}
