import type { Node, QueryCapture } from 'web-tree-sitter'
import type { Docstring } from '../docstring/docstring.ts'
import { renderSections } from '../docstring/docstring.ts'
import { mergeOverloads } from '../overload.ts'
import { firstSentence } from '../render.ts'
import type { ApiSymbol, DeclaredModule, FileOutline, SymbolKind } from '../symbol.ts'
import { breakParameters, codeWithoutComments } from '../syntax.ts'

/** A comment or an attribute that documents a declaration. */
export type Annotation = {
  /** The documented declaration; `file` means the source file itself. */
  of: 'next' | 'previous' | 'parent' | 'file'
  doc: Docstring
  /** A line to add to the signature. */
  signature?: string
  /** True if the comment hides the declaration, unless another comment documents it. */
  isHidden?: boolean
}

/** Line breaks before and after a comment; 0 if code is on the same line. */
export type CommentPlace = { nBefore: number; nAfter: number }

/** Rules for converting the captures of a query to symbols. */
export type GrammarRules = {
  /** Parses a comment. Returns null if it documents nothing. */
  comment(text: string, place: CommentPlace): Annotation | null
  /** Types of nodes to omit from signatures. */
  leftOut?: ReadonlySet<string>
  /** Returns the declaration to display; by default, its source text. */
  signature?(code: string): string
  /** Public names by source name. */
  publicNames?: Readonly<Record<string, string>>
  /** True if several declarations can have the same name. */
  hasOverloads?: boolean
  /** True if a comment also documents the declarations on the next lines. */
  isShared?: boolean
}

/** The kind of a statement capture. `private` and `public` set the access of later methods. */
type Role = 'statement' | 'package' | 'block' | 'private' | 'public'

/**
 * A declaration in the source file. `names` is empty for a private declaration, which only
 * separates comments from later declarations.
 */
type Statement = {
  node: Node
  role: Role
  names: { node: Node; kind: SymbolKind }[]
  bodies: Node[]
  bases: string[]
}

type Scope = {
  end: number
  /** Null if inner declarations are private. */
  into: Content | null
  comments: Annotation[]
  last: ApiSymbol[]
  lastInto: Content | null
  lastEnd: number
  /** Kinds of private declarations. */
  hides: RegExp | null
  isBlock: boolean
}

type Content = {
  symbols: ApiSymbol[]
  /** Null inside a class. A module in a class counts as a class. */
  modules: DeclaredModule[] | null
  /** Symbols by kind, name and number of parameters; null for a hidden symbol. */
  byKey: Map<string, ApiSymbol | null>
  /** Adds documentation to the enclosing declaration. */
  describe(comment: Annotation): void
}

/**
 * Returns the declarations in a syntax tree from the captures of a query. `@statement` is a
 * declaration, or another node that ends the effect of earlier comments. It contains `@name.KIND`,
 * `@base` and `@body`, which signatures omit. `@hidden` is a private statement, or the name of an
 * earlier declaration that is private. `@private` and `@public` set the access of later methods.
 * `@block` belongs to the enclosing scope. `@comment` is a comment or an attribute, `@package` the
 * package name, `@include` the name of another file, and `@exported` a public name.
 */
