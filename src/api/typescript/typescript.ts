import { oneLine } from '../../platform/text/trim.ts'
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/javascript'
import { addModule, addOutline, emptyOutline, moduleSymbol } from '../merge-outline.ts'
import { addOverloadText, joinOverloadTexts, type OverloadTexts } from '../overload.ts'
import type { ApiSymbol, DeclaredModule, FileOutline } from '../symbol.ts'
import { childrenOf, lineFinder, type TextOf } from '../syntax.ts'
import { maskCallGenerics } from './ts-generics.ts'
import {
  baseSymbol,
  intersectedTypes,
  memberSymbols,
  memberTypesOf,
  utilityType,
  type CommentedNode,
} from './ts-member.ts'
import { parseDocComment } from './tsdoc.ts'
import {
  childrenWithComments,
  joinCommentLines,
  renderDocComment,
  type TsFile,
} from './ts-comment.ts'
import { assignedExpression, exportedObjectIn } from './ts-commonjs.ts'
import { maskModuleNames, readModuleSyntax } from './ts-module.ts'
import {
  aliasSignature,
  expressionSignature,
  functionSignature,
  variableSignature,
} from './ts-signature.ts'
import {
  additionsIn,
  addToDeclarations,
  commentTypes,
  declaresTypes,
  exportedProperties,
  objectMembers,
} from './ts-untyped.ts'

/** Returns the declarations in a TypeScript or JavaScript file. Executes no code. */
export function outlineTypeScript(text: string): FileOutline {
  const file: TsFile = { textOf: ({ from, to }) => text.slice(from, to), lineOf: lineFinder(text) }
  const masked = maskModuleNames(maskCallGenerics(joinCommentLines(text)))
  const outline = outlineOf(typescript.parse(masked).topNode, file)
  outline.documentation = moduleDocumentation(text)
  for (const [, path] of text.slice(0, 20_000).matchAll(referencedPath)) {
    const module = path!.replace(/^(?!\.)/, './')
    outline.references.push({ name: '*', module, original: '*', isPassedOn: true })
  }
  spreadAssigned(outline)
  return outline
}

const typescript = parser.configure({ dialect: 'ts jsx' })
const referencedPath = /^\/\/\/\s*<reference\s+path=["']([^"'\n]+)["']/gm

function outlineOf(body: SyntaxNode, file: TsFile): FileOutline {
  const outline = emptyOutline()
  readModuleSyntax(body, file, outline)
  readDeclarations(body, file, outline)
  return outline
}

/** Returns the first comment if a tag marks it as the file's comment. */
function moduleDocumentation(text: string): string {
  const comment = /^\s*(\/\*\*[^]*?\*\/)/.exec(text.slice(0, 20_000))?.[1] ?? ''
  if (!/@(module|packageDocumentation|file|fileoverview)\b/.test(comment)) return ''
  return renderDocComment(parseDocComment(comment))
}

/** Adds members of the object or namespace in `export =` as names of the file. */
function spreadAssigned(outline: FileOutline): void {
  const assigned = outline.exported?.find(({ name }) => name === 'export=')
  if (!assigned || !outline.exported) return
  const { local } = assigned
  const others = outline.exported.filter(({ name }) => name !== 'export=')
  outline.exported = [...['default', local].map((name) => ({ name, local })), ...others]
  const namespace = namespaceIn(outline, local.split('.'))
  if (namespace?.outline) {
    outline.exported = outline.exported.filter((it) => it.local !== local)
    outline.modules = outline.modules!.filter((it) => it !== namespace)
    addOutline(outline, namespace.outline)
    outline.documentation ||= namespace.documentation
  }
  const symbol = outline.symbols.find(({ name }) => name === local)
  if (symbol === undefined || symbol.kind === 'class') return
  const names = new Set(outline.symbols.map(({ name }) => name))
  for (const member of symbol.members) {
    if (!names.has(member.name)) outline.symbols.push(member)
    names.add(member.name)
    outline.exported.push({ name: member.name, local: member.name })
  }
  symbol.members = []
}

