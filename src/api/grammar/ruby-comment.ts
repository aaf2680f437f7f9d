import { indentOf } from '../docstring/indent.ts'
import { parseTags } from '../typescript/tsdoc.ts'
import { onOneLine, truncateCode } from '../syntax.ts'
import type { Annotation, CommentPlace, GrammarRules } from './read-tree.ts'

/** Ruby with YARD or RDoc comments. */
export const rubyRules: GrammarRules = {
  comment: readComment,
  leftOut: new Set(['comment']),
  publicNames: { initialize: 'new' },
  signature: (code) =>
    /^[A-Z]/.test(code) ? truncateCode(code) : onOneLine(code).replace(/(?:;|\s+(?:end|=))+$/, ''),
}

function readComment(text: string, { nBefore, nAfter }: CommentPlace): Annotation | null {
  const isHidden = /^#.*:nodoc:/m.test(text)
  const doc = parseTags(linesOf(text), { fence: 'ruby' })
  if (nBefore === 0) return isHidden ? { of: 'previous', doc, isHidden } : null
  if (nAfter > 1) return null
  if (isHidden || doc.isInternal) return { of: 'next', doc: parseTags([]), isHidden: true }
  const calls = [...text.matchAll(/^# ?@overload\s+(\S.*)$/gm)].map(([, call]) => call)
  return { of: 'next', doc, ...(calls.length === 0 ? {} : { signature: calls.join('\n') }) }
}

/** Returns the lines of a comment as Markdown, with tags in JSDoc syntax. */
function linesOf(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^\s*#+ ?/, '').trimEnd())
    .filter((line) => !magic.test(line))
  let margin: number | null = null
  let isItem = false
  let isOverload = false
  return lines.flatMap((line) => {
    if (!/^\s/.test(line)) isOverload = line.startsWith('@overload')
    const own = isOverload ? line.trim() : line
    if (own.startsWith('@')) {
      isItem = true
      const title = /^@example +(\S.*)/.exec(own)?.[1]
      return title === undefined ? [standardTag(own)] : ['@example', `  # ${title}`]
    }
    if (own === '') return ['']
    const indent = indentOf(own)
    if (indent === 0) isItem = /^(?:[*-]|\d+\.|\[[^\]]*\]|[^:]+::)(?: |$)/.test(own)
    if (indent === 0 || isItem) {
      margin = null
      return [toMarkdown(own)]
    }
    const isFirst = margin === null
    margin ??= indent
    return [...(isFirst ? [''] : []), `    ${own.slice(Math.min(margin, indent))}`]
  })
}

/** Interpreter directives and RDoc directives. */
const magic =
  /^(?:-\*-.*|(?:frozen[_-]string[_-]literal|encoding|warn_indent):.*|!.*|--|\+\+|:[a-z-]+:.*)$/

function standardTag(line: string): string {
  return line
    .replace(/^@api private\b/, '@private')
    .replace(/^@raise\b/, '@throws')
    .replace(/^@yieldparam\b/, '@param')
    .replace(/^@option\s+\w+/, '@param')
    .replace(/^(@param\s+)(\*{0,2}&?\w+:?)\s+\[([^\]]{1,200})\]/, '$1[$3] $2')
    .replace(/^(@(?:param|return|throws)\s+)\[([^[\]]{1,200}(?:\[[^\]]*\])?)\]/, '$1{$2}')
}

function toMarkdown(line: string): string {
  return line
    .replace(/^=+ *(\S.*)$/, '**$1**')
    .replace(/(?<![\w`+])\+([\w:.#?!=@]{1,100})\+(?![\w+])/g, '`$1`')
    .replace(/<tt>([^<]{1,200})<\/tt>/g, '`$1`')
    .replace(/(?<![#$`\w])\{([A-Z#][\w:#.?!]{0,200})(?: ([^{}]{1,200}))?\}/g, (_, name, shown) =>
      shown ? String(shown) : `\`${name}\``,
    )
}
