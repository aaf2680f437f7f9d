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
      const text = commentText(node, textOf)
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
 * After a block comment of 2,000 characters, the parser misreads a keyword such as `readonly` or
 * `async`.
 */
const longestComment = 1500

/** Shortens long block comments by blanking, and keeps offsets. */
export function maskLongComments(text: string): string {
  let masked = ''
  let copied = 0
  for (const { index, 0: start } of text.matchAll(/^[ \t]*\/\*/gm)) {
    const from = index + start.length + longestComment
    const end = index < copied ? -1 : text.indexOf('*/', index + start.length)
    if (end <= from) continue
    masked += `${text.slice(copied, from)}*/${text.slice(from + 2, end + 2).replace(/[^\n]/g, ' ')}`
    copied = end + 2
  }
  return masked + text.slice(copied)
}

/** Returns the text of a comment, which can be longer than its node after blanking. */
export function commentText(node: SyntaxNode, textOf: TextOf): string {
  const text = textOf(node)
  if (text.endsWith('*/') || !text.startsWith('/*')) return text
  const whole = textOf({ from: node.from, to: node.from + 100_000 })
  return whole.slice(0, whole.indexOf('*/') + 2)
}

export function renderDocComment(comment: DocComment): string {
  return [comment.text, renderSections(comment)].filter((part) => part !== '').join('\n\n')
}