function namespaceIn(
  { modules = [] }: FileOutline,
  [first, ...rest]: string[],
): DeclaredModule | undefined {
  const found = modules.find(({ name, isGlobal }) => name === first && !isGlobal)
  return found?.outline && rest.length > 0 ? namespaceIn(found.outline, rest) : found
}

/** Adds the declarations in a file or namespace. Merges declarations with the same name. */
function readDeclarations(body: SyntaxNode, file: TsFile, outline: FileOutline): void {
  const symbols = new Map<string, ApiSymbol>()
  const parts = new Map<ApiSymbol, Parts>()
  const modules: DeclaredModule[] = []
  const additions: ReturnType<typeof additionsIn> = []
  const add = (symbol: ApiSymbol) => {
    const before = symbols.get(symbol.name)
    if (before === undefined) return symbols.set(symbol.name, symbol)
    const own = parts.getOrInsertComputed(before, () => partsOf(before))
    return mergeInto(before, symbol, own)
  }
  for (const { node, comment } of childrenWithComments(body, file)) {
    const declaration = unwrapped(node)
    const module = moduleOf(declaration, { node, comment, file })
    if (module !== null) addModule(modules, module)
    else for (const symbol of symbolsOf(declaration, { node, comment, file })) add(symbol)
    if (node.name === 'ExpressionStatement') additions.push(...additionsIn({ node, comment, file }))
  }
  for (const node of body.getChildren('BlockComment')) {
    if (!declaresTypes(file.textOf(node))) continue
    for (const symbol of commentTypes(node, file)) {
      if (symbols.has(symbol.name)) continue
      add(symbol)
      outline.exported?.push({ name: symbol.name, local: symbol.name })
    }
  }
  addToDeclarations(symbols, additions)
  const isMerged = (it: DeclaredModule) => !it.isGlobal && symbols.has(it.name)
  for (const module of modules.filter(isMerged)) add(moduleSymbol(module))
  outline.symbols = [...symbols.values()]
  const others = modules.filter((it) => !isMerged(it))
  if (others.length > 0) outline.modules = others
}

