import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/javascript'
import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { childrenOf, lineFinder, type TextOf, truncateCode, onOneLine } from '../syntax.ts'
import { parseDocComment, type DocComment } from './tsdoc.ts'
import { childrenWithComments, renderDocComment, type TsFile } from './ts-comment.ts'
import { maskModuleNames, readModuleSyntax } from './ts-module.ts'
import {
  aliasSignature,
  functionSignature,
  variableSignature,
  compactDeclaration,
} from './ts-signature.ts'

/** The declarations of a TypeScript or JavaScript file. Executes nothing. */
export function outlineTypeScript(text: string): FileOutline {
  return outlineOf(typescript.parse(maskModuleNames(maskCallGenerics(text))).topNode, text)
}

const typescript = parser.configure({ dialect: 'ts jsx' })

function outlineOf(top: SyntaxNode, text: string): FileOutline {
  const file: TsFile = { textOf: ({ from, to }) => text.slice(from, to), lineOf: lineFinder(text) }
  const outline: FileOutline = {
    documentation: moduleDocumentation(text),
    symbols: [],
    references: [],
    exported: [],
    exportedOf: [],
  }
  readModuleSyntax(top, file, outline)
  outline.symbols = declarationsOf(top, file)
  spreadAssigned(outline)
  return outline
}

/** The first comment, if a tag marks it as the comment of the file. */
function moduleDocumentation(text: string): string {
  const comment = /^\s*(\/\*\*[^]*?\*\/)/.exec(text.slice(0, 20_000))?.[1] ?? ''
  if (!/@(module|packageDocumentation|file|fileoverview)\b/.test(comment)) return ''
  return renderDocComment(parseDocComment(comment))
}

/** Members of the object that `export =` names are also names of the file. */
function spreadAssigned(outline: FileOutline): void {
  const assigned = outline.exported?.find(({ name }) => name === 'export=')
  if (assigned === undefined) return
  const symbol = outline.symbols.find(({ name }) => name === assigned.local)
  outline.exported = ['default', assigned.local].map((name) => ({ name, local: assigned.local }))
  if (symbol === undefined || symbol.kind === 'class') return
  const names = new Set(outline.symbols.map(({ name }) => name))
  for (const member of symbol.members) {
    if (!names.has(member.name)) outline.symbols.push(member)
    names.add(member.name)
    outline.exported.push({ name: member.name, local: member.name })
  }
  symbol.members = []
}

/** The declarations of a file or namespace; those with the same name are merged. */
function declarationsOf(body: SyntaxNode, file: TsFile): ApiSymbol[] {
  const symbols = new Map<string, ApiSymbol>()
  const parts = new Map<ApiSymbol, Parts>()
  for (const { node, comment } of childrenWithComments(body, file)) {
    if (comment?.isInternal) continue
    for (const symbol of symbolsOf(unwrapped(node), { node, comment, file })) {
      const before = symbols.get(symbol.name)
      if (before === undefined) symbols.set(symbol.name, symbol)
      else {
        const own = parts.get(before) ?? partsOf(before)
        parts.set(before, own)
        mergeInto(before, symbol, own)
      }
    }
  }
  return [...symbols.values()]
}

/** The declaration inside `export`, `declare` and `export default`. */
function unwrapped(node: SyntaxNode): SyntaxNode {
  const inner = ['ExportDeclaration', 'AmbientDeclaration'].includes(node.name)
    ? childrenOf(node).find(({ name }) => /Declaration$|^ClassDeclaration$/.test(name))
    : undefined
  return inner === undefined ? node : unwrapped(inner)
}

type Context = { node: SyntaxNode; comment: DocComment | null; file: TsFile }

function symbolsOf(declaration: SyntaxNode, context: Context): ApiSymbol[] {
  const { textOf } = context.file
  const nameNode =
    declaration.getChild('VariableDefinition') ?? declaration.getChild('TypeDefinition')
  const name = nameNode === null ? '' : textOf(nameNode)
  const base = { ...baseSymbol(context), name, qualifiedName: name }
  if (declaration.name === 'VariableDeclaration') {
    return variableSignature(declaration, textOf).map((it) => ({
      ...base,
      ...it,
      qualifiedName: it.name,
    }))
  }
  const read = readers[declaration.name]
  return read === undefined || name === ''
    ? []
    : [{ ...base, ...read(declaration, { name, file: context.file }) }]
}

type Declared = Pick<ApiSymbol, 'kind' | 'signature'> & Partial<ApiSymbol>
type Reader = (declaration: SyntaxNode, place: { name: string; file: TsFile }) => Declared

const readFunction: Reader = (declaration, { file }) => ({
  kind: 'function',
  signature: functionSignature(declaration, file.textOf),
})

