import type { SyntaxNode } from '@lezer/common'
import { addOverloadText, joinOverloadTexts, type OverloadTexts } from '../overload.ts'
import type { ApiSymbol, MemberType } from '../symbol.ts'
import { childrenOf, onOneLine, truncateCode, type TextOf } from '../syntax.ts'
import { childrenWithComments, renderDocComment, type TsFile } from './ts-comment.ts'
import { callGenericsBefore } from './ts-generics.ts'
import { compactDeclaration, functionSignature } from './ts-signature.ts'
import { parseDocComment, type DocComment } from './tsdoc.ts'

export type CommentedNode = { node: SyntaxNode; comment: DocComment | null; file: TsFile }

export function baseSymbol({ node, comment, file }: CommentedNode): ApiSymbol {
  const whole = withParameterComments({ node, comment, file })
  return {
    kind: 'value',
    name: '',
    qualifiedName: '',
    signature: '',
    documentation: whole === null ? '' : renderDocComment(whole),
    line: file.lineOf(node.from),
    members: [],
    deprecated: comment?.deprecated ?? null,
    since: comment?.since ?? null,
  }
}

/** The members of a class, interface or object type. */
type Members = {
  members: ApiSymbol[]
  /** Call and constructor signatures: `(text: string): void`, `new Lamp(wick: string)`. */
  calls: ApiSymbol[]
}

/** @param constructor replaces `constructor` in signatures, such as `new Lamp` */
export function memberSymbols(body: SyntaxNode | null, file: TsFile, constructor: string): Members {
  const members = new Map<string, { symbol: ApiSymbol; texts: OverloadTexts }>()
  const calls: ApiSymbol[] = []
  if (body === null) return { members: [], calls }
  const add = (symbol: ApiSymbol) => {
    const before = members.get(symbol.name)
    const own = before ?? { symbol, texts: new Map() }
    members.set(symbol.name, own)
    addOverloadText(own.texts, symbol)
    own.symbol.documentation = joinOverloadTexts(own.texts)
    if (before === undefined || symbol.kind === 'property') return
    own.symbol.signature += `\n${symbol.signature}`
    if (symbol.deprecated === null) own.symbol.deprecated = null
  }
  for (const { node, comment } of childrenWithComments(body, file)) {
    if (comment?.isInternal || isPrivate(node, file)) continue
    const symbol = memberSymbol({ node, comment, file })
    const isCall = callNames.has(symbol?.name ?? '')
    const isMade = symbol?.name === 'constructor' && constructor !== ''
    if (symbol === null) continue
    if (!isCall && !isMade) {
      add(symbol)
      continue
    }
    const signature = symbol.signature.replace(/^.*?\bconstructor\b/, constructor)
    calls.push({ ...symbol, signature, name: isMade ? constructor : symbol.name.replace('()', '') })
    if (isMade) for (const it of parameterProperties({ node, comment, file })) add(it)
  }
  return { members: [...members.values()].map(({ symbol }) => symbol), calls }
}

/** Names of call and constructor signatures. */
const callNames = new Set(['()', 'new'])

function memberSymbol(context: CommentedNode): ApiSymbol | null {
  const { node, file } = context
  const { textOf } = file
  const kind = kinds[node.name]
  if (kind === undefined) return null
  const name = memberName(node, file)
  if (name === null) return null
  const isAccessor = node.getChild('get') !== null || node.getChild('set') !== null
  const signature =
    kind === 'method'
      ? callGenericsBefore(node, textOf) + functionSignature(node, textOf)
      : truncateCode(compactDeclaration(textOf(node)), 400)
  const own = { kind: isAccessor ? ('property' as const) : kind, name, qualifiedName: name }
  return { ...baseSymbol(context), ...own, signature }
}

/** Returns a member's name without quotes. Keeps the brackets of a computed name. */
function memberName(node: SyntaxNode, { textOf }: TsFile): string | null {
  if (node.name === 'CallSignature') return '()'
  if (node.name === 'NewSignature') return 'new'
  const [open, close] = [node.getChild('['), node.getChild(']')]
  if (open !== null) return onOneLine(textOf({ from: open.from, to: close?.to ?? node.to }))
  const named = node.getChild('PropertyDefinition') ?? node.getChild('Number')
  if (named !== null) return textOf(named)
  const string = node.getChild('String')
  return string === null ? null : textOf(string).slice(1, -1)
}