/** Reads `namespace a.b { … }`, `declare module "x" { … }` and `declare global { … }`. */
function moduleOf(declaration: SyntaxNode, context: CommentedNode): DeclaredModule | null {
  const { textOf } = context.file
  const isGlobal = declaration.name === 'GlobalDeclaration'
  const block = declaration.getChild('Block')
  if (block === null || !(isGlobal || declaration.name === 'NamespaceDeclaration')) return null
  const { documentation, line } = baseSymbol(context)
  const [name = 'global', ...inner] = childrenOf(declaration)
    .filter(({ name: it }) => it === 'VariableDefinition' || it === 'PropertyDefinition')
    .map(textOf)
  const quoted = /^(["'])(.*)\1$/.exec(name)?.[2]
  let outline = outlineOf(block, context.file)
  const described = (it: string): DeclaredModule => ({
    name: it,
    path: null,
    documentation,
    line,
    outline,
  })
  for (const part of inner.toReversed()) {
    outline = { ...emptyOutline(), exported: null, modules: [described(part)] }
  }
  const isKnown = isGlobal || quoted !== undefined
  return { ...described(quoted ?? name), ...(isKnown && { isGlobal: true }) }
}

/** Returns the declaration inside `export`, `declare` or `export default`. */
function unwrapped(node: SyntaxNode): SyntaxNode {
  const inner = ['ExportDeclaration', 'AmbientDeclaration'].includes(node.name)
    ? childrenOf(node).find(({ name }) => /Declaration$|^ClassDeclaration$/.test(name))
    : undefined
  return inner === undefined ? node : unwrapped(inner)
}

function symbolsOf(declaration: SyntaxNode, context: CommentedNode): ApiSymbol[] {
  const { textOf } = context.file
  const nameNode =
    declaration.getChild('VariableDefinition') ?? declaration.getChild('TypeDefinition')
  const isDefault = context.node.getChild('default') !== null
  const name = nameNode === null ? (isDefault ? 'default' : '') : textOf(nameNode)
  const base = { ...baseSymbol(context), name, qualifiedName: name }
  if (declaration.name === 'VariableDeclaration') {
    return variableSignature(declaration, textOf).map(({ object, ...it }) => ({
      ...base,
      ...it,
      qualifiedName: it.name,
      members: object === null ? [] : objectMembers(object, context.file),
    }))
  }
  const exportedObject = exportedObjectIn(declaration, context.file)
  if (exportedObject !== null) return exportedProperties(exportedObject, context.file)
  const expression = assignedExpression(declaration, context.file)
  if (expression !== null) {
    const { name: own, ...value } = expression
    const read = readers[value.node.name]?.(value.node, { name: own, file: context.file })
    const kind = /^(Arrow)?Function/.test(value.node.name) ? 'function' : 'value'
    const members =
      value.node.name === 'ObjectExpression' ? objectMembers(value.node, context.file) : []
    const signature = expressionSignature(own, value.node, textOf)
    const declared = read ?? { kind, signature, members }
    return [described({ ...base, name: own, qualifiedName: own }, declared)]
  }
  const read = readers[declaration.name]
  if (read === undefined || name === '') return []
  return [described(base, read(declaration, { name, file: context.file }))]
}

/** Adds the documentation of constructors or call signatures to a symbol. */
function described(base: ApiSymbol, { calls = [], ...declared }: Declared): ApiSymbol {
  const texts: OverloadTexts = new Map()
  addOverloadText(texts, base)
  for (const call of calls) addOverloadText(texts, call)
  return { ...base, ...declared, documentation: joinOverloadTexts(texts) }
}

type Declared = Pick<ApiSymbol, 'kind' | 'signature'> &
  Partial<ApiSymbol> & {
    /** Call and constructor signatures. */
    calls?: ApiSymbol[]
  }
type Reader = (declaration: SyntaxNode, place: { name: string; file: TsFile }) => Declared

const readFunction: Reader = (declaration, { file }) => ({
  kind: 'function',
  signature: functionSignature(declaration, file.textOf),
})

const readers: Record<string, Reader> = {
  FunctionDeclaration: readFunction,
  AmbientFunctionDeclaration: readFunction,
  ClassDeclaration: (declaration, { name, file }) =>
    withMembers(declaration, { kind: 'class', body: 'ClassBody', creation: `new ${name}`, file }),
  InterfaceDeclaration: (declaration, { file }) =>
    withMembers(declaration, { kind: 'interface', body: 'ObjectType', creation: '', file }),
  TypeAliasDeclaration(declaration, { file }) {
    const last = declaration.lastChild
    const type = (last?.name === ';' ? last.prevSibling : last) ?? declaration
    if (type.name !== 'ObjectType') return aliasOf(declaration, type, file)
    const body = 'ObjectType'
    const read = withMembers(declaration, { kind: 'interface', body, creation: '', file })
    return read.members?.length === 0
      ? { ...aliasOf(declaration, type, file), calls: read.calls ?? [] }
      : { ...read, signature: read.signature.replace(/\s*=$/m, '') }
  },
  EnumDeclaration: (declaration, { file }) => ({
    kind: 'enum',
    signature: headText(declaration, 'EnumBody', file.textOf),
    members: enumMembers(declaration.getChild('EnumBody'), file),
  }),
}
readers.ClassExpression = readers.ClassDeclaration!

/**
 * Reads an alias of a type without braces. Members in braces, as in `{ wick: string } & Oil`, are
 * members of the alias if the signature would lack some of their text.
 */
function aliasOf(declaration: SyntaxNode, type: SyntaxNode, file: TsFile): Declared {
  const signature = aliasSignature(declaration, file.textOf)
  const memberTypes = memberTypesOf(type, file.textOf)
  const bodies = intersectedTypes(type).filter(({ name }) => name === 'ObjectType')
  const read = bodies.map((body) => memberSymbols(body, file, ''))
  const names = new Set<string>()
  const members = read
    .flatMap((it) => it.members)
    .filter(({ name }) => !names.has(name) && names.add(name))
  const isWhole = !signature.endsWith('…') && members.every((it) => it.documentation === '')
  if (members.length === 0 || isWhole) return { kind: 'type', signature, memberTypes }
  const calls = read.flatMap((it) => it.calls)
  const head = aliasSignature(declaration, file.textOf, bodies)
  const short = [head, ...calls.map((it) => it.signature)].join('\n')
  return { kind: 'interface', signature: short, members, calls, memberTypes }
}

type Bodied = { kind: 'class' | 'interface'; body: string; creation: string; file: TsFile }

function withMembers(declaration: SyntaxNode, { kind, body, creation, file }: Bodied): Declared {
  const { members, calls } = memberSymbols(declaration.getChild(body), file, creation)
  const heads = calls.map(({ signature }) => signature)
  const signature = [headText(declaration, body, file.textOf), ...heads].join('\n')
  const { textOf } = file
  const bases = basesOf(declaration, textOf)
  const memberTypes = childrenOf(declaration)
    .filter((it) => it.name === 'ParameterizedType' && isUtility(it, textOf))
    .flatMap((it) => memberTypesOf(it, textOf))
  return { kind, signature, members, calls, bases, memberTypes }
}

/** Returns a declaration without its body, on one line. */
function headText(declaration: SyntaxNode, body: string, textOf: TextOf): string {
  const end = declaration.getChild(body)?.from ?? declaration.to
  return oneLine(textOf({ from: declaration.from, to: end }))
}

/** Returns base class names without type arguments. */
function basesOf(declaration: SyntaxNode, textOf: TextOf): string[] {
  const children = childrenOf(declaration)
  const from = children.findIndex(({ name }) => name === 'extends')
  if (from < 0) return []
  const end = children.findIndex(({ name }) => name === 'implements')
  return children
    .slice(from + 1, end < 0 ? undefined : end)
    .filter((node) => !isUtility(node, textOf))
    .map((node) => textOf(node).replace(/<[^]*/, ''))
    .filter((name) => /^[\w$]+(?:\s*\.\s*[\w$]+)*$/.test(name))
}

/** True for types such as `Omit<Lamp, 'oil'>`. */
function isUtility(type: SyntaxNode, textOf: TextOf): boolean {
  return type.firstChild !== null && utilityType.test(textOf(type.firstChild))
}

function enumMembers(body: SyntaxNode | null, file: TsFile): ApiSymbol[] {
  if (body === null) return []
  return childrenWithComments(body, file).flatMap(({ node, comment }) => {
    const isName = node.name === 'PropertyName' || node.name === 'String'
    if (!isName || node.prevSibling?.name === 'Equals') return []
    const equals = node.nextSibling?.name === 'Equals' ? node.nextSibling.nextSibling : null
    const text = file.textOf(node)
    const name = text.replace(/^(["'])(.*)\1$/, '$2')
    const signature = equals === null ? text : `${text} = ${file.textOf(equals)}`
    const base = baseSymbol({ node, comment, file })
    return [{ ...base, name, qualifiedName: name, signature }]
  })
}

/** The parts of a symbol in sets, for fast comparison. */
type Parts = { signatures: Set<string>; texts: OverloadTexts; members: Set<string> }

function partsOf(symbol: ApiSymbol): Parts {
  const texts: OverloadTexts = new Map()
  addOverloadText(texts, symbol)
  return {
    signatures: new Set(symbol.signature.split('\n')),
    texts,
    members: new Set(symbol.members.map(({ name }) => name)),
  }
}

/**
 * Merges overloads, interfaces, or a function or class and its namespace.
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
  addOverloadText(parts.texts, more)
  symbol.documentation = joinOverloadTexts(parts.texts)
  // A name is deprecated only if all its overloads are.
  if (more.deprecated === null) symbol.deprecated = null
}
