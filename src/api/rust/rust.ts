import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/rust'
import { addedMacros } from '../link/rust-macros.ts'
import type { ApiSymbol, FileOutline, Implementation } from '../symbol.ts'
import { formatBracketedList, childrenOf, lineFinder, onOneLine, truncateCode } from '../syntax.ts'
import { rustdocToMarkdown } from './rust-doc.ts'
import { docLines, expansionBudget, featureNote } from './rust-item.ts'
import { isHiddenItem, itemsOf, rustString } from './rust-item.ts'
import type { MacroRules, RustFile, RustItem } from './rust-item.ts'
import { readUse } from './rust-use.ts'

/**
 * Returns the public items, modules and `impl` blocks of a Rust file.
 * @param whole the file, optionally followed by macros of other files
 */
export function outlineRust(whole: string): FileOutline {
  const [text = '', added = ''] = whole.split(addedMacros, 2)
  const lineOf = lineFinder(text)
  const file: RustFile = {
    text,
    textOf: ({ from, to }) => text.slice(from, to),
    lineOf: ({ from }) => lineOf(from),
    depth: 0,
    macros: new Map(),
    calls: [],
    rules: rulesWith(added),
  }
  const outline = moduleOutline(parser.parse(text).topNode, file, 0)
  const macros: Record<string, FileOutline> = {}
  for (const [name, { file: own, from, to }] of [...file.macros]) {
    const code = text.slice(from, to)
    if (own !== file || !/\bpub\b/.test(code)) continue
    const inner = parsePart(code, file, from)
    macros[name] = moduleOutline(inner.top, inner.file, 0)
  }
  const macroRules = Object.fromEntries(file.rules.texts)
  return {
    ...outline,
    macros,
    calls: file.calls,
    macroRules,
    unknownMacros: [...file.rules.unknown],
  }
}

/** Parses the appended macros. The parser adds the file's own macros later. */
function rulesWith(text: string): MacroRules {
  const budget = { ...expansionBudget }
  const names = { unknown: new Set<string>(), added: new Set<string>() }
  const rules: MacroRules = { byName: new Map(), texts: new Map(), ...names, budget }
  if (text === '') return rules
  const textOf = ({ from, to }: { from: number; to: number }) => text.slice(from, to)
  const place = { lineOf: () => 1, depth: 0, macros: new Map(), calls: [] }
  const file: RustFile = { text, textOf, rules, ...place }
  itemsOf(parser.parse(text).topNode, file, parsePart)
  rules.added = new Set(rules.byName.keys())
  rules.texts.clear()
  rules.unknown.clear()
  return rules
}

function parsePart(text: string, outer: RustFile, offset: number) {
  const file: RustFile = {
    text,
    textOf: ({ from, to }) => text.slice(from, to),
    lineOf: ({ from, to = from }) => outer.lineOf({ from: from + offset, to: to + offset }),
    depth: outer.depth + 1,
    macros: outer.macros,
    calls: outer.calls,
    rules: outer.rules,
  }
  return { top: parser.parse(text).topNode, file }
}

/** Deeper modules in the same file are omitted. */
const deepestModule = 30

function moduleOutline(body: SyntaxNode, file: RustFile, depth: number): FileOutline {
  const outline: FileOutline = {
    documentation: moduleDocumentation(body, file),
    symbols: [],
    references: [],
    exported: [],
    exportedOf: [],
    modules: [],
    implementations: [],
  }
  for (const item of itemsOf(body, file, parsePart)) {
    const { name } = item.node
    if (name === 'UseDeclaration') readUse(item, outline)
    else if (name === 'ModItem') readModule(item, outline, depth)
    else if (name === 'ImplItem') outline.implementations!.push(...implementationOf(item))
    else if (name === 'ForeignModItem') readForeign(item, outline)
    else readSymbol(item, outline)
  }
  return outline
}

/** Returns the enclosing module's comments and attributes: `//!` and `#![doc = "…"]`. */
function moduleDocumentation(body: SyntaxNode, { textOf }: RustFile): string {
  const lines: string[] = []
  for (const node of childrenOf(body)) {
    if (/Comment$/.test(node.name)) {
      lines.push(...docLines(textOf(node), /^\/\/!|^\/\*!/))
    } else if (node.name === 'InnerAttribute') {
      const text = /^#!\[\s*doc\s*=\s*(.*)\]$/s.exec(textOf(node))?.[1]
      if (text !== undefined) lines.push(...rustString(text).split('\n'))
    }
  }
  return rustdocToMarkdown(lines.join('\n'))
}