/** Readers of declarations, by the name of their node. */
const readers: Record<string, Reader> = {
  FunctionDeclaration: readFunction,
  AmbientFunctionDeclaration: readFunction,
  ClassDeclaration: (declaration, { name, file }) =>
    withMembers(declaration, { kind: 'class', body: 'ClassBody', creation: `new ${name}`, file }),
  InterfaceDeclaration: (declaration, { file }) =>
    withMembers(declaration, { kind: 'interface', body: 'ObjectType', creation: '', file }),
  TypeAliasDeclaration(declaration, { file }) {
    const last = declaration.lastChild
    const type = last?.name === ';' ? last.prevSibling : last
    const alias: Declared = { kind: 'type', signature: aliasSignature(declaration, file.textOf) }
    if (type?.name !== 'ObjectType') return alias
    const body = 'ObjectType'
    const read = withMembers(declaration, { kind: 'interface', body, creation: '', file })
    const isCalled = read.signature.includes('\n') || read.members?.length === 0
    return isCalled ? alias : { ...read, signature: read.signature.replace(/\s*=$/, '') }
  },
  EnumDeclaration: (declaration, { file }) => ({
    kind: 'enum',
    signature: headText(declaration, 'EnumBody', file.textOf),
    members: enumMembers(declaration.getChild('EnumBody'), file),
  }),
  NamespaceDeclaration(declaration, { name, file }) {
    const block = declaration.getChild('Block')
    const members = block === null ? [] : declarationsOf(block, file)
    return { kind: 'module', signature: `namespace ${name}`, members }
  },
}

type Bodied = { kind: 'class' | 'interface'; body: string; creation: string; file: TsFile }

function withMembers(declaration: SyntaxNode, { kind, body, creation, file }: Bodied): Declared {
  const { members, calls } = memberSymbols(declaration.getChild(body), file, creation)
  const signature = [headText(declaration, body, file.textOf), ...calls].join('\n')
  return { kind, signature, members, bases: basesOf(declaration, file.textOf) }
}

function baseSymbol({ node, comment, file }: Context): ApiSymbol {
  return {
    kind: 'value',
    name: '',
    qualifiedName: '',
    signature: '',
    documentation: comment === null ? '' : renderDocComment(comment),
    line: file.lineOf(node.from),
    members: [],
    deprecated: comment?.deprecated ?? null,
    since: comment?.since ?? null,
  }
}

/** The text of a declaration up to its body, on one line. */
function headText(declaration: SyntaxNode, body: string, textOf: TextOf): string {
  const end = declaration.getChild(body)?.from ?? declaration.to
  return textOf({ from: declaration.from, to: end }).replace(/\s+/g, ' ').trim()
}

function basesOf(declaration: SyntaxNode, textOf: TextOf): string[] {
  const children = childrenOf(declaration)
  const from = children.findIndex(({ name }) => name === 'extends')
  if (from < 0) return []
  return children
    .slice(from + 1)
    .filter(({ name }) => ['VariableName', 'TypeName', 'MemberExpression'].includes(name))
    .map(textOf)
}

function enumMembers(body: SyntaxNode | null, file: TsFile): ApiSymbol[] {
  if (body === null) return []
  return childrenWithComments(body, file).flatMap(({ node, comment }) => {
    if (node.name !== 'PropertyName' && node.name !== 'String') return []
    const equals = node.nextSibling?.name === 'Equals' ? node.nextSibling.nextSibling : null
    const name = file.textOf(node)
    const signature = equals === null ? name : `${name} = ${file.textOf(equals)}`
    const base = baseSymbol({ node, comment, file })
    return [{ ...base, name, qualifiedName: name, signature }]
  })
}

/** The signature lines, texts and members of a symbol, for fast comparison. */
type Parts = { signatures: Set<string>; texts: Set<string>; members: Set<string> }

function partsOf({ signature, documentation, members }: ApiSymbol): Parts {
  return {
    signatures: new Set(signature.split('\n')),
    texts: new Set([documentation]),
    members: new Set(members.map(({ name }) => name)),
  }
}

/**
 * Merges overloads and declarations with the same name: interfaces, or a function or class with its
 * namespace.
 * @param parts the parts of `symbol`; the parts of `more` are added
 */
function mergeInto(symbol: ApiSymbol, more: ApiSymbol, parts: Parts): void {
  for (const member of more.members) {
    if (parts.members.has(member.name)) continue
    parts.members.add(member.name)
    symbol.members.push(member)
  }
  const isSame = parts.signatures.has(more.signature)
  for (const line of more.signature.split('\n')) parts.signatures.add(line)
  if (!isSame && more.kind !== 'module') symbol.signature += `\n${more.signature}`
  if (symbol.kind === 'module' || (symbol.kind === 'value' && more.kind !== 'module')) {
    symbol.kind = more.kind
    if (!symbol.signature.includes('\n')) symbol.signature = more.signature
  }
  if (more.documentation !== '' && !parts.texts.has(more.documentation)) {
    parts.texts.add(more.documentation)
    symbol.documentation += symbol.documentation === '' ? '' : '\n\n'
    symbol.documentation += more.documentation
  }
  // A name is deprecated if all its overloads are.
  if (more.deprecated === null) symbol.deprecated = null
}

