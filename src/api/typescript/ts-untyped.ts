import type { SyntaxNode } from '@lezer/common'
import { closingBracket } from '../../platform/text/bracket.ts'
import { commentLines } from '../docstring/indent.ts'
import { addMembers } from '../merge-outline.ts'
import type { ApiSymbol } from '../symbol.ts'
import { childrenOf, formatBracketedList, onOneLine } from '../syntax.ts'
import { childrenWithComments, renderDocComment, type TsFile } from './ts-comment.ts'
import { baseSymbol, type CommentedNode } from './ts-member.ts'
import { expressionSignature, functionSignature } from './ts-signature.ts'
import { parseDocComment } from './tsdoc.ts'

/** True if a comment declares types and does not describe the next statement. */
export function declaresTypes(comment: string): boolean {
  return /^[ \t/*]*@(?:typedef|callback)\b/m.test(comment)
}

/** Returns the types that `@typedef` and `@callback` declare in a comment. */
export function commentTypes(node: SyntaxNode, file: TsFile): ApiSymbol[] {
  const text = commentLines(file.textOf(node)).join('\n')
  const [prose = '', ...rest] = text.split(/^@(?=(?:typedef|callback)\b)/m)
  return rest.flatMap((part, at): ApiSymbol[] => {
    const [, tag = '', body = ''] = /^(\w+)\s*([^]*)$/.exec(part)!
    const close = body.startsWith('{') ? closingBracket(body, 0, { pair: '{}' }) : -1
    const [type, named] = [body.slice(1, Math.max(close, 1)), body.slice(close + 1)]
    const [, name, described = ''] = /^\s*([\w$.]+)[ \t]*-?([^]*)$/.exec(named) ?? []
    if (name === undefined) return []
    const comment = parseDocComment(`/** ${at === 0 ? prose : ''}\n${described} */`)
    const base = { ...baseSymbol({ node, comment: null, file }), name, qualifiedName: name }
    const { parameters, returns, deprecated, since } = comment
    const codeOf = (it: (typeof parameters)[number]) =>
      it.name + (described.includes(`[${it.name}`) ? '?' : '') + `: ${onOneLine(it.type) || 'any'}`
    if (tag === 'callback') {
      const items = parameters.map(codeOf)
      const tail = ` => ${returns[0]?.type || 'void'}`
      const signature = formatBracketedList(`type ${name} = `, items, tail)
      const documentation = renderDocComment(comment)
      return [{ ...base, kind: 'type', signature, documentation, deprecated, since }]
    }
    const documentation = renderDocComment({ ...comment, parameters: [] })
    const own = { ...base, documentation, deprecated, since }
    if (parameters.length === 0) {
      return [
        {
          ...own,
          kind: 'type',
          signature: close < 0 ? `type ${name}` : `type ${name} = ${onOneLine(type)}`,
        },
      ]
    }
    const members = parameters.map((it) => ({
      ...base,
      name: it.name,
      qualifiedName: it.name,
      signature: codeOf(it),
      documentation: it.text,
    }))
    return [{ ...own, kind: 'interface', signature: `interface ${name}`, members }]
  })
}

/** Members that a later statement adds to a symbol. */
type Addition = {
  owner: string
  members: ApiSymbol[]
  bases: string[]
  /** True for members of instances. */
  isPrototype: boolean
}

const target = /^(?:(?:module\.)?exports\.)?([\w$]+)(\.prototype)?(?:\.([\w$]+))?$/
const inherits = /^(?:[\w$.()"':]+\.)?inherits\(\s*([\w$]+)\s*,\s*([\w$.]+)/
const prototypeOf = /^([\w$]+)\.prototype(?:\.__proto__)? *= *(?:Object\.create\(|new )?([\w$.]+)/

/** Reads `A.prototype.b = function () {}`, `A.prototype = { … }`, `A.b = …`, `inherits(A, B)`. */
export function additionsIn({ node, comment, file }: CommentedNode): Addition[] {
  const { textOf } = file
  const head = textOf({ from: node.from, to: Math.min(node.to, node.from + 200) })
  const [, owner, base] = inherits.exec(head) ?? prototypeOf.exec(head) ?? []
  if (owner !== undefined) {
    const bases = [base!.replace(/\.prototype$/, '')]
    return [{ owner, members: [], bases, isPrototype: true }]
  }
  const additions: Addition[] = []
  const names: { owner: string; name: string; isPrototype: boolean }[] = []
  let value = node.getChild('AssignmentExpression')
  while (value?.name === 'AssignmentExpression') {
    const [left, , right] = childrenOf(value)
    const [, of, prototype, name] = (left && target.exec(textOf(left))) ?? []
    const isPrototype = prototype !== undefined
    if (of && name) names.push({ owner: of, name, isPrototype })
    else if (of && isPrototype && right?.name === 'ObjectExpression') {
      additions.push({ owner: of, members: objectMembers(right, file), bases: [], isPrototype })
    }
    value = right ?? null
  }
  for (const { owner: of, name, isPrototype } of value === null ? [] : names) {
    const members = [valueSymbol(name, value!, { node, comment, file })]
    additions.push({ owner: of, members, bases: [], isPrototype })
  }
  return additions
}

export function addToDeclarations(
  symbols: ReadonlyMap<string, ApiSymbol>,
  additions: readonly Addition[],
): void {
  for (const { owner, members, bases, isPrototype } of additions) {
    const symbol = symbols.get(owner)
    if (symbol === undefined) continue
    if (isPrototype) symbol.kind = 'class'
    addMembers(symbol, members)
    symbol.bases = [...new Set([...(symbol.bases ?? []), ...bases])]
  }
}

/** Returns functions and commented values in an object. */
export function objectMembers(object: SyntaxNode, file: TsFile): ApiSymbol[] {
  const isDocumented = ({ comment }: CommentedNode) => comment !== null
  return propertiesOf(object, file).flatMap((it) =>
    it.symbol.kind === 'method' || isDocumented(it) ? it.symbol : [],
  )
}

/** Returns the exports in `module.exports = { … }`. */
export function exportedProperties(object: SyntaxNode, file: TsFile): ApiSymbol[] {
  return propertiesOf(object, file).map(({ symbol }) => ({
    ...symbol,
    kind: symbol.kind === 'method' ? 'function' : symbol.kind,
  }))
}

function propertiesOf(object: SyntaxNode, file: TsFile) {
  return childrenWithComments(object, file).flatMap(({ node, comment }) => {
    const key = node.getChild('PropertyDefinition')
    const value = node.lastChild
    if (key === null || value === null || value === key || comment?.isInternal) return []
    const [name, context] = [file.textOf(key), { node, comment, file }]
    if (node.getChild('ParamList') === null) {
      const isReference =
        /^(?:[\w$.]+$|require\()/.test(file.textOf(value)) && value.name !== 'Number'
      return isReference ? [] : [{ ...context, symbol: valueSymbol(name, value, context) }]
    }
    const signature = functionSignature(node, file.textOf)
    const own = { kind: 'method' as const, name, qualifiedName: name, signature }
    return [{ ...context, symbol: { ...baseSymbol(context), ...own } }]
  })
}

function valueSymbol(name: string, value: SyntaxNode, context: CommentedNode): ApiSymbol {
  const isFunction = /^(Arrow)?Function/.test(value.name)
  const signature = expressionSignature(name, value, context.file.textOf)
  const own = { kind: isFunction ? ('method' as const) : ('value' as const), signature }
  return { ...baseSymbol(context), ...own, name, qualifiedName: name }
}
