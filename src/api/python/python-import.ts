import type { SyntaxNode } from '@lezer/common'
import type { Reference } from '../symbol.ts'
import { childrenOf, type TextOf } from '../syntax.ts'
import { groupsOf, type PythonFile } from './python-statement.ts'
import { parseStringLiteral } from './python-string.ts'

export function readImports(statements: readonly SyntaxNode[], file: PythonFile): void {
  for (const statement of statements) {
    if (statement.name !== 'ImportStatement') continue
    const references = importsOf(statement, file)
    const isForTypes = isForTypeCheckers(statement, file.textOf)
    file.outline.references.push(
      ...(isForTypes ? references.map((it) => ({ ...it, isForTypes })) : references),
    )
  }
}

function isForTypeCheckers(statement: SyntaxNode, textOf: TextOf): boolean {
  const body = statement.parent
  const condition = body?.prevSibling
  const isFirst = condition?.prevSibling?.name === 'if'
  return isFirst && /^(?:\w+\.)?TYPE_CHECKING$/.test(textOf(condition))
}

/** Reads `import a.b as c` and `from .a import b as c, d`. */
function importsOf(statement: SyntaxNode, { textOf }: PythonFile): Reference[] {
  const parts = childrenOf(statement).filter(({ name }) => !['(', ')', 'Comment'].includes(name))
  const split = parts.findIndex(({ name }) => name === 'import')
  const written = (nodes: SyntaxNode[]) => nodes.map(textOf).join('')
  const isFrom = parts[0]?.name === 'from'
  const names = groupsOf(parts.slice(split + 1))
  if (!isFrom) {
    return names.map((group) => {
      const as = group.findIndex(({ name }) => name === 'as')
      const module = written(as < 0 ? group : group.slice(0, as))
      const name = as < 0 ? module.split('.')[0]! : written(group.slice(as + 1))
      return { name, module, original: null, isPassedOn: false }
    })
  }
  const module = written(parts.slice(1, split))
  return names.map((group) => {
    const as = group.findIndex(({ name }) => name === 'as')
    const original = written(as < 0 ? group : group.slice(0, as))
    const name = as < 0 ? original : written(group.slice(as + 1))
    // `__all__` of a module stands for all its names.
    if (original === '__all__') return { name, module, original: null, isPassedOn: false }
    return { name, module, original, isPassedOn: as >= 0 && name === original }
  })
}

/** Reads assignments to `__all__`, and `+=`, `append` and `extend` on it. */
export function readExported(statements: readonly SyntaxNode[], file: PythonFile): void {
  const { textOf, outline } = file
  const variables = new Map<string, SyntaxNode>()
  for (const statement of statements) {
    const target = statement.firstChild
    if (target?.name === 'VariableName' && statement.name === 'AssignStatement')
      variables.set(textOf(target), statement)
    const isCall = statement.name === 'ExpressionStatement' && target?.name === 'CallExpression'
    const [head, ...values] = childrenOf(isCall ? target : statement)
    if (head === undefined || !/^__all__(\.(append|extend))?$/.test(textOf(head))) continue
    const reading = { ...file, variables, names: [] as string[] }
    const before = outline.exportedOf.length
    for (const value of values) readNames(value, reading)
    // The list is computed from other names, as in `[it for it in dir()]`.
    const isUnknown = reading.names.length === 0 && outline.exportedOf.length === before
    const isEmpty = values.some((it) => /^(?:\[\s*\]|\(\s*\))$/.test(textOf(it)))
    if (isUnknown && !isEmpty) continue
    outline.exported ??= []
    outline.exported.push(...reading.names.map((name) => ({ name, local: name })))
  }
}

type Listing = PythonFile & {
  /** The last assignment of each variable so far. */
  variables: ReadonlyMap<string, SyntaxNode>
  names: string[]
}

/**
 * Adds the strings of a list, the keys of a dictionary, the strings of a variable, and modules
 * whose `__all__` is included.
 */