/** The members of a class, an interface or an object type. */
type Members = {
  members: ApiSymbol[]
  /** How the symbol is called or created: `(text: string): void`, `new Lamp(wick: string)`. */
  calls: string[]
}

/** @param constructor replaces the word `constructor` in signatures: `new Lamp` */
export function memberSymbols(body: SyntaxNode | null, file: TsFile, constructor: string): Members {
  const members = new Map<string, ApiSymbol>()
  const calls: string[] = []
  if (body === null) return { members: [], calls }
  const { textOf, lineOf } = file
  for (const { node, comment } of childrenWithComments(body, file)) {
    if (comment?.isInternal || isPrivate(node, file)) continue
    if (node.name === 'CallSignature' || node.name === 'NewSignature') {
      calls.push(callGenericsBefore(node, textOf) + functionSignature(node, textOf))
      continue
    }
    const nameNode = node.getChild('PropertyDefinition')
    const kind = kinds[node.name]
    if (nameNode === null || kind === undefined) continue
    const name = textOf(nameNode)
    const isAccessor = node.getChild('get') !== null || node.getChild('set') !== null
    const signature =
      kind === 'method'
        ? functionSignature(node, textOf)
        : truncateCode(compactDeclaration(textOf(node)), 400)
    if (name === 'constructor' && constructor !== '') {
      calls.push(signature.replace(/^.*?constructor/, constructor))
      continue
    }
    const before = members.get(name)
    const documentation = comment === null ? '' : renderDocComment(comment)
    if (before === undefined) {
      members.set(name, {
        kind: isAccessor ? 'property' : kind,
        name,
        qualifiedName: name,
        signature,
        documentation,
        line: lineOf(node.from),
        members: [],
        deprecated: comment?.deprecated ?? null,
        since: comment?.since ?? null,
      })
    } else if (!isAccessor) {
      before.signature += `\n${signature}`
      before.documentation ||= documentation
      if (comment?.deprecated === undefined || comment.deprecated === null) before.deprecated = null
    }
  }
  return { members: [...members.values()], calls }
}

const kinds: Record<string, 'method' | 'value'> = {
  MethodDeclaration: 'method',
  MethodType: 'method',
  PropertyDeclaration: 'value',
  PropertyType: 'value',
}

function isPrivate(node: SyntaxNode, { textOf }: TsFile): boolean {
  const privacy = node.getChild('Privacy')
  return (
    node.getChild('PrivatePropertyDefinition') !== null ||
    (privacy !== null && textOf(privacy) === 'private')
  )
}

/**
 * Replaces the type parameters of call signatures (`<T>(a: T): void` in an interface) with spaces,
 * because the grammar does not support them. Offsets stay the same. JSX looks similar, so a file
 * with closing tags outside comments is returned unchanged.
 */
export function maskCallGenerics(text: string): string {
  if (text.includes('</') && text.replace(commentLines, '').includes('</')) return text
  let masked = ''
  let copied = 0
  for (const { index } of text.matchAll(/^[ \t]*(?=<)/gm)) {
    const start = text.indexOf('<', index)
    const end = start < copied ? -1 : closingAngle(text, start)
    if (end < 0 || !/^\s*\(/.test(text.slice(end, end + 20))) continue
    masked += text.slice(copied, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
    copied = end
  }
  return masked + text.slice(copied)
}

/** Comments that start their line; `/*` may also be part of a string. */
const commentLines = /^[ \t]*\/(?:\*[^]*?(?:\*\/|(?![^]))|\/.*)/gm

const longest = 2000

/** The offset after the `>` that closes the `<` at `start`; -1 if there is none nearby. */
function closingAngle(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < Math.min(text.length, start + longest); at++) {
    if (text[at] === '<') depth++
    else if (text[at] === '>' && text[at - 1] !== '=' && --depth === 0) return at + 1
    else if (text[at] === ';') return -1
  }
  return -1
}

/** The type parameters before a call signature. */
function callGenericsBefore(node: SyntaxNode, textOf: TextOf): string {
  const before = textOf({ from: Math.max(0, node.from - longest), to: node.from }).trimEnd()
  if (!before.endsWith('>')) return ''
  let depth = 0
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === '>' && before[at - 1] !== '=') depth++
    else if (before[at] === '<' && --depth === 0) return onOneLine(before.slice(at))
  }
  return ''
}
