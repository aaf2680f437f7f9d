import type { SyntaxNode } from '@lezer/common'
import { renderSections } from '../docstring/docstring.ts'
import { childrenOf, type TextOf } from '../syntax.ts'
import { parseDocComment, type DocComment } from './tsdoc.ts'

export type TsFile = { textOf: TextOf; lineOf: (offset: number) => number }

/** Each child with the documentation comment before it. */
export function childrenWithComments(body: SyntaxNode, { textOf }: TsFile) {
  const children: { node: SyntaxNode; comment: DocComment | null }[] = []
  let comment: DocComment | null = null
  for (const node of childrenOf(body)) {
    if (node.name === 'BlockComment') {
      const text = textOf(node)
      const isDescription =
        text.startsWith('/**') && !/^[ \t/*]*@(?:typedef|callback)\b/m.test(text)
      comment = isDescription ? parseDocComment(text) : comment
    } else if (node.name !== 'LineComment') {
      children.push({ node, comment })
      if (!/^(async|export|default|declare|abstract)$/.test(node.name)) comment = null
    }
  }
  return children
}

export function renderDocComment(comment: DocComment): string {
  return [comment.text, renderSections(comment)].filter((part) => part !== '').join('\n\n')
}
