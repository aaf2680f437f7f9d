import { closingBracket } from '../../platform/text/bracket.ts'
import { emptyDocstring, type Docstring } from '../docstring/docstring.ts'
import { commentLines, dedent, trimBlankLines } from '../docstring/indent.ts'

/** A TSDoc or JSDoc comment. `isInternal` means that the symbol is not public. */
export type DocComment = Docstring & { isInternal: boolean }

/** Parses `/** … *\/`. Converts only tags, because the text is already Markdown. */
export function parseDocComment(comment: string): DocComment {
  return parseTags(commentLines(comment))
}

/**
 * Parses the lines of a comment.
 * @param options `fence`: the language of an example without a fence
 */
export function parseTags(text: string[], { fence = 'ts' } = {}): DocComment {
  const doc: DocComment = { ...emptyDocstring(), isInternal: false }
  const prose: string[] = []
  for (const { tag, lines } of blocksOf(text)) {
    if (tag === '') prose.push(...lines)
    else readTag(tag, lines, { doc, prose, fence })
  }
  if (doc.isInternal) prose.unshift('Internal: not meant for users.', '')
  doc.text = withLinks(trimBlankLines(prose).join('\n')).replace(/\n{3,}/g, '\n\n')
  return doc
}

type Block = { tag: string; lines: string[] }

/** Returns the text before the first tag, then each tag with its lines. Ignores tags in fences. */
function blocksOf(lines: string[]): Block[] {
  const blocks: Block[] = [{ tag: '', lines: [] }]
  let isCode = false
  for (const line of lines) {
    if (/^ *(```|~~~)/.test(line)) isCode = !isCode
    const [, tag, rest = ''] = (!isCode && /^@([a-zA-Z]+)\b ?(.*)$/.exec(line)) || []
    if (tag === undefined) blocks.at(-1)!.lines.push(line)
    else blocks.push({ tag: tag.toLowerCase(), lines: [rest] })
  }
  return blocks
}

type Place = { doc: DocComment; prose: string[]; fence: string }

const parameterTags = new Set(['param', 'arg', 'argument', 'property', 'prop'])
const internal = new Set(['internal', 'private', 'hidden', 'ignore'])
const titles = new Map<string, string>(
  Object.entries({ see: 'See', remarks: '', description: '', summary: '' }),
)

function readTag(tag: string, lines: string[], { doc, prose, fence }: Place): void {
  const text = withLinks(trimBlankLines(lines).join('\n').trim())
  if (internal.has(tag)) doc.isInternal = true
  else if (parameterTags.has(tag)) doc.parameters.push(item(text))
  else if (tag === 'returns' || tag === 'return') {
    const { type, rest } = typeBefore(text)
    doc.returns.push({ name: '', type, text: rest.replace(/^- /, '') })
  } else if (tag === 'throws' || tag === 'exception') {
    const { type, rest } = typeBefore(text)
    doc.raises.push({ name: '', type: type.replaceAll('`', ''), text: rest.replace(/^- /, '') })
  } else if (tag === 'deprecated') doc.deprecated = text.replace(/\s*\n\s*/g, ' ')
  else if (tag === 'since') doc.since = text
  else if (tag === 'default' || tag === 'defaultvalue') prose.push('', `Default: ${asCode(text)}`)
  else if (tag === 'example') prose.push('', '**Example**', '', ...exampleLines(lines, fence), '')
  else if (titles.has(tag)) {
    prose.push('', ...(titles.get(tag) === '' ? [] : [`**${titles.get(tag)}**`, '']), text, '')
  }
}

/** Splits `{type} text`. The type can contain braces. */
function typeBefore(text: string): { type: string; rest: string } {
  const close = text.startsWith('{') ? closingBracket(text, 0, { pair: '{}', limit: 500 }) : -1
  return { type: text.slice(1, Math.max(1, close)), rest: text.slice(close + 1).trim() }
}

/** Parses `{type} name - text`. An optional name is in brackets with its default: `[name=1]`. */
function item(text: string) {
  const { type, rest: behind } = typeBefore(text)
  const close = behind.startsWith('[') ? closingBracket(behind, 0, { limit: 500 }) : -1
  const end = close < 0 ? behind.search(/\s|$/) : close + 1
  const [, name = '', value] =
    /^\[?([^=\s\]]*)(?:\s*=\s*([^]*?))?\]?$/.exec(behind.slice(0, end)) ?? []
  const rest = behind
    .slice(end)
    .replace(/^\s*(?:[-–:]\s+)?/, '')
    .trim()
  const isStated = value === undefined || value === '' || /\bdefaults?\b/i.test(rest)
  const stop = rest === '' || /[.!?:]$/.test(rest) ? rest : `${rest}.`
  return { name, type, text: isStated ? rest : `${stop} Default: ${asCode(value)}.`.trim() }
}

function asCode(text: string): string {
  return /^`|\n/.test(text) || text === '' ? text : `\`${text}\``
}

/** Encloses an example without fence marks in a fence. Keeps a title on the line of the tag. */
function exampleLines(lines: string[], fence: string): string[] {
  const own = trimBlankLines(dedent(`\n${lines.join('\n')}`))
  return own.some((line) => /^ *(```|~~~)/.test(line)) ? own : [`\`\`\`${fence}`, ...own, '```']
}

/** Renders `{@link Target | text}` as code. */
function withLinks(text: string): string {
  return text.replace(
    /\{@link(?:code|plain)?\s+([^{}|\s]{1,300})(?:\s*\|?\s*([^{}]{1,300}))?\}/g,
    (_, target: string, label?: string) =>
      /^https?:/.test(target)
        ? `[${label?.trim() ?? target}](${target})`
        : `\`${label?.trim() || target}\``,
  )
}
