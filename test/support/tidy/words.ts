import ts from 'typescript'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

/**
 * Words that say nothing, and words that this project replaces by another, each with advice.
 */
const anywhere: Record<string, string> = {
  util: 'name what it does',
  utils: 'name what it does',
  helper: 'name what it does',
  helpers: 'name what it does',
  common: 'name what is shared',
  misc: 'name what it is',
  manager: 'name what it owns',
  service: 'endpoint, or name what it does',
  factory: 'a function named open… or by what it returns',
  docset: 'library',
  dao: 'table',
  segment: 'chunk (of a page), part (of a path)',
  fragment: 'chunk',
  passage: 'chunk',
}

/** First words of function names that do not say what happens. */
const verbs: Record<string, string> = {
  get: 'a noun, or read, fetch, find',
  handle: 'what is done',
  process: 'ingest, or what is done',
  manage: 'what is done',
  do: 'what is done',
  make: 'a noun, or open, build, render',
}

/** Complete names that say nothing. */
const alone: Record<string, string> = {
  data: 'what the data is',
  info: 'what it tells',
  ParsedPage: 'Page',
  handler: 'what it does',
}

/** Finds banned words in the names that a file declares; names from packages are ignored. */
export function wordFindings(file: SourceFile): Finding[] {
  return nodes(file.tree).flatMap((node) => {
    const name = givenName(node)
    if (name === null) return []
    const remedy = remedyOf(name.text, kindOf(node))
    return remedy === null ? [] : [`${place(file, name)}: "${name.text}"; say ${remedy}`]
  })
}

/** Finds file and folder names that are not kebab-case or contain banned words. */
export function fileNameFindings(path: string): Finding[] {
  // Bun names snapshot files itself.
  if (path.endsWith('.snap')) return []
  return path.split('/').flatMap((part) => {
    const stem = part.replace(/(\.test|\.d)?\.[a-z0-9]+$/, '')
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) {
      return [`${path}:1: "${part}" is not kebab-case; write it in lower case with hyphens`]
    }
    if (['types', 'constants'].includes(stem)) {
      return [`${path}:1: "${part}" names no thing; name the file by the noun it owns`]
    }
    const remedy = remedyOf(stem, 'value')
    return remedy === null ? [] : [`${path}:1: "${part}"; say ${remedy}`]
  })
}

type Kind = 'function' | 'value' | 'member'

/**
 * Returns the advice, or null if the name is good. Members are checked less strictly, because they
 * often have names from another program's data.
 */
function remedyOf(name: string, kind: Kind): string | null {
  const words = wordsOf(name)
  const banned = words.find((word) => Object.hasOwn(anywhere, word))
  if (banned !== undefined) return anywhere[banned]!
  if (kind !== 'member' && Object.hasOwn(alone, name)) return alone[name]!
  const [first = ''] = words
  return kind === 'function' && Object.hasOwn(verbs, first) ? verbs[first]! : null
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')
}

/** Returns the identifier that a declaration introduces. */
function givenName(node: ts.Node): ts.Identifier | null {
  const isGiving =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    (ts.isBindingElement(node) && node.propertyName !== undefined)
  return isGiving && node.name && ts.isIdentifier(node.name) ? node.name : null
}

function kindOf(node: ts.Node): Kind {
  if (ts.isPropertySignature(node) || ts.isMethodSignature(node)) return 'member'
  if (ts.isFunctionDeclaration(node)) return 'function'
  const value = ts.isVariableDeclaration(node) ? node.initializer : undefined
  const isFunction = value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))
  return isFunction ? 'function' : 'value'
}
