import type { SyntaxNode } from '@lezer/common'
import { dedent, trimBlankLines } from '../docstring/indent.ts'
import { formatBracketedList, childrenOf, onOneLine, truncateCode, type TextOf } from '../syntax.ts'
import { parseStringLiteral } from './python-string.ts'

/** A parameter; `name` has no stars. */
export type Parameter = {
  name: string
  /** For example `*args: int`, `timeout: float = 5` or `/`. */
  code: string
  type: string
  /** The text of `Doc(…)` in the annotation, or null. */
  doc: string | null
}

export function parseParameters(list: SyntaxNode | null, textOf: TextOf): Parameter[] {
  if (list === null) return []
  const parameters: Parameter[] = []
  let group: SyntaxNode[] = []
  let start = list.from + 1
  for (const node of childrenOf(list)) {
    if (node.name !== ',' && node.name !== ')') {
      if (node.name !== '(' && node.name !== 'Comment') group.push(node)
      continue
    }
    if (group.length > 0) parameters.push(parameterOf(group, textOf))
    // The grammar has no node for `/`.
    else if (textOf({ from: start, to: node.from }).trim() === '/') parameters.push(positionalMark)
    group = []
    start = node.to
  }
  return parameters
}

const positionalMark: Parameter = { name: '', code: '/', type: '', doc: null }

function parameterOf(group: SyntaxNode[], textOf: TextOf): Parameter {
  const stars = group
    .filter(({ name }) => /^\*\*?$/.test(name))
    .map(textOf)
    .join('')
  const nameNode = group.find((node) => node.name === 'VariableName')
  const typeNode = group.find((node) => node.name === 'TypeDef')
  const isAssigned = group.findIndex((node) => node.name === 'AssignOp')
  const annotation = typeNode ? splitDocAnnotation(typeNode, textOf) : { code: '', doc: null }
  const type = annotation.code.replace(/^:\s*/, '')
  const value =
    isAssigned < 0
      ? ''
      : truncateCode(
          group
            .slice(isAssigned + 1)
            .map(textOf)
            .join(' '),
        )
  const name = nameNode ? textOf(nameNode) : ''
  const typed = type === '' ? '' : `: ${type}`
  const assigned = value === '' ? '' : type === '' ? `=${value}` : ` = ${value}`
  return { name, code: `${stars}${name}${typed}${assigned}`, type, doc: annotation.doc }
}

export function formatSignature(
  head: string,
  parameters: readonly Parameter[],
  tail: string,
): string {
  return formatBracketedList(
    head,
    parameters.map(({ code }) => code),
    tail,
  )
}

/**
 * Splits an annotation: `Annotated[T, Doc("…")]` becomes `T` and the text of `Doc`. Keeps other
 * metadata of `Annotated`.
 */
export function splitDocAnnotation(
  annotation: SyntaxNode,
  textOf: TextOf,
): { code: string; doc: string | null } {
  const written = textOf(annotation)
  if (!/\b(Doc|deprecated)\(/.test(written)) return { code: onOneLine(written), doc: null }
  let doc: string | null = null
  const cuts: { from: number; to: number; text: string }[] = []
  annotation.cursor().iterate((node) => {
    if (
      node.name !== 'MemberExpression' ||
      !/^(\w+\.)?Annotated$/.test(headOf(node.node, textOf))
    ) {
      return
    }
    const items = itemsOf(node.node)
    const isDoc = (item: SyntaxNode) => /^(\w+\.)?(Doc|deprecated)\(/.test(textOf(item))
    const docs = items.filter(isDoc)
    if (docs.length === 0) return
    doc ??= docs.map((item) => docText(textOf(item))).join('\n\n')
    const kept = items.filter((item) => !isDoc(item)).map((item) => onOneLine(textOf(item)))
    const head = headOf(node.node, textOf)
    const text = kept.length === 1 ? kept[0]! : `${head}[${kept.join(', ')}]`
    cuts.push({ from: node.from - annotation.from, to: node.to - annotation.from, text })
    return false
  })
  let code = written
  for (const { from, to, text } of cuts.reverse())
    code = code.slice(0, from) + text + code.slice(to)
  return { code: onOneLine(code), doc }
}

/** Returns the text of `Doc("…")`, or of `deprecated("…")` after the word `deprecated`. */
function docText(call: string): string {
  const value = parseStringLiteral(call.slice(call.indexOf('(') + 1)) ?? ''
  const text = trimBlankLines(dedent(value)).join('\n')
  return /^(\w+\.)?deprecated/.test(call) ? `Deprecated: ${text}` : text
}

function headOf(member: SyntaxNode, textOf: TextOf): string {
  const bracket = member.getChild('[')
  return bracket === null ? '' : textOf({ from: member.from, to: bracket.from }).trim()
}

/** Returns the expressions in the brackets of a subscript. */
function itemsOf(member: SyntaxNode): SyntaxNode[] {
  const children = childrenOf(member)
  const open = children.findIndex(({ name }) => name === '[')
  return children.slice(open + 1).filter(({ name }) => !['[', ']', ',', 'Comment'].includes(name))
}
