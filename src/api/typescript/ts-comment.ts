import type { SyntaxNode } from '@lezer/common'
import { renderSections } from '../docstring/docstring.ts'
import { childrenOf, type TextOf } from '../syntax.ts'
import { parseDocComment, type DocComment } from './tsdoc.ts'

export type TsFile = { textOf: TextOf; lineOf: (offset: number) => number }

/** Returns each child with the documentation comment before it. */
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

/**
 * Replaces line breaks inside comments by spaces, because the parser keeps a node for each line and
 * misreads the word after about 25 of them: `interface`, `readonly`. Offsets stay the same.
 */
export function joinCommentLines(text: string): string {
  return text.replace(commentRuns, (comment) => comment.replaceAll('\n', ' '))
}

/** Comments that start their line, and lines of `//` in a row; `/*` may be part of a string. */
export const commentRuns = /^[ \t]*\/(?:\*[^]*?(?:\*\/|(?![^]))|\/.*(?:\n[ \t]*\/\/.*)*)/gm

export function renderDocComment(comment: DocComment): string {
  return [comment.text, renderSections(comment)].filter((part) => part !== '').join('\n\n')
}