function readNames(value: SyntaxNode, { variables, ...listing }: Listing): void {
  const { textOf, outline, names } = listing
  value.cursor().iterate(({ name: kind, node }) => {
    // A comprehension computes names from its strings.
    if (node.getChild('for') !== null) return false
    const text = kind === 'String' || /Name$|^MemberExpression$/.test(kind) ? textOf(node) : ''
    if (kind === 'String' && !isValueOfKey(node)) {
      const name = parseStringLiteral(text)
      if (name !== null) names.push(name)
    }
    if (kind === 'MemberExpression') {
      const other = /^(.*)\.__all__$/.exec(text)?.[1]
      if (other) outline.exportedOf.push(other)
      return !other
    }
    if (kind !== 'VariableName') return true
    const variable = text === '__all__' ? undefined : variables.get(text)
    if (variable) readNames(variable, { ...listing, variables: new Map() })
    else if (outline.references.some((it) => it.name === text && it.original === null))
      outline.exportedOf.push(text)
    return true
  })
}

function isValueOfKey(node: SyntaxNode): boolean {
  for (let child = node, { parent } = node; parent !== null; child = parent, { parent } = parent)
    if (parent.name === 'DictionaryExpression') return child.prevSibling?.name === ':'
  return false
}

/**
 * Adds lazily imported names (PEP 562): the imports in `__getattr__`, and dictionaries such as
 * `{"Wick": ".wick"}`, `{"Wick": (".wick", "CoreWick")}` and `{"wick": ["Wick"]}`.
 */
export function readLazyImports(statements: readonly SyntaxNode[], file: PythonFile): void {
  const { textOf, outline } = file
  const isGetter = (node: SyntaxNode) =>
    node.name === 'FunctionDefinition' &&
    textOf(node.getChild('VariableName') ?? node) === '__getattr__'
  const getter = statements.find(isGetter)
  const isAttached = (node: SyntaxNode) => /\battach\(/.test(textOf(node).slice(0, 200))
  const attached = statements.filter((it) => it.name === 'AssignStatement' && isAttached(it))
  if (getter === undefined && attached.length === 0) return
  const inner: SyntaxNode[] = []
  getter?.cursor().iterate(({ name, node }) => {
    if (name === 'ImportStatement') inner.push(node)
  })
  readImports(inner, file)
  const listed = new Set(outline.exported?.map(({ name }) => name))
  const sources = getter === undefined ? attached : statements
  for (const statement of sources.filter((it) => it.name === 'AssignStatement')) {
    statement.cursor().iterate(({ name, node }) => {
      if (name === 'DictionaryExpression') outline.references.push(...lazyNames(node, file, listed))
      return name !== 'FunctionDefinition'
    })
  }
}

function lazyNames(
  dictionary: SyntaxNode,
  { textOf }: PythonFile,
  listed: ReadonlySet<string>,
): Reference[] {
  const items = childrenOf(dictionary).filter(({ name }) => !/^(?:[{}]|Comment)$/.test(name))
  return groupsOf(items).flatMap(([keyNode, , value]): Reference[] => {
    const key = keyNode?.name === 'String' ? parseStringLiteral(textOf(keyNode)) : null
    if (key === null || value === undefined) return []
    const parts = value.name === 'String' ? [value] : value.getChildren('String')
    const texts = parts.map((it) => parseStringLiteral(textOf(it)) ?? '')
    const [first = '', second = key] = texts
    if (texts.length === 0) return []
    if (value.name === 'ArrayExpression')
      return texts.flatMap((name) => lazyReferences(name, key, name))
    const [module = '', original = second] = first.split(':')
    // A single word can also be the replacement for a deprecated name.
    const isModule = /[.:]/.test(first) || parts.length > 1
    return isModule || listed.has(key) ? lazyReferences(key, module, original) : []
  })
}

/** In most packages, the module of a lazy import is relative even without a dot. */
function lazyReferences(name: string, module: string, original: string): Reference[] {
  const plain = { name, original, isPassedOn: false }
  return module.startsWith('.')
    ? [{ ...plain, module }]
    : [
        { ...plain, module: `.${module}` },
        { ...plain, module },
      ]
}