export function outlineCaptures(
  captures: readonly QueryCapture[],
  { text, lineOf }: { text: string; lineOf(offset: number): number },
  rules: GrammarRules,
): FileOutline {
  const outline: FileOutline & { modules: DeclaredModule[] } = {
    documentation: '',
    symbols: [],
    modules: [],
    references: [],
    exported: null,
    exportedOf: [],
  }
  const described: Annotation[] = []
  const content = contentOf(outline, (comment) => described.push(comment))
  const scopes = [scopeUntil(text.length, content)]
  for (const item of itemsOf(captures, text)) {
    while (scopes.length > 1 && scopes.at(-1)!.end <= item.node.startIndex) scopes.pop()
    const scope = scopes.at(-1)!
    if ('text' in item) {
      const comment = rules.comment(item.text, item)
      if (comment?.of === 'file') described.push(comment)
      else if (comment !== null) placeComment(comment, scope, item)
    } else if ('include' in item) {
      const module = item.include.replace(/^["<]|[">]$/g, '')
      outline.references.push({ name: '*', module, original: null, isPassedOn: true })
    } else if ('hides' in item) hideName(scopes.findLast(({ into: it }) => it)!.into, item.hides)
    else if (item.role === 'package') {
      outline.packageName = item.node.text.replace(/\s+/g, '')
      described.push(...scope.comments.splice(0))
    } else if (item.role === 'block') {
      scopes.push({ ...scopeUntil(item.node.endIndex, scope.into), isBlock: true })
    } else if (item.role === 'private') scope.hides = scope.isBlock ? privateKinds : methodKinds
    else if (item.role === 'public') scope.hides = null
    else {
      const inner = addStatement(item, scope, { rules, text, lineOf })
      const { last, lastInto } = scope
      scopes.push({ ...scopeUntil(item.node.endIndex, inner), last, lastInto })
    }
  }
  const exported = captures.filter(({ name }) => name === 'exported').map(({ node }) => node.text)
  if (exported.length > 0) outline.exported = exported.map((name) => ({ name, local: name }))
  outline.documentation = described.map(({ doc }) => renderedDoc(doc)).join('\n\n')
  if (rules.hasOverloads) mergeAll(outline)
  return outline
}

function contentOf(
  { symbols, modules }: Pick<Content, 'symbols' | 'modules'>,
  describe: Content['describe'],
): Content {
  return { symbols, modules, byKey: new Map(), describe }
}

function scopeUntil(end: number, into: Content | null): Scope {
  const last = { last: [], lastInto: null, lastEnd: -1 }
  return { end, into, comments: [], ...last, hides: null, isBlock: false }
}

const methodKinds = /^(?:method|property)$/
const privateKinds = /^(?:method|property|function)$/

function hideName(content: Content | null, name: string): void {
  removeName(content?.symbols, name)
  removeName(content?.modules, name)
}

function removeName(list: { name: string }[] | null | undefined, name: string): void {
  list?.splice(0, list.length, ...list.filter((it) => it.name !== name))
}

type Comment = CommentPlace & { node: { startIndex: number }; end: number; text: string }
type Include = { node: Node; include: string }
type Hidden = { node: Node; hides: string }
type Item = Comment | Include | Hidden | Statement

/** Returns comments and statements in source order. Joins line comments on adjacent lines. */
function itemsOf(captures: readonly QueryCapture[], text: string): Item[] {
  const hidden = new Set(captures.flatMap(({ name, node }) => (name === 'hidden' ? node.id : [])))
  const statements = new Map<number, Statement>()
  const open: Statement[] = []
  const items: Item[] = []
  for (const { name, node } of captures) {
    while (open.length > 0 && open.at(-1)!.node.endIndex <= node.startIndex) open.pop()
    const within = open.at(-1)
    if (name === 'comment') addComment(items, node, text)
    else if (name === 'include') items.push({ node, include: node.text })
    else if (/^(?:statement|package|block|private|public)$/.test(name)) {
      const before = statements.get(node.id)
      const role = name as Role
      if (before !== undefined) {
        if (role !== 'statement') before.role = role
        continue
      }
      const item = { node, role, names: [], bodies: [], bases: [] }
      statements.set(node.id, item)
      items.push(item)
      open.push(item)
    } else if (name === 'hidden') {
      if (!statements.has(node.id)) items.push({ node, hides: plainSymbol(node.text) })
    } else if (hidden.has(within?.node.id ?? -1)) continue
    else if (name === 'body') within?.bodies.push(node)
    else if (name === 'base') within?.bases.push(node.text)
    else if (name.startsWith('name.') && !within?.names.some((it) => it.node.id === node.id)) {
      within?.names.push({ node, kind: name.slice('name.'.length) as SymbolKind })
    }
  }
  return items
}

/** Returns the name `on` of the Ruby symbol `:on`. */
function plainSymbol(text: string): string {
  return text.replace(/^:/, '')
}

