import { commentLines } from '../docstring/indent.ts'
import { codeWithoutComments, truncateCode } from '../syntax.ts'
import { parseTags } from '../typescript/tsdoc.ts'
import type { Annotation, GrammarRules } from './read-tree.ts'

export const phpRules: GrammarRules = {
  comment: readComment,
  leftOut: new Set(['attribute_list', 'comment']),
  signature: (code) => {
    const line = codeWithoutComments(code)
    return /\bfunction\b/.test(line) ? line : truncateCode(line)
  },
}

function readComment(text: string): Annotation | null {
  if (!/^\/\*\*[^/*]/.test(text)) return null
  const doc = parseTags(commentLines(text).map(toStandard), { fence: 'php' })
  if (doc.isInternal) return { of: 'next', doc: parseTags([]), isHidden: true }
  return { of: 'next', doc }
}

/** Puts the types in a tag in braces, as in JSDoc. */
function toStandard(written: string): string {
  const line = written.replace(/\{@(?:see|inheritdoc)\b/gi, '{@link')
  const [, tag, rest = ''] =
    /^@(param|property(?:-read|-write)?|return|throws|var)\s+(.*)$/.exec(line) ?? []
  if (tag === undefined) return line
  const end = endOfType(rest)
  const [type, text] = /^\$(?!this\b)/.test(rest)
    ? ['', rest]
    : [rest.slice(0, end), rest.slice(end)]
  if (tag === 'var') return `Type: \`${type}\`. ${text.trim().replace(/^\$\w+\s*/, '')}`.trim()
  return `@${tag.replace(/-.*/, '')} {${type}} ${text.trim()}`
}

/** Returns the offset of the first space outside brackets. */
function endOfType(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if ('<({['.includes(text[at]!)) depth++
    else if ('>)}]'.includes(text[at]!)) depth--
    else if (text[at] === ' ' && depth <= 0 && !/[:|] | \|/.test(text.slice(at - 1, at + 2)))
      return at
  }
  return text.length
}
