import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/java'
import { renderSections, type Docstring } from '../docstring/docstring.ts'
import { mergeOverloads } from '../overload.ts'
import type { ApiSymbol, FileOutline, SymbolKind } from '../symbol.ts'
import {
  codeWithoutComments,
  formatBracketedList,
  childrenOf,
  lineFinder,
  onOneLine,
  truncateCode,
  type TextOf,
} from '../syntax.ts'
import { parseJavadoc } from './javadoc.ts'

/**
 * The types of a Java file, with their public and protected members; `exported` lists the public
 * types.
 */
export function outlineJava(text: string): FileOutline {
  const lineOf = lineFinder(text)
  const file: JavaFile = {
    textOf: ({ from, to }) => text.slice(from, to),
    lineOf: ({ from }) => lineOf(from),
  }
  const outline: FileOutline & { exported: Exported } = {
    documentation: '',
    symbols: [],
    references: [],
    exported: [],
    exportedOf: [],
  }
  const { topNode } = parser.parse(withoutKeywords(text))
  for (const { node, comment } of commented(topNode, file)) {
    if (node.name === 'PackageDeclaration') {
      const name = node.getChild('ScopedIdentifier') ?? node.getChild('Identifier')
      outline.packageName = name === null ? '' : onOneLine(file.textOf(name))
      outline.documentation = rendered(comment)
    } else if (types[node.name] !== undefined) {
      const symbols = typeSymbol({ node, comment }, file, 0)
      // Public classes may inherit from classes that are visible only in their package.
      outline.symbols.push(...symbols)
      if (!isVisible(node, false)) continue
      outline.exported.push(...symbols.map(({ name }) => ({ name, local: name })))
    }
  }
  return outline
}

/**
 * Replaces names that the grammar would read as keywords: words of module descriptions, which it
 * accepts everywhere, and `class` in `Lamp.class`. Offsets stay the same.
 */
function withoutKeywords(text: string): string {
  // Closes an open comment, because the parser would search for its end at each mark inside.
  const closed = text.lastIndexOf('/*') > text.lastIndexOf('*/') ? `${text}*/` : text
  return closed
    .replace(/\.(\s*)class\b/g, '.$1clasz')
    .replace(/\b(?:with|to|opens?|exports|requires|uses|provides|transitive|module)\b/g, masked)
    .replace(/\b(?:record|sealed|permits|yield)(?=\s*[(=;.,):])/g, masked)
}

function masked(word: string): string {
  return `_${word.slice(1)}`
}

type Exported = { name: string; local: string }[]
type JavaFile = { textOf: TextOf; lineOf(node: { from: number }): number }
type Commented = { node: SyntaxNode; comment: Docstring }

/** Each declaration of a body, with the documentation comment before it. */
function commented(body: SyntaxNode, { textOf }: JavaFile): Commented[] {
  const nodes: Commented[] = []
  let comment = ''
  for (const node of childrenOf(body)) {
    const text = /Comment$/.test(node.name) ? textOf(node) : null
    if (text?.startsWith('/**')) comment = text
    else if (text?.startsWith('///')) comment += comment.startsWith('///') ? `\n${text}` : text
    else if (text === null && node.name !== ',') {
      nodes.push({ node, comment: parseJavadoc(comment) })
      comment = ''
    }
  }
  return nodes
}

function rendered(doc: Docstring): string {
  return [doc.text, renderSections(doc)].filter((part) => part !== '').join('\n\n')
}

/** Whether other packages can see a declaration; members of interfaces are public. */
function isVisible(node: SyntaxNode, isOfInterface: boolean): boolean {
  const modifiers = node.getChild('Modifiers')
  if (modifiers === null) return isOfInterface
  const has = (name: string) => modifiers.getChild(name) !== null
  return has('public') || has('protected') || (isOfInterface && !has('private'))
}

const types: Record<string, { kind: SymbolKind; body: string }> = {
  ClassDeclaration: { kind: 'class', body: 'ClassBody' },
  RecordDeclaration: { kind: 'class', body: 'RecordBody' },
  InterfaceDeclaration: { kind: 'interface', body: 'InterfaceBody' },
  AnnotationTypeDeclaration: { kind: 'interface', body: 'AnnotationTypeBody' },
  EnumDeclaration: { kind: 'enum', body: 'EnumBody' },
}

/** Types nested too deeply are omitted. */
const deepest = 20

function nameOf(node: SyntaxNode, { textOf }: JavaFile): string {
  const name = node.getChild('Definition') ?? node.getChild('Identifier')
  return name === null ? '' : textOf(name)
}

function typeSymbol({ node, comment }: Commented, file: JavaFile, depth: number): ApiSymbol[] {
  const { kind, body } = types[node.name]!
  const name = nameOf(node, file)
  if (name === '' || depth > deepest) return []
  const block = node.getChild(body)
  const header = node.getChild('RecordHeader')
  const end = block?.from ?? node.to
  const signature =
    header === null
      ? declarationCode(node, end, file)
      : formatBracketedList(
          declarationCode(node, header.from, file),
          header.getChildren('RecordComponent').map((it) => parameterCode(it, file)),
          tailCode({ from: header.to, to: end }, file),
        )
  const components = header === null ? [] : componentsOf(header, comment, file)
  const isOfInterface = kind === 'interface'
  const inner = block === null ? [] : bodyMembers(block, file)
  const members = inner.flatMap((it) => memberSymbols(it, { file, isOfInterface, depth }))
  const bases = ['Superclass', 'SuperInterfaces', 'ExtendsInterfaces'].flatMap((part) => {
    const clause = node.getChild(part)
    return clause === null ? [] : typeNames(clause, file)
  })
  const all = mergeOverloads([...components, ...members])
  return [
    {
      ...symbolOf({ node, comment }, file),
      kind,
      name,
      qualifiedName: name,
      signature,
      members: all,
      bases,
    },
  ]
}

