import { emptyDocstring, type Docstring } from '../docstring/docstring.ts'
import { commentLines, indentOf, trimBlankLines } from '../docstring/indent.ts'
import { javadocHtmlToMarkdown } from './html-markdown.ts'
import { codeWithoutComments } from '../syntax.ts'
import type { Annotation, GrammarRules, CommentPlace } from './read-tree.ts'

/** C with Doxygen comments or plain comments. */
export const cRules: GrammarRules = {
  comment: readComment,
  signature: (code) =>
    codeWithoutComments(code.replace(/\\$/gm, ''))
      .replace(/^(?:(?:extern|static|inline|__inline)\s+)+/, '')
      .replace(/^#\s+define/, '#define')
      .replace(/(?<=\w) +\((?![*^])/g, '('),
  isShared: true,
}

function readComment(text: string, { nBefore, nAfter }: CommentPlace): Annotation | null {
  const isDoxygen = /^\/(?:\*[*!](?!\*)|\/[/!])/.test(text)
  const doc = parseDoxygen(text)
  if (isDoxygen && /^\/(?:\*|\/)[*!/]</.test(text)) return { of: 'previous', doc }
  if (isDoxygen && ofFile.test(text)) return { of: 'file', doc }
  if (nBefore === 0 || (!isDoxygen && nBefore === 1 && nAfter > 1)) return { of: 'previous', doc }
  if (nAfter > (isDoxygen ? 2 : 1)) return null
  return { of: 'next', doc, isHidden: isDoxygen && /[@\\]internal\b/.test(text) }
}

const ofFile = /[@\\](?:file|mainpage|(?:def|addto|weak)group|page)\b/

/** Parses `/** *\/`, or lines that start with `///` or `//!`. */
export function parseDoxygen(comment: string): Docstring {
  const doc = emptyDocstring()
  const isDoxygen = /^\/(?:\*[*!]|\/[/!])/.test(comment)
  const lines = linesOf(comment)
  const others: string[] = []
  for (const { command, lines: own } of isDoxygen ? blocksOf(lines) : [{ command: '', lines }]) {
    readBlock(command, trimBlankLines(own).join('\n'), { doc, others, isDoxygen })
  }
  if (others.length > 0) doc.text += `\n\nSee ${others.join(', ')}.`
  doc.text = doc.text.trim().replace(/\n{3,}/g, '\n\n')
  return doc
}

/** Returns the lines without comment marks or the indentation of prose. */
function linesOf(comment: string): string[] {
  const lines = comment.startsWith('//')
    ? comment.split('\n').map((line) => line.trim().replace(/^\/\/[/!]?<? ?/, ''))
    : commentLines(comment.replace(/^(\/\*[*!]?)</, '$1')).map((line) => line.replace(/^\*+ ?/, ''))
  const text = trimBlankLines(lines.map((line) => line.trimEnd()))
  const margin = Math.min(...text.filter((line) => line !== '').map(indentOf))
  // A line indented by four or more spaces is code in Markdown; smaller indentation is removed.
  return text.map((line) => {
    const indent = indentOf(line) - margin
    return indent >= codeIndent ? line.slice(margin) : line.trimStart()
  })
}

const codeIndent = 4

type Block = { command: string; lines: string[] }

/** Returns the text before the first block command, then each block command with its lines. */
function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [{ command: '', lines: [] }]
  let end: string | null = null
  for (const line of lines) {
    const last = blocks.at(-1)!
    const [, code, language = ''] =
      /^\s*[@\\](code|verbatim|dot|msc|startuml)\b(?:\{\.?(\w*)\})?/.exec(line) ?? []
    const [, command, rest = ''] = blockStart.exec(line) ?? []
    if (end !== null) {
      const isEnd = new RegExp(String.raw`[@\\]${end}\b`).test(line)
      last.lines.push(isEnd ? '```' : line)
      if (isEnd) end = null
    } else if (code !== undefined) {
      end = `end${code.replace('start', '')}`
      last.lines.push(`\`\`\`${language || (code === 'code' ? 'c' : '')}`)
    } else if (command !== undefined) blocks.push({ command: command.toLowerCase(), lines: [rest] })
    else if (line === '' && oneParagraph.test(last.command)) blocks.push({ command: '', lines: [] })
    else last.lines.push(line)
  }
  if (end !== null) blocks.at(-1)!.lines.push('```')
  return blocks
}

/** Commands inside prose. Any other command at the start of a line begins a block. */
const inProse =
  '[abcenp]|em|ref|link|subpage|endlink|copydoc|image|li|arg|anchor|(?:end)?(?:if|cond)'
const blockStart = new RegExp(
  String.raw`^\s*[@\\](?!(?:${inProse})\b)([a-z_\d]+(?:\[[a-z, ]*\])?)\s*(.*)$`,
  'i',
)
/** Commands with a single paragraph. */
const oneParagraph = /^(?:brief|short|t?param|returns?|result|retval|since|sa|see|deprecated)/
const withoutText = /^(?:file|ingroup|addtogroup|fn|def|struct|enum|union|typedef|var|author|date)$/

type Reading = { doc: Docstring; others: string[]; isDoxygen: boolean }

function readBlock(command: string, raw: string, { doc, others, isDoxygen }: Reading): void {
  const text = isDoxygen ? inlineCommands(raw) : plainText(raw)
  const [, name = '', rest = ''] = /^\s*(\S+)\s*([^]*)$/.exec(raw) ?? []
  const item = () => ({ name, type: '', text: inlineCommands(rest).replace(/\s*\n\s*/g, ' ') })
  if (/^t?param/.test(command)) doc.parameters.push(item())
  else if (/^(?:returns?|result)$/.test(command)) doc.returns.push({ name: '', type: '', text })
  else if (command === 'retval') doc.returns.push(item())
  else if (/^(?:throws?|exception)$/.test(command)) doc.raises.push(item())
  else if (command === 'deprecated') doc.deprecated = text.replace(/\s*\n\s*/g, ' ')
  else if (command === 'since') doc.since = text.replace(/\s*\n\s*/g, ' ').replace(/\.$/, '')
  else if (/^(?:sa|see)$/.test(command)) others.push(text.replace(/\.$/, ''))
  else if (withoutText.test(command) || (text === '' && command !== '')) return
  else if (/group$|page$/.test(command)) {
    doc.text += `\n\n**${inlineCommands(rest.split('\n')[0]!)}**\n\n`
    doc.text += inlineCommands(rest.split('\n').slice(1).join('\n'))
  } else if (/^(?:|brief|short|details|internal|name|copyright|version)$/.test(command)) {
    doc.text += `\n\n${text}`
  } else doc.text += `\n\n**${titleOf(command)}**: ${text}`
}

/** Returns `Thread safety` for `thread_safety`. */
function titleOf(command: string): string {
  const words = command.replaceAll('_', ' ')
  return words[0]!.toUpperCase() + words.slice(1)
}

/** Converts Doxygen's inline commands to Markdown. Leaves code unchanged. */
function inlineCommands(text: string): string {
  return text
    .split(/(```[^]*?```|`[^`\n]+`)/)
    .map((part, i) => (i % 2 === 1 ? part : inlineProse(part)))
    .join('')
    .trim()
}

function inlineProse(text: string): string {
  return text
    .replace(/[@\\](?:ref|link|subpage)\s+(\S*[\w()])(?:\s+"([^"]*)")?/g, (_, target, label) =>
      label ? label : `\`${target}\``,
    )
    .replace(/[@\\](?:c|p|ref|link)\s+([^\s,;]*[^\s,;.])/g, '`$1`')
    .replace(/[@\\](?:a|e|em)\s+([^\s,;]*[^\s,;.])/g, '*$1*')
    .replace(/[@\\]b\s+([^\s,;]*[^\s,;.])/g, '**$1**')
    .replace(/<(code|tt)>([^<\n]*)<\/\1>/gi, '`$2`')
    .replace(/<(?:b|strong)>([^<\n]*)<\/(?:b|strong)>/gi, '**$1**')
    .replace(/<(?:i|em)>([^<\n]*)<\/(?:i|em)>/gi, '*$1*')
    .replace(/<\/?p>|<br *\/?>/gi, '\n\n')
    .replace(/(?<![\w`&#])(?:#|::)(?=[A-Za-z_]\w*)/g, '')
    .replace(/[@\\](?:endlink|n\b|\{|\}|[fl]\[|[fl]\$)/g, '')
    .replace(/[@\\]([@\\&$#<>%".])/g, '$1')
    .replace(/(?<!\w)%(?=[A-Za-z])/g, '')
}

function plainText(text: string): string {
  const isHtml = /<(?:p|ul|ol|li|dl|pre|blockquote|table)\b/i.test(text)
  return isHtml ? javadocHtmlToMarkdown(text, (_, body) => body) : text
}
