import { oneLine } from '../../platform/text/trim.ts'
import { emptyDocstring, type Docstring } from '../docstring/docstring.ts'
import { commentLines, trimBlankLines } from '../docstring/indent.ts'
import type { GrammarRules } from './read-tree.ts'
import { codeWithoutComments, truncateCode } from '../syntax.ts'
import { javadocHtmlToMarkdown } from './html-markdown.ts'

/** Java with Javadoc comments, which contain HTML or Markdown. */
export const javaRules: GrammarRules = {
  comment(text) {
    if (/^@Deprecated\b/.test(text)) {
      return { of: 'previous', doc: { ...emptyDocstring(), deprecated: '' } }
    }
    return /^\/(?:\*\*|\/\/)/.test(text) ? { of: 'next', doc: parseJavadoc(text) } : null
  },
  signature: (code) => {
    const line = codeWithoutComments(code)
    return /^[^(]*=/.test(line) ? truncateCode(line) : line
  },
  hasOverloads: true,
}

/** Parses a block comment or `///` lines. */
export function parseJavadoc(comment: string): Docstring {
  const doc = emptyDocstring()
  const isMarkdown = comment.startsWith('///')
  const lines = isMarkdown
    ? comment.split('\n').map((line) => line.replace(/^\s*\/\/\/ ?/, ''))
    : commentLines(comment)
  const markdown = (text: string) => (isMarkdown ? withInlineTags(text) : javadocMarkdown(text))
  const [{ lines: prose }, ...tags] = blocksOf(lines) as [Block, ...Block[]]
  const others: string[] = []
  for (const { tag, lines: own } of tags) readTag(tag, own.join('\n'), { doc, others, markdown })
  const see = others.length > 0 ? [`See ${others.join(', ')}.`] : []
  doc.text = [markdown(prose.join('\n')), ...see].filter((part) => part !== '').join('\n\n')
  return doc
}

type Block = { tag: string; lines: string[] }

/** Returns the text before the first tag, then each tag with its lines. Ignores `@` in code. */
function blocksOf(lines: string[]): Block[] {
  const blocks: Block[] = [{ tag: '', lines: [] }]
  let depth = 0
  let isCode = false
  for (const line of lines) {
    const [, tag, rest = ''] =
      (!isCode && depth <= 0 && /^\s*@([a-zA-Z]+)\b ?(.*)$/.exec(line)) || []
    if (tag === undefined) blocks.at(-1)!.lines.push(line)
    else blocks.push({ tag: tag.toLowerCase(), lines: [rest] })
    if (tag !== undefined) depth = 0
    for (const [mark] of line.matchAll(/\{@|[{}]/g)) {
      if (mark === '{@' || (mark === '{' && depth > 0)) depth++
      else if (mark === '}' && depth > 0) depth--
    }
    if (/<pre\b/i.test(line) || /^\s*```/.test(line)) isCode = !/^\s*```/.test(line) || !isCode
    if (/<\/pre>/i.test(line)) isCode = false
  }
  return blocks
}

type Reading = { doc: Docstring; others: string[]; markdown(text: string): string }

function readTag(tag: string, raw: string, { doc, others, markdown }: Reading): void {
  const text = markdown(raw)
  const [, name = '', rest = ''] = /^\s*(<[^<>]{1,100}>|\S+)\s*([^]*)$/.exec(raw) ?? []
  const named = () => ({ name: name.replace(/^\{@\w+|[`}]/g, ''), type: '', text: markdown(rest) })
  if (tag === 'param') doc.parameters.push(named())
  else if (tag === 'return' || tag === 'returns') doc.returns.push({ name: '', type: '', text })
  else if (tag === 'throws' || tag === 'exception') doc.raises.push(named())
  else if (tag === 'deprecated') doc.deprecated = text.replace(/\s*\n\s*/g, ' ')
  else if (tag === 'since') doc.since = text
  else if (tag === 'see' && text !== '') {
    const [target, label] = splitTarget(oneLine(raw))
    const shown = label === '' ? `\`${plainTarget(target)}\`` : label
    others.push(/^\s*[<"{]/.test(raw) ? text : shown)
  }
}

function javadocMarkdown(text: string): string {
  return javadocHtmlToMarkdown(text, inlineTag)
}

function withInlineTags(text: string): string {
  const plain = text.replace(/\{@(\w+)\s*([^{}]{0,1000})\}/g, (_, tag: string, body: string) =>
    inlineTag(tag, body),
  )
  return trimBlankLines(
    plain.replace(/\[([^\]]{1,200})\]\[[^\]]{1,200}\]/g, '$1').split('\n'),
  ).join('\n')
}

/** Converts inline tags such as `{@link Lamp#on() text}` to Markdown. */
function inlineTag(tag: string, body: string): string {
  const text = oneLine(body)
  if (/^(code|literal|snippet|systemProperty|value|index)$/.test(tag)) {
    return tag === 'literal' ? text : text === '' ? '' : asCode(text)
  }
  if (!/^link(plain)?$/.test(tag)) return tag === 'return' ? `Returns ${text}.` : ''
  const [target = '', label = ''] = splitTarget(text)
  const shown = label === '' ? plainTarget(target) : label
  return tag === 'linkplain' && label !== '' ? label : asCode(shown)
}

function asCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** Splits a link into target and text. The target may contain spaces inside brackets. */
function splitTarget(text: string): [target: string, label: string] {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(' || text[at] === '<') depth++
    else if (text[at] === ')' || text[at] === '>') depth--
    else if (text[at] === ' ' && depth <= 0) return [text.slice(0, at), text.slice(at + 1)]
  }
  return [text, '']
}

/** Returns `Lamp.on(int)` for `com.acme.Lamp#on(int)`, and `on` for `#on`. */
function plainTarget(target: string): string {
  const [, path = '', rest = ''] = /^([^#(]*)([^]*)$/.exec(target) ?? []
  const type = path.replace(/^(?:\p{Ll}[\p{L}\p{N}_]*\.)+(?=\p{Lu})/u, '')
  return (type + rest.replace('#', '.')).replace(/^\./, '')
}