/** Returns members that parameters declare, as in `constructor(readonly wick: string)`. */
function parameterProperties({ node, comment, file }: CommentedNode): ApiSymbol[] {
  const { textOf, lineOf } = file
  const list = node.getChild('ParamList')
  return parametersOf(list).flatMap((parts): ApiSymbol[] => {
    const name = parts.find((it) => it.name === 'VariableDefinition')
    const isMember = parts.some((it) => it.name === 'Privacy' || it.name === 'readonly')
    if (!name || !isMember || parts.some((it) => textOf(it) === 'private')) return []
    const [from, to] = [parts.find((it) => it.name !== 'BlockComment')!.from, parts.at(-1)!.to]
    const described = comment?.parameters.find((it) => it.name === textOf(name))
    return [
      {
        ...baseSymbol({ node, comment: null, file }),
        name: textOf(name),
        qualifiedName: textOf(name),
        signature: truncateCode(compactDeclaration(textOf({ from, to })), 400),
        documentation: described?.text ?? '',
        line: lineOf(from),
      },
    ]
  })
}

function parametersOf(list: SyntaxNode | null): SyntaxNode[][] {
  const groups: SyntaxNode[][] = [[]]
  for (const node of list === null ? [] : childrenOf(list)) {
    if (node.name === ',') groups.push([])
    else if (node.name !== '(' && node.name !== ')') groups.at(-1)!.push(node)
  }
  return groups.filter((it) => it.length > 0)
}

/** Returns the types from which a type takes its members: `A & Omit<B, 'c'>`. */
export function memberTypesOf(type: SyntaxNode, textOf: TextOf): MemberType[] {
  return intersectedTypes(type).flatMap((part): MemberType[] => {
    const [generic, list] = part.name === 'ParameterizedType' ? childrenOf(part) : [part]
    const name = textOf(generic!)
    const [first, keys] = list ? childrenOf(list).filter((it) => !/^[<,>]$/.test(it.name)) : []
    if (!first || !utilityType.test(name)) {
      const isName = /^[\w$]+(?:\.[\w$]+)*$/.test(name)
      return isName ? [{ name, members: [], omitted: [], picked: null }] : []
    }
    const types = memberTypesOf(first, textOf)
    if (keys === undefined) return types
    const names = [...textOf(keys).matchAll(/(["'])(.*?)\1/g)].map(([, , key]) => key!)
    // Keys such as `keyof Lamp` are not resolved.
    if (/[^|\s]/.test(textOf(keys).replace(/(["']).*?\1/g, ''))) return []
    return types.map((it) =>
      name === 'Pick' ? { ...it, picked: names } : { ...it, omitted: [...it.omitted, ...names] },
    )
  })
}

/** Matches the types of TypeScript that change members of another type. */
export const utilityType = /^(?:Partial|Required|Readonly|NonNullable|Omit|Pick)$/

/** Returns the parts of `A & (B & C)`. */
export function intersectedTypes(type: SyntaxNode): SyntaxNode[] {
  const isJoined = type.name === 'IntersectionType' || type.name === 'ParenthesizedType'
  return isJoined ? childrenOf(type).flatMap(intersectedTypes) : [type]
}

function withParameterComments({ node, comment, file }: CommentedNode): DocComment | null {
  const list = node.getChild('ParamList')
  if (list === null || !file.textOf(list).includes('/**')) return comment
  const whole = comment ?? parseDocComment('')
  for (const parts of parametersOf(list)) {
    const note = parts.find((it) => it.name === 'BlockComment')
    const named = parts.find((it) => it.name === 'VariableDefinition')
    const [text, name] = [note && file.textOf(note), named && file.textOf(named)]
    if (!name || !text?.startsWith('/**')) continue
    if (whole.parameters.some((it) => it.name === name)) continue
    whole.parameters.push({ name, type: '', text: parseDocComment(text).text })
  }
  return whole
}

const kinds: Record<string, 'method' | 'value'> = {
  CallSignature: 'method',
  NewSignature: 'method',
  IndexSignature: 'value',
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
