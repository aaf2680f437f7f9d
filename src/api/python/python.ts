import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/python'
import { parseDocstring, type Docstring } from '../docstring/docstring.ts'
import type { ApiSymbol, FileOutline } from '../symbol.ts'
import { childrenOf, lineFinder, onOneLine, truncateCode, type TextOf } from '../syntax.ts'
import {
  parseParameters,
  formatSignature,
  splitDocAnnotation,
  type Parameter,
} from './python-signature.ts'
import {
  bodyNodes,
  leadingDocstring,
  textBeside,
  groupsOf,
  flattenStatements,
  type PythonFile,
  type PythonScope,
} from './python-statement.ts'
import { readExported, readImports, readLazyImports } from './python-import.ts'
import {
  annotatedDoc,
  renderDocstring,
  parseTypeAlias,
  typeText,
  parseVariable,
  variableSymbol,
} from './python-value.ts'

/** Returns the declarations in a Python file or stub. Executes no code. */
export function outlinePython(text: string): FileOutline {
  const textOf: TextOf = ({ from, to }) => text.slice(from, to)
  const tree = parser.parse(text)
  const outline: FileOutline = {
    documentation: '',
    symbols: [],
    references: [],
    exported: null,
    exportedOf: [],
  }
  const file: PythonFile = { textOf, lineOf: lineFinder(text), outline }
  const statements = flattenStatements(tree.topNode)
  outline.documentation = renderDocstring(parseDocstring(leadingDocstring(statements, file)))
  readImports(statements, file)
  readExported(statements, file)
  readLazyImports(statements, file)
  outline.symbols = declarationsOf(statements, { ...file, isClass: false, fieldTypes: null })
  return outline
}

function declarationsOf(statements: SyntaxNode[], scope: PythonScope): ApiSymbol[] {
  const symbols = new Map<string, ApiSymbol>()
  const isOverload = new Set<string>()
  for (const statement of statements) {
    const symbol = symbolOf(statement, scope)
    if (symbol === null) continue
    const { name } = symbol
    const before = symbols.get(name)
    const isOne = /^@(\w+\.)?overload\n/m.test(symbol.signature)
    symbol.signature = symbol.signature.replace(/^@(\w+\.)?overload\n/gm, '')
    if (isOne && symbol.deprecated !== null) {
      symbol.signature = `# deprecated: ${symbol.deprecated}\n${symbol.signature}`
    }
    if (before === undefined || isSetterOf(before, statement, scope)) {
      if (before === undefined) symbols.set(name, symbol)
      if (isOne) isOverload.add(name)
    } else if (isOverload.has(name)) {
      // The signature of the implementation is ignored.
      if (isOne) before.signature += `\n${symbol.signature}`
      else isOverload.delete(name)
      // A name is deprecated only if all its overloads are.
      if (isOne && symbol.deprecated === null) before.deprecated = null
      before.documentation ||= symbol.documentation
    } else if (before.kind === 'value' && symbol.kind !== 'value') symbols.set(name, symbol)
  }
  return [...symbols.values()]
}

function isSetterOf(before: ApiSymbol, statement: SyntaxNode, { textOf }: PythonScope): boolean {
  if (before.kind !== 'property' || statement.name !== 'DecoratedStatement') return false
  return statement.getChildren('Decorator').some((it) => /\.(setter|deleter)\b/.test(textOf(it)))
}

function symbolOf(statement: SyntaxNode, scope: PythonScope): ApiSymbol | null {
  const { name } = statement
  if (name === 'FunctionDefinition') return functionOf(statement, [], scope)
  if (name === 'ClassDefinition') return classOf(statement, [], scope)
  if (name === 'DecoratedStatement') {
    const decorators = statement.getChildren('Decorator').map((it) => scope.textOf(it).trim())
    const inner = statement.lastChild!
    if (inner.name === 'FunctionDefinition') return functionOf(inner, decorators, scope)
    return inner.name === 'ClassDefinition' ? classOf(inner, decorators, scope) : null
  }
  if (name === 'AssignStatement') return parseVariable(statement, scope)
  return name === 'TypeDefinition' ? parseTypeAlias(statement, scope) : null
}

