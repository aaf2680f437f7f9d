import type { SyntaxNode } from '@lezer/common'
import type { ApiSymbol } from '../symbol.ts'
import { truncateCode } from '../syntax.ts'
import { childrenWithComments, renderDocComment, type TsFile } from './ts-comment.ts'
import { callGenericsBefore } from './ts-generics.ts'
import { compactDeclaration, functionSignature } from './ts-signature.ts'
import type { DocComment } from './tsdoc.ts'

export type Context = { node: SyntaxNode; comment: DocComment | null; file: TsFile }

export function baseSymbol({ node, comment, file }: Context): ApiSymbol {
  return {
    kind: 'value',
    name: '',
    qualifiedName: '',
    signature: '',
    documentation: comment === null ? '' : renderDocComment(comment),
    line: file.lineOf(node.from),
    members: [],
    deprecated: comment?.deprecated ?? null,
    since: comment?.since ?? null,
  }
}

/** The members of a class, an interface or an object type. */
type Members = {
  members: ApiSymbol[]
  /** How the symbol is called or created: `(text: string): void`, `new Lamp(wick: string)`. */
  calls: string[]
}

/** @param constructor replaces the word `constructor` in signatures: `new Lamp` */
export function memberSymbols(body: SyntaxNode | null, file: TsFile, constructor: string): Members {
  const members = new Map<string, ApiSymbol>()
  const calls: string[] = []
  if (body === null) return { members: [], calls }
  const { textOf, lineOf } = file
  for (const { node, comment } of childrenWithComments(body, file)) {
    if (comment?.isInternal || isPrivate(node, file)) continue
    if (node.name === 'CallSignature' || node.name === 'NewSignature') {
      calls.push(callGenericsBefore(node, textOf) + functionSignature(node, textOf))
      continue
    }
    const nameNode = node.getChild('PropertyDefinition')
    const kind = kinds[node.name]
    if (nameNode === null || kind === undefined) continue
    const name = textOf(nameNode)
    const isAccessor = node.getChild('get') !== null || node.getChild('set') !== null
    const signature =
      kind === 'method'
        ? functionSignature(node, textOf)
        : truncateCode(compactDeclaration(textOf(node)), 400)
    if (name === 'constructor' && constructor !== '') {
      calls.push(signature.replace(/^.*?constructor/, constructor))
      continue
    }
    const before = members.get(name)
    const documentation = comment === null ? '' : renderDocComment(comment)
    if (before === undefined) {
      members.set(name, {
        kind: isAccessor ? 'property' : kind,
        name,
        qualifiedName: name,
        signature,
        documentation,
        line: lineOf(node.from),
        members: [],
        deprecated: comment?.deprecated ?? null,
        since: comment?.since ?? null,
      })
    } else if (!isAccessor) {
      before.signature += `\n${signature}`
      before.documentation ||= documentation
      if (comment?.deprecated === undefined || comment.deprecated === null) before.deprecated = null
    }
  }
  return { members: [...members.values()], calls }
}

const kinds: Record<string, 'method' | 'value'> = {
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
