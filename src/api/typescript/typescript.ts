import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/javascript'
import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { childrenOf, lineFinder, type TextOf } from '../syntax.ts'
import { maskCallGenerics } from './ts-generics.ts'
import { baseSymbol, memberSymbols, type Context } from './ts-member.ts'
import { parseDocComment } from './tsdoc.ts'
import { childrenWithComments, renderDocComment, type TsFile } from './ts-comment.ts'
import { maskModuleNames, readModuleSyntax } from './ts-module.ts'
import { aliasSignature, functionSignature, variableSignature } from './ts-signature.ts'

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
