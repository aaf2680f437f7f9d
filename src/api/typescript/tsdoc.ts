import { closingBracket } from '../../platform/text/bracket.ts'
import { emptyDocstring, type Docstring } from '../docstring/docstring.ts'
import { commentLines, trimBlankLines } from '../docstring/indent.ts'

/** A TSDoc or JSDoc comment; `isInternal` means that the symbol is not for users. */
export type DocComment = Docstring & { isInternal: boolean }

/** Parses `/** … *\/`. The text is already Markdown; only tags are parsed. */
export function parseDocComment(comment: string): DocComment {
  const doc: DocComment = { ...emptyDocstring(), isInternal: false }
  const prose: string[] = []
  for (const { tag, lines } of blocksOf(commentLines(comment))) {
    if (tag === '') prose.push(...lines)
    else readTag(tag, lines, { doc, prose })
  }
  if (doc.isInternal) prose.unshift('Internal: not meant for users.', '')
  doc.text = withLinks(trimBlankLines(prose).join('\n')).replace(/\n{3,}/g, '\n\n')
  return doc
}

type Block = { tag: string; lines: string[] }

/** The text before the first tag, and each tag with its lines; tags in fences are text. */
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

type Place = { doc: DocComment; prose: string[] }

const parameterTags = new Set(['param', 'arg', 'argument', 'property', 'prop'])
const internal = new Set(['internal', 'private', 'hidden', 'ignore'])
const titles = new Map<string, string>(
  Object.entries({ see: 'See', remarks: '', description: '', summary: '' }),
)

function readTag(tag: string, lines: string[], { doc, prose }: Place): void {
  const text = withLinks(trimBlankLines(lines).join('\n').trim())
  if (internal.has(tag)) doc.isInternal = true
  else if (parameterTags.has(tag)) doc.parameters.push(item(text))
  else if (tag === 'returns' || tag === 'return') {
    const [, type = '', rest = text] = /^\{([^{}]{0,200})\}\s*([^]*)$/.exec(text) ?? []
    doc.returns.push({ name: '', type, text: rest.replace(/^- /, '') })
  } else if (tag === 'throws' || tag === 'exception') {
    const [, type = '', rest = text] = /^\{`?([^{}`]{0,200})`?\}\s*([^]*)$/.exec(text) ?? []
    doc.raises.push({ name: '', type, text: rest.replace(/^- /, '') })
  } else if (tag === 'deprecated') doc.deprecated = text.replace(/\s*\n\s*/g, ' ')
  else if (tag === 'since') doc.since = text
  else if (tag === 'default' || tag === 'defaultvalue') prose.push('', `Default: ${asCode(text)}`)
  else if (tag === 'example') prose.push('', '**Example**', '', ...exampleLines(lines), '')
  else if (titles.has(tag)) {
    prose.push('', ...(titles.get(tag) === '' ? [] : [`**${titles.get(tag)}**`, '']), text, '')
  }
}

/** Parses `{type} name - text`; an optional name is in brackets, with its default: `[name=1]`. */
function item(text: string) {
  const [, type = '', behind = ''] = /^(?:\{([^{}]{0,200})\}\s*)?([^]*)$/.exec(text) ?? []
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

/** An example without fence marks is code. A title on the line of the tag stays. */
function exampleLines(lines: string[]): string[] {
  const own = trimBlankLines(lines)
  return own.some((line) => /^ *(```|~~~)/.test(line)) ? own : ['```ts', ...own, '```']
}

/** Shows `{@link Target | text}` as code. */
function withLinks(text: string): string {
  return text.replace(
    /\{@link(?:code|plain)?\s+([^{}|\s]{1,300})(?:\s*\|?\s*([^{}]{1,300}))?\}/g,
    (_, target: string, label?: string) =>
      /^https?:/.test(target)
        ? `[${label?.trim() ?? target}](${target})`
        : `\`${label?.trim() || target}\``,
  )
}