/** Decorators that change how callers use a function. */
const shownDecorators = /^@(classmethod|staticmethod|abstractmethod|(\w+\.)?overload)\b/

function functionOf(node: SyntaxNode, decorators: string[], scope: PythonScope): ApiSymbol | null {
  const { textOf, lineOf, isClass } = scope
  const nameNode = node.getChild('VariableName')
  if (nameNode === null) return null
  const name = textOf(nameNode)
  const isProperty = decorators.some((it) => /^@([\w.]*[._])?(cached_)?property\b/.test(it))
  const doc = parseDocstring(leadingDocstring(bodyNodes(node), scope))
  const isBound = isClass && !decorators.includes('@staticmethod')
  const parameters = parseParameters(node.getChild('ParamList'), textOf).slice(isBound ? 1 : 0)
  const returns = returnTypeOf(node, textOf)
  const shown = decorators
    .filter((it) => shownDecorators.test(it))
    .map((it) => `${it}\n`)
    .join('')
  const head = `${node.getChild('async') ? 'async ' : ''}def ${name}${typeParameters(node, textOf)}`
  const signature = isProperty
    ? `${name}${returns === '' ? '' : `: ${returns}`}`
    : shown + formatSignature(head, parameters, returns === '' ? '' : ` -> ${returns}`)
  return {
    kind: isProperty ? 'property' : isClass ? 'method' : 'function',
    name,
    qualifiedName: name,
    signature,
    documentation: renderDocstring(withParameters(doc, parameters)),
    line: lineOf(node.from),
    members: [],
    deprecated: deprecatedBy(decorators) ?? doc.deprecated,
    since: doc.since,
  }
}