/** The declarations in a body; in an enumeration, they follow the constants. */
function bodyMembers(block: SyntaxNode, file: JavaFile): Commented[] {
  return commented(block, file).flatMap((it) =>
    it.node.name === 'EnumBodyDeclarations' ? commented(it.node, file) : [it],
  )
}

/** The names of the types in an `extends` or `implements` clause, without type arguments. */
function typeNames(clause: SyntaxNode, { textOf }: JavaFile): string[] {
  const list = clause.getChild('InterfaceTypeList') ?? clause
  return childrenOf(list)
    .filter(({ name }) => /Type(Name)?$/.test(name))
    .map((it) => onOneLine(textOf(it)).replace(/<.*$/, ''))
}

type Declared = Pick<ApiSymbol, 'documentation' | 'deprecated' | 'since' | 'line'>

function symbolOf({ node, comment }: Commented, { textOf, lineOf }: JavaFile): Declared {
  const modifiers = node.getChild('Modifiers')
  const isDeprecated = modifiers !== null && /@Deprecated\b/.test(textOf(modifiers))
  return {
    documentation: rendered(comment),
    deprecated: comment.deprecated ?? (isDeprecated ? '' : null),
    since: comment.since,
    line: lineOf(node.getChild('Definition') ?? node),
  }
}

type Scope = { file: JavaFile; isOfInterface: boolean; depth: number }

function memberSymbols(it: Commented, { file, isOfInterface, depth }: Scope): ApiSymbol[] {
  const { node } = it
  if (node.name === 'EnumConstant') {
    const name = nameOf(node, file)
    return [
      {
        ...symbolOf(it, file),
        kind: 'value',
        name,
        qualifiedName: name,
        signature: name,
        members: [],
      },
    ]
  }
  if (!isVisible(node, isOfInterface)) return []
  if (types[node.name] !== undefined) return typeSymbol(it, file, depth + 1)
  if (/^(Field|Constant)Declaration$/.test(node.name)) return fieldSymbols(it, file)
  if (!/^(Method|Constructor|AnnotationTypeElement)Declaration$/.test(node.name)) return []
  const name = nameOf(node, file)
  const signature = methodSignature(node, file)
  return [
    { ...symbolOf(it, file), kind: 'method', name, qualifiedName: name, signature, members: [] },
  ]
}

function fieldSymbols(it: Commented, file: JavaFile): ApiSymbol[] {
  const { node } = it
  const declarators = node.getChildren('VariableDeclarator')
  const [first] = declarators
  if (first === undefined) return []
  const head = declarationCode(node, first.from, file)
  return declarators.map((declarator) => {
    const name = nameOf(declarator, file)
    const signature = truncateCode(`${head} ${codeWithoutComments(file.textOf(declarator))}`)
    return {
      ...symbolOf(it, file),
      kind: 'value',
      name,
      qualifiedName: name,
      signature,
      members: [],
    }
  })
}

/** The components of a record, which are described by its `@param` tags. */
function componentsOf(header: SyntaxNode, comment: Docstring, file: JavaFile): ApiSymbol[] {
  return header.getChildren('RecordComponent').map((node) => {
    const name = nameOf(node, file)
    const documentation = comment.parameters.find((it) => it.name === name)?.text ?? ''
    return {
      kind: 'value',
      name,
      qualifiedName: name,
      signature: parameterCode(node, file),
      documentation,
      line: file.lineOf(node),
      members: [],
      deprecated: null,
      since: null,
    }
  })
}

function methodSignature(node: SyntaxNode, file: JavaFile): string {
  const list = node.getChild('FormalParameters')
  const body = node.getChild('Block') ?? node.getChild('ConstructorBody')
  const end = body?.from ?? node.to
  if (list === null) return declarationCode(node, end, file)
  const parameters = childrenOf(list)
    .filter(({ name }) => /Parameter$/.test(name))
    .map((it) => parameterCode(it, file))
  const head = declarationCode(node, list.from, file)
  return formatBracketedList(head, parameters, tailCode({ from: list.to, to: end }, file))
}

function tailCode(range: { from: number; to: number }, { textOf }: JavaFile): string {
  const tail = codeWithoutComments(textOf(range))
  return tail === '' ? '' : ` ${tail}`
}

/** Annotations that restrict values or mark an unstable API. */
const shownAnnotation = new RegExp(
  String.raw`^@(?:[\w.]*\.)?(?:Nullable|CheckForNull|NonNull|Nonnull|NotNull|FunctionalInterface` +
    '|Beta|Experimental|Incubating|Internal)$',
)

/** The text of a declaration up to an offset, without most annotations. */
function declarationCode(node: SyntaxNode, end: number, { textOf }: JavaFile): string {
  const modifiers = node.getChild('Modifiers')
  if (modifiers === null) return codeWithoutComments(textOf({ from: node.from, to: end }))
  const words = childrenOf(modifiers)
    .filter(({ name }) => !/Comment$/.test(name))
    .map((it) => onOneLine(textOf(it)))
    .filter((word) => !word.startsWith('@') || shownAnnotation.test(word))
  return [...words, codeWithoutComments(textOf({ from: modifiers.to, to: end }))].join(' ').trim()
}

function parameterCode(node: SyntaxNode, file: JavaFile): string {
  return declarationCode(node, node.to, file)
}