export function isPublicItem({ node, file }: RustItem): boolean {
  const visibility = node.getChild('Vis')
  return visibility !== null && file.textOf(visibility).trim() === 'pub'
}

function nameOf({ node, file }: RustItem): string {
  const name = node.getChild('BoundIdentifier') ?? node.getChild('TypeIdentifier')
  return name === null ? '' : nameIn(name, file)
}

/** Returns an identifier without the `r#` prefix. */
function nameIn(identifier: SyntaxNode, { textOf }: RustFile): string {
  return textOf(identifier).replace(/^r#/, '')
}

/** Reads `mod lamp;`, or a module with a body. */
function readModule(item: RustItem, outline: FileOutline, depth: number): void {
  const name = nameOf(item)
  const body = item.node.getChild('DeclarationList')
  const path = item.attributes.map((code) => /^path\s*=\s*"([^"]+)"$/.exec(code)?.[1]).find(Boolean)
  const inner =
    body === null || depth >= deepestModule ? null : moduleOutline(body, item.file, depth + 1)
  outline.modules!.push({
    name,
    path: path ?? null,
    documentation: item.documentation,
    line: item.file.lineOf(item.node),
    outline: inner,
  })
  const isPublic = isPublicItem(item) && !isHiddenItem(item.attributes)
  if (isPublic) outline.exported!.push({ name, local: name })
}

function readForeign({ node, file }: RustItem, outline: FileOutline): void {
  const list = node.getChild('DeclarationList')
  if (list === null) return
  for (const item of itemsOf(list, file, parsePart)) readSymbol(item, outline)
}

function readSymbol(item: RustItem, outline: FileOutline): void {
  const macro = macroSymbol(item)
  const symbol = macro ?? itemSymbol(item)
  if (symbol === null || symbol.name === '' || symbol.name === '_') return
  // Private items are included, because other files in the crate can re-export them.
  outline.symbols.push(symbol)
  if (macro !== null ? macro.kind === 'macro' : isPublicItem(item)) {
    outline.exported!.push({ name: symbol.name, local: symbol.name })
  }
}