function addComment(items: Item[], node: Node, text: string): void {
  const { startIndex: start, endIndex: end } = node
  const own = text.slice(start, end)
  const before = items.at(-1)
  const mark = /^(?:\/\/[/!]?<?|#)/.exec(own)?.[0]
  const isNext = (it: Comment) =>
    it.nBefore > 0 &&
    it.text.startsWith(mark!) &&
    /^[ \t]*\n?[ \t]*$/.test(text.slice(it.end, start))
  if (mark !== undefined && before !== undefined && 'text' in before && isNext(before)) {
    before.text += `\n${own.trimEnd()}`
    before.end = end
    before.nAfter = nBreaksAfter(text, end)
    return
  }
  const nBefore = nBreaksBefore(text, start)
  const place = { nBefore, nAfter: nBreaksAfter(text, end) }
  items.push({ node: { startIndex: start }, end, text: own, ...place })
}

/** Counts blank lines as one break, because they can be blanked code. */
function nBreaksAfter(text: string, end: number): number {
  // Some grammars include the line break in the comment.
  const from = text[end - 1] === '\n' ? end - 1 : end
  return nBreaks(/^\s*/.exec(text.slice(from, from + longestGap))![0])
}

function nBreaksBefore(text: string, start: number): number {
  let from = start
  while (from > 0 && start - from < longestGap && /\s/.test(text[from - 1]!)) from--
  return nBreaks(`${from === 0 ? '\n' : ''}${text.slice(from, start)}`)
}

function nBreaks(gap: string): number {
  return gap.includes('\n') ? 1 + (gap.match(/\n(?=\n)/g)?.length ?? 0) : 0
}

const longestGap = 2000

function placeComment(comment: Annotation, scope: Scope, { node }: Comment): void {
  if (comment.of === 'parent') scope.into?.describe(comment)
  else if (comment.of === 'next') scope.comments.push(comment)
  // A comment at the end of a line can be inside the declaration.
  else if (node.startIndex < scope.end) {
    for (const it of scope.last) {
      if (comment.isHidden) removeName(scope.lastInto?.symbols, it.name)
      else addDoc(it, [comment])
    }
  }
}

type Reading = { rules: GrammarRules; text: string; lineOf(offset: number): number }

/** Adds a declaration to its scope. Returns its own content if it can contain declarations. */
function addStatement(statement: Statement, scope: Scope, reading: Reading): Content | null {
  const { node, names } = statement
  const comments = scope.comments.splice(0)
  const { into, last, lastEnd } = scope
  scope.last = []
  scope.lastInto = into
  scope.lastEnd = node.endIndex
  if (into === null || names.length === 0) return null
  const isHidden =
    comments.some((it) => it.isHidden) && !comments.some(({ doc }) => renderedDoc(doc) !== '')
  const signature = signatureOf(statement, reading, comments)
  const follows = /^[ \t]*\n[ \t]*$/.test(reading.text.slice(lastEnd, node.startIndex))
  let inner: Content | null = null
  for (const { node: nameNode, kind } of names) {
    if (scope.hides?.test(kind)) continue
    const written = plainSymbol(nameNode.text)
    const name = reading.rules.publicNames?.[written] ?? written
    const symbol: ApiSymbol = {
      kind,
      name,
      qualifiedName: name,
      signature,
      documentation: '',
      line: reading.lineOf(node.startIndex),
      members: [],
      deprecated: null,
      since: null,
      ...(statement.bases.length === 0 ? {} : { bases: statement.bases }),
    }
    addDoc(symbol, comments)
    if (reading.rules.isShared && follows && comments.length === 0) shareDoc(symbol, last)
    const kept = addSymbol(symbol, into, { isHidden, hasOverloads: reading.rules.hasOverloads })
    if (kept !== null) scope.last.push(kept)
    if (kept !== null && !isHidden) inner ??= innerContent(kept, into)
  }
  return inner
}

function innerContent(symbol: ApiSymbol, into: Content): Content | null {
  const describe = (comment: Annotation) => addDoc(symbol, [comment])
  const { modules } = into
  if (symbol.kind === 'module' && modules === null) symbol.kind = 'class'
  if (symbol.kind !== 'module' || modules === null) {
    const isClass = /^(?:class|interface|enum)$/.test(symbol.kind)
    return isClass ? contentOf({ symbols: symbol.members, modules: null }, describe) : null
  }
  const inner = { symbols: [] as ApiSymbol[], modules: [] as DeclaredModule[] }
  const { name, line } = symbol
  const outline = { ...inner, documentation: '', references: [], exported: null, exportedOf: [] }
  const module: DeclaredModule = { name, line, path: null, documentation: '', outline }
  into.symbols.splice(into.symbols.indexOf(symbol), 1)
  modules.push(module)
  module.documentation = symbol.documentation
  return contentOf(inner, (comment) => {
    describe(comment)
    module.documentation = symbol.documentation
    if (comment.isHidden) modules.splice(modules.indexOf(module), 1)
  })
}

/** Adds a symbol unless it repeats an earlier or hidden one. Returns the stored symbol. */
function addSymbol(
  symbol: ApiSymbol,
  { symbols, byKey }: Content,
  { isHidden, hasOverloads = false }: { isHidden: boolean; hasOverloads?: boolean | undefined },
): ApiSymbol | null {
  // In C, a macro can have the name of the function that it calls.
  const kind = symbol.kind === 'macro' ? 'function' : symbol.kind
  const key = `${kind} ${symbol.name} ${breakParameters(symbol.signature)?.items.length ?? 0}`
  const before = byKey.get(key)
  if (before === null) return null
  if (isHidden) {
    byKey.set(key, null)
    return null
  }
  if (before === undefined || hasOverloads) {
    byKey.set(key, symbol)
    symbols.push(symbol)
    return symbol
  }
  // The declaration is repeated in another conditional branch or function clause.
  before.documentation ||= symbol.documentation
  return before
}

function signatureOf(
  { node, names, bodies }: Statement,
  { rules, text }: Reading,
  comments: Annotation[],
): string {
  const { leftOut } = rules
  const skipped =
    leftOut === undefined ? [] : node.children.filter((it) => it !== null && leftOut.has(it.type))
  const holes = [...bodies, ...skipped].map((it) => [it!.startIndex, it!.endIndex] as const)
  let code = ''
  let at = node.startIndex
  for (const [from, to] of holes.toSorted(([a], [b]) => a - b)) {
    if (from >= at) code += text.slice(at, from)
    at = Math.max(at, to)
  }
  code += text.slice(at, node.endIndex)
  const shown = rules.signature?.(code) ?? codeWithoutComments(code)
  const extra = comments.flatMap(({ signature }) => signature ?? [])
  const isValue = names[0]?.kind === 'value'
  return [(isValue ? null : breakParameters(shown)?.code) ?? shown, ...extra].join('\n')
}

export function renderedDoc(doc: Docstring): string {
  return [doc.text, renderSections(doc)].filter((part) => part !== '').join('\n\n')
}

function addDoc(symbol: ApiSymbol, comments: readonly Annotation[]): void {
  for (const { doc } of comments) {
    const parts = [symbol.documentation, renderedDoc(doc)]
    symbol.documentation = parts.filter((part) => part !== '').join('\n\n')
    symbol.deprecated ??= doc.deprecated
    symbol.since ??= doc.since
  }
}

function shareDoc(symbol: ApiSymbol, [first]: readonly ApiSymbol[]): void {
  if (first === undefined || symbol.kind !== 'function') return
  const start = /\nSee `[^`]+`\.$/.exec(first.documentation)
  if (start !== null) symbol.documentation = first.documentation
  else if (first.documentation !== '') {
    symbol.documentation = `${firstSentence(first.documentation)}\n\nSee \`${first.name}\`.`
  }
}

function mergeAll({ symbols, modules = [] }: Pick<FileOutline, 'symbols' | 'modules'>): void {
  for (const symbol of symbols) mergeAll({ symbols: symbol.members })
  symbols.splice(0, symbols.length, ...mergeOverloads(symbols))
  for (const { outline } of modules) if (outline !== null) mergeAll(outline)
}
