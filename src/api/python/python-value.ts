import type { SyntaxNode } from '@lezer/common'
import { parseDocstring, renderSections, type Docstring } from '../docstring/docstring.ts'
import type { ApiSymbol } from '../symbol.ts'
import { childrenOf, onOneLine, truncateCode, type TextOf } from '../syntax.ts'
import { splitDocAnnotation } from './python-signature.ts'
import { groupsOf, textBeside, type PythonScope } from './python-statement.ts'
import { parseStringLiteral } from './python-string.ts'

export function parseVariable(statement: SyntaxNode, scope: PythonScope): ApiSymbol | null {
  const { textOf, lineOf, isClass, fieldTypes } = scope
  const target = statement.firstChild
  if (target === null || target.name !== 'VariableName') return null
  const name = textOf(target)
  // Some modules define their own `TYPE_CHECKING`.
  if (name === 'TYPE_CHECKING' || (isClass && /^__\w+__$/.test(name))) return null
  const type = typeText(statement, textOf)
  const written = assignedText(statement, textOf)
  const isListed = scope.outline.exported?.some((it) => it.name === name) ?? false
  if (!isClass && !isListed && typeVariable.test(written)) return null
  const isAlias = /(^|\.)TypeAlias$/.test(type)
  const call = statement.lastChild!
  const isUnion = /^\(?(?:(?:\w+\.)?(?:Literal|Union)\[|[\w.]+ \| )/.test(onOneLine(written))
  const most = isAlias || isUnion ? mostAliasCode : undefined
  const shown = isClass ? fieldValue(written, { call, textOf }) : truncateCode(written, most)
  const signature = `${name}${type === '' ? '' : `: ${type}`}${shown === '' ? '' : ` = ${shown}`}`
  const doc =
    textBeside(statement, scope) ??
    fieldDescription(written) ??
    annotatedDoc(statement, textOf) ??
    fieldTypes?.get(name) ??
    ''
  const symbol = variableSymbol(name, { signature, doc, line: lineOf(statement.from) })
  return isAlias ? { ...symbol, kind: 'type' } : symbol
}

/** Maximum length of a type definition, which can list all possible values. */
const mostAliasCode = 800

/** Type variables are used only in a module's own signatures. */
const typeVariable = /^(?:\w+\.)?(?:TypeVar|TypeVarTuple|ParamSpec)\(/

/** Returns the text after the last `=`; '' for tuple unpacking such as `a, b = 1, 2`. */
function assignedText(statement: SyntaxNode, textOf: TextOf): string {
  const operator = statement.getChildren('AssignOp').at(-1)
  if (operator === undefined || statement.firstChild?.nextSibling?.name === ',') return ''
  return textOf({ from: operator.to, to: statement.to }).trim()
}

export function parseTypeAlias(statement: SyntaxNode, scope: PythonScope): ApiSymbol | null {
  const name = statement.getChild('VariableName')
  if (name === null) return null
  const symbol = variableSymbol(scope.textOf(name), {
    signature: truncateCode(scope.textOf(statement), mostAliasCode),
    doc: textBeside(statement, scope) ?? '',
    line: scope.lineOf(statement.from),
  })
  return { ...symbol, kind: 'type' }
}

type Value = { signature: string; doc: string; line: number }

export function variableSymbol(name: string, { signature, doc, line }: Value): ApiSymbol {
  const parsed = parseDocstring(doc)
  return {
    kind: 'value',
    name,
    qualifiedName: name,
    signature,
    documentation: renderDocstring(parsed),
    line,
    members: [],
    deprecated: parsed.deprecated,
    since: parsed.since,
  }
}

/**
 * Returns the default of a field in attrs, dataclasses or pydantic, such as `1` for
 * `field(default=1, converter=int)`. A call with more arguments keeps the public ones.
 */
function fieldValue(written: string, { call, textOf }: { call: SyntaxNode; textOf: TextOf }) {
  if (!fieldCall.test(written)) return truncateCode(written)
  const list = call.getChild('ArgList')
  const nodes = list === null ? [] : childrenOf(list).filter(({ name }) => !/^[()]$/.test(name))
  const all = groupsOf(nodes).map((it) => textOf({ from: it[0]!.from, to: it.at(-1)!.to }))
  const isInternal = (it: string) => internalArguments.has(/^\w*/.exec(it)![0])
  const args = all.map(onOneLine).filter((it) => !isInternal(it))
  const [, name, value] =
    /^(default|default_factory|factory)\s*=\s*(.*)$/s.exec(args[0] ?? '') ?? []
  if (args.length === 0) return ''
  if (args.length > 1 || name === undefined) {
    return truncateCode(`${written.slice(0, written.indexOf('('))}(${args.join(', ')})`)
  }
  return truncateCode(name === 'default' ? value! : `${value}()`)
}

const fieldCall = /^(\w+\.)?(Field|field|attrib|ib)\(/
/** Arguments of a field that are irrelevant to callers or already in its documentation. */
const internalArguments = new Set(
  (
    'description title examples converter validator kw_only repr eq order hash compare metadata ' +
    'on_setattr'
  ).split(' '),
)

function fieldDescription(written: string): string | null {
  if (!fieldCall.test(written)) return null
  const quoted = /[(,\s]description=("[^"\\]*"|'[^'\\]*')/.exec(written)?.[1]
  return quoted === undefined ? null : parseStringLiteral(quoted)
}

/** Returns the text in `Annotated[…, Doc("…")]`, or null. */
export function annotatedDoc(statement: SyntaxNode, textOf: TextOf): string | null {
  const type = statement.getChild('TypeDef')
  return type === null ? null : splitDocAnnotation(type, textOf).doc
}

export function typeText(statement: SyntaxNode, textOf: TextOf): string {
  const type = statement.getChild('TypeDef')
  return type === null ? '' : splitDocAnnotation(type, textOf).code.replace(/^:\s*/, '')
}

export function renderDocstring(doc: Docstring): string {
  return [doc.text, renderSections(doc)].filter((part) => part !== '').join('\n\n')
}