/** Reads `macro_rules!` with `#[macro_export]`, or a function of a procedural macro crate. */
function macroSymbol(item: RustItem): ApiSymbol | null {
  const { node, file, attributes } = item
  if (node.name === 'MacroDefinition') {
    if (!attributes.some((code) => /^macro_export\b/.test(code))) return null
    const identifier = node.getChild('Identifier')
    const name = identifier === null ? '' : file.textOf(identifier)
    return symbolOf(item, { kind: 'macro', name, signature: macroSignature(name, item) })
  }
  const kind = attributes
    .map((code) => /^proc_macro(?:_(attribute|derive))?\b/.exec(code))
    .find(Boolean)
  if (!kind || node.name !== 'FunctionItem') return null
  const derive = attributes
    .map((code) => /^proc_macro_derive\s*\(\s*(\w+)/.exec(code)?.[1])
    .find(Boolean)
  const name = derive ?? nameOf(item)
  const signature =
    kind[1] === 'derive'
      ? `#[derive(${name})]`
      : kind[1] === 'attribute'
        ? `#[${name}]`
        : `${name}!(…)`
  return symbolOf(item, { kind: 'macro', name, signature })
}

const mostRules = 12

function macroSignature(name: string, { node, file }: RustItem): string {
  const rules = node.getChildren('MacroRule').map((rule) => {
    const pattern = rule.firstChild
    return `    ${pattern === null ? '' : truncateCode(file.textOf(pattern))} => { … };\n`
  })
  const more = rules.length > mostRules ? '    …\n' : ''
  return `macro_rules! ${name} {\n${rules.slice(0, mostRules).join('')}${more}}`
}

type Declared = Pick<ApiSymbol, 'kind' | 'name' | 'signature'> & {
  members?: ApiSymbol[]
  bases?: string[]
}

function symbolOf(item: RustItem, declared: Declared): ApiSymbol {
  return {
    qualifiedName: declared.name,
    documentation: item.documentation,
    line: item.file.lineOf(item.node),
    members: [],
    deprecated: item.deprecated,
    since: null,
    ...declared,
  }
}

function itemSymbol(item: RustItem): ApiSymbol | null {
  const name = nameOf(item)
  const read = readers[item.node.name]
  return read === undefined ? null : symbolOf(item, { name, ...read(item) })
}

type Reader = (item: RustItem) => Pick<Declared, 'kind' | 'signature' | 'members' | 'bases'>

const readers: Record<string, Reader> = {
  FunctionItem: (item) => ({ kind: 'function', signature: functionSignature(item) }),
  StructItem: structSymbol,
  UnionItem: structSymbol,
  EnumItem: (item) => ({
    kind: 'enum',
    signature: headOf(item, ['EnumVariantList']),
    members: variantsOf(item),
    bases: item.derives,
  }),
  TraitItem(item) {
    const list = item.node.getChild('DeclarationList')
    const bounds = item.node.getChild('TraitBounds')
    return {
      kind: 'interface',
      signature: headOf(item, ['DeclarationList']),
      members: list === null ? [] : membersOf(itemsOf(list, item.file, parsePart)),
      bases: bounds === null ? [] : traitNames(item.file.textOf(bounds)),
    }
  },
  ConstItem: (item) => ({ kind: 'value', signature: codeOf(item) }),
  StaticItem: (item) => ({ kind: 'value', signature: codeOf(item) }),
  TypeItem: (item) => ({ kind: 'type', signature: codeOf(item, 600) }),
  AssociatedType: (item) => ({ kind: 'type', signature: codeOf(item, 600) }),
  DeclarativeMacroItem: (item) => ({ kind: 'macro', signature: headOf(item, ['BracedTokens']) }),
}

/** Returns the names in bounds such as `: Clone + 'static + Into<u8>`. */
function traitNames(bounds: string): string[] {
  return [
    ...bounds.replace(/<[^>]*>/g, '').matchAll(/(?:^|[:+])\s*(?:\w+::)*(\w+)\s*(?=[+]|$)/g),
  ].map(([, name]) => name!)
}

/** Returns the text of an item before its body. */
function headOf({ node, file }: RustItem, bodies: readonly string[]): string {
  const body = childrenOf(node).find(({ name }) => bodies.includes(name))
  return plainCode(file.textOf({ from: node.from, to: body?.from ?? node.to }))
}

function codeOf({ node, file }: RustItem, most = 200): string {
  return truncateCode(plainCode(file.textOf(node)), most)
}

/** Returns code on one line, without comments, attributes or the final semicolon. */
function plainCode(code: string): string {
  const bare = /\/[/*]/.test(code)
    ? code.replace(/"(?:[^"\\]|\\.)*"|\/\/.*$|\/\*[^]*?\*\//gm, (it) => (it[0] === '/' ? ' ' : it))
    : code
  return onOneLine(bare)
    .replace(/[;,]$/, '')
    .replace(/, *(?=[)>\]])/g, '')
}

function functionSignature({ node, file }: RustItem): string {
  const { textOf } = file
  const list = node.getChild('ParamList')
  const end = node.getChild('Block')?.from ?? node.to
  if (list === null) return plainCode(textOf({ from: node.from, to: end }))
  const head = plainCode(textOf({ from: node.from, to: list.from }))
  const tail = plainCode(textOf({ from: list.to, to: end }))
  const parameters = list
    .getChildren('Parameter')
    .concat(list.getChildren('SelfParameter'))
    .toSorted((a, b) => a.from - b.from)
  const texts = parameters.map((it) => plainCode(textOf(it)))
  return formatBracketedList(head, texts, tail === '' ? '' : ` ${tail}`)
}

function structSymbol(item: RustItem): ReturnType<Reader> {
  const { node, file } = item
  const fields = node.getChild('FieldDeclarationList')
  const tuple = node.getChild('OrderedFieldDeclarationList')
  const head = headOf(item, ['FieldDeclarationList', 'OrderedFieldDeclarationList'])
  const where = node.getChild('WhereClause')
  const isBehind = where !== null && tuple !== null && where.from > tuple.from
  const ending = isBehind ? ` ${plainCode(file.textOf(where))}` : ''
  return {
    kind: 'class',
    signature: tuple === null ? head : `${head}${tupleCode(tuple, file)}${ending}`,
    members: fields === null ? [] : fieldsOf(fields, file, false),
    bases: item.derives,
  }
}

/** Returns the fields of a tuple, such as `(pub u32, _)`, with `_` for private fields. */
function tupleCode(list: SyntaxNode, { textOf }: RustFile): string {
  const parts: string[] = []
  let start: number | null = null
  for (const node of childrenOf(list)) {
    const isEnd = node.name === ',' || node.name === ')'
    if (isEnd && start !== null) {
      const code = plainCode(textOf({ from: start, to: node.from }))
      parts.push(/^pub /.test(code) ? code : '_')
      start = null
    } else if (!isEnd && node.name !== '(' && !/Comment$|^Attribute/.test(node.name)) {
      start ??= node.from
    }
  }
  return `(${parts.join(', ')})`
}

function fieldsOf(list: SyntaxNode, file: RustFile, isVariant: boolean): ApiSymbol[] {
  return itemsOf(list, file, parsePart).flatMap((item) => {
    const name = item.node.getChild('FieldIdentifier')
    if (name === null || (!isVariant && !isPublicItem(item))) return []
    const signature = codeOf(item).replace(/^pub /, '')
    return [symbolOf(item, { kind: 'value', name: nameIn(name, file), signature })]
  })
}

function variantsOf({ node, file }: RustItem): ApiSymbol[] {
  const list = node.getChild('EnumVariantList')
  if (list === null) return []
  return itemsOf(list, file, parsePart).flatMap((item) => {
    const name = item.node.getChild('Identifier')
    if (name === null) return []
    const fields = item.node.getChild('FieldDeclarationList')
    const own = fields === null ? [] : fieldsOf(fields, file, true)
    const described = own.filter(({ documentation }) => documentation !== '')
    const list = described.map((it) => `- \`${it.signature}\`: ${onOneLine(it.documentation)}`)
    const code =
      fields === null
        ? codeOf(item)
        : `${file.textOf(name)} { ${own.map((it) => it.signature).join(', ')} }`
    const symbol = symbolOf(item, { kind: 'value', name: nameIn(name, file), signature: code })
    if (list.length > 0)
      symbol.documentation = `${symbol.documentation}\n\n${list.join('\n')}`.trim()
    return [symbol]
  })
}

/** Returns the members of a trait or `impl` block. Functions become methods. */
function membersOf(items: RustItem[]): ApiSymbol[] {
  return items.flatMap((item) => {
    const symbol = itemSymbol(item)
    if (symbol === null) return []
    return [symbol.kind === 'function' ? { ...symbol, kind: 'method' as const } : symbol]
  })
}

/** Reads the public members of an `impl` block and the name of its trait. */
function implementationOf({ node, file, attributes }: RustItem): Implementation[] {
  const list = node.getChild('DeclarationList')
  const head = file.textOf({ from: node.from, to: list?.from ?? node.to })
  const types = childrenOf(node).filter(({ name }) => /Type$|TypeIdentifier$/.test(name))
  const isOfTrait = node.getChild('for') !== null
  const type = types.at(-1)
  if (type === undefined || /^\s*(?:unsafe\s+)?impl\s*(?:<.*>)?\s*!/s.test(head)) return []
  const typePath = pathOf(file.textOf(type))
  if (isOfTrait) {
    const trait = types.length > 1 ? pathOf(file.textOf(types[0]!)) : ''
    return trait === '' ? [] : [{ type: typePath, trait, members: [] }]
  }
  const note = featureNote(attributes)
  const items = list === null ? [] : itemsOf(list, file, parsePart).filter(isPublicItem)
  const members = membersOf(items).map((it) =>
    note === '' ? it : { ...it, documentation: `${it.documentation}\n\n${note}`.trim() },
  )
  return [{ type: typePath, trait: null, members }]
}

/** Returns `a.b.Lamp` for `a::b::Lamp<'_, T>`. */
function pathOf(type: string): string {
  const bare = onOneLine(type).replace(/<.*$/, '')
  return /^[\w: ]+$/.test(bare) ? bare.replace(/\s*::\s*/g, '.').replace(/^\./, '') : ''
}