function classOf(node: SyntaxNode, decorators: string[], scope: PythonScope): ApiSymbol | null {
  const { textOf, lineOf } = scope
  const nameNode = node.getChild('VariableName')
  if (nameNode === null) return null
  const name = textOf(nameNode)
  const statements = bodyNodes(node)
  const doc = parseDocstring(leadingDocstring(statements, scope))
  const bases = groupsOf(
    childrenOf(node.getChild('ArgList') ?? node).filter((it) => it.name !== '(' && it.name !== ')'),
  ).map((it) => it.map(textOf).join(''))
  const written = node.getChild('ArgList') ? bases : []
  const attributes = new Map(doc.attributes.map((it) => [it.name, it.text]))
  const inner: PythonScope = { ...scope, isClass: true, fieldTypes: attributes }
  const members = declarationsOf(statements, inner)
  const start =
    members.find((it) => it.name === '__init__') ?? members.find((it) => it.name === '__new__')
  const isEnum = written.some((it) => /(^|\.)\w*(Enum|Flag)$/.test(it))
  // Attributes that are also members must not be documented twice.
  const own = new Set(members.map((it) => it.name))
  const told = { ...doc, attributes: doc.attributes.filter((it) => !own.has(it.name)) }
  const extended = written.length > 0 ? `(${written.map(onOneLine).join(', ')})` : ''
  const head = `class ${name}${typeParameters(node, textOf)}${extended}`
  const shown = decorators
    .filter((it) => /^@([\w.]*\.)?dataclass\b/.test(it))
    .map((it) => `${it}\n`)
  const documentation = [renderDocstring(told), startDocumentation(start)].filter((it) => it !== '')
  return {
    kind: isEnum ? 'enum' : 'class',
    name,
    qualifiedName: name,
    signature: shown.join('') + [head, ...callsOf(name, start)].join('\n'),
    documentation: documentation.join('\n\n'),
    line: lineOf(node.from),
    members: [...members, ...assignedOf(start, { node, members, scope: inner })].filter(
      (it) => it !== start,
    ),
    deprecated: deprecatedBy(decorators) ?? doc.deprecated,
    since: doc.since,
    bases: written.map((it) => it.replace(/\[.*$/s, '')).filter((it) => /^[\w.]+$/.test(it)),
  }
}

/**
 * Returns the signatures of `__init__` as constructor calls, without `self` and the return type.
 */
function callsOf(name: string, start: ApiSymbol | undefined): string[] {
  if (start === undefined) return []
  const call = start.signature
    .replace(/^def __(init|new)__(\[.*?\])?\(/gm, `${name}(`)
    .replace(/ -> [^()\n]*$/gm, '')
  return [call]
}

/** Returns the documentation of `__init__`, which becomes part of the class documentation. */
function startDocumentation(start: ApiSymbol | undefined): string {
  return start?.documentation ?? ''
}

type Created = { node: SyntaxNode; members: ApiSymbol[]; scope: PythonScope }

/** Returns the attributes assigned in `__init__` that have documentation or are in `__slots__`. */
function assignedOf(start: ApiSymbol | undefined, { node, members, scope }: Created): ApiSymbol[] {
  if (start === undefined) return []
  const { textOf, lineOf } = scope
  const definition = bodyNodes(node)
    .map((it) => (it.name === 'DecoratedStatement' ? it.lastChild! : it))
    .find((it) => it.name === 'FunctionDefinition' && lineOf(it.from) === start.line)
  const statements = definition === undefined ? [] : bodyNodes(definition)
  const own = new Set(members.map((it) => it.name))
  const slots = slotNames(node, textOf)
  return statements.flatMap((statement): ApiSymbol[] => {
    const target = statement.name === 'AssignStatement' ? statement.firstChild : null
    const name = target === null ? undefined : /^self\.(\w+)$/.exec(textOf(target))?.[1]
    if (name === undefined || own.has(name)) return []
    const doc = textBeside(statement, scope) ?? annotatedDoc(statement, textOf)
    if (doc === null && !slots.has(name)) return []
    own.add(name)
    const type = typeText(statement, textOf)
    return [
      variableSymbol(name, {
        signature: type === '' ? name : `${name}: ${type}`,
        doc: doc ?? '',
        line: lineOf(statement.from),
      }),
    ]
  })
}

/** Returns the public names in `__slots__`, such as `["wick", "oil"]`. */
function slotNames(node: SyntaxNode, textOf: TextOf): Set<string> {
  const slots = bodyNodes(node).find(
    (it) => it.firstChild !== null && textOf(it.firstChild) === '__slots__',
  )
  const strings = slots === undefined ? [] : textOf(slots).matchAll(/["']([a-z]\w*)["']/gi)
  return new Set([...strings].map(([, name]) => name!))
}

function returnTypeOf(node: SyntaxNode, textOf: TextOf): string {
  const type = node.getChild('TypeDef')
  return type === null ? '' : splitDocAnnotation(type, textOf).code.replace(/^->\s*/, '')
}

function typeParameters(node: SyntaxNode, textOf: TextOf): string {
  const list = node.getChild('TypeParamList')
  return list === null ? '' : onOneLine(textOf(list))
}

/** Adds documentation from annotations to the docstring. */
function withParameters(doc: Docstring, parameters: readonly Parameter[]): Docstring {
  const byName = new Map(doc.parameters.map((item) => [item.name.replace(/^\*+/, ''), item]))
  for (const { name, type, doc: text } of parameters) {
    const item = byName.get(name)
    if (item !== undefined) item.type ||= truncateCode(type, 60)
    else if (text !== null) {
      const { text: told } = parseDocstring(text)
      doc.parameters.push({ name, type: truncateCode(type, 60), text: told })
    }
  }
  return doc
}

function deprecatedBy(decorators: readonly string[]): string | null {
  const decorator = decorators.find((it) => /^@([\w.]*\.)?deprecated\b/.test(it))
  if (decorator === undefined) return null
  const quoted = /\(\s*((?:[rbu]?(?:"[^"]*"|'[^']*')\s*)+)/i.exec(decorator)?.[1]
  const text =
    quoted
      ?.match(/"[^"]*"|'[^']*'/g)
      ?.map((it) => it.slice(1, -1))
      .join('') ?? ''
  return onOneLine(text)
}
