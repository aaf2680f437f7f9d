import { dedent, indentOf, trimBlankLines } from './indent.ts'
import { copyFence, rstToMarkdown } from './rest.ts'

/** An item of a section: a parameter, exception, attribute or return value. */
type DocItem = { name: string; type: string; text: string }

/** A parsed documentation comment. All text is Markdown. */
export type Docstring = {
  /** The text outside sections. */
  text: string
  parameters: DocItem[]
  attributes: DocItem[]
  returns: DocItem[]
  yields: DocItem[]
  raises: DocItem[]
  deprecated: string | null
  since: string | null
}

export function emptyDocstring(): Docstring {
  return {
    text: '',
    parameters: [],
    attributes: [],
    returns: [],
    yields: [],
    raises: [],
    deprecated: null,
    since: null,
  }
}

/**
 * Parses a docstring in the style of Google, NumPy or Sphinx, or in a mix of them.
 * @param raw the text between the quotes
 */
export function parseDocstring(raw: string): Docstring {
  const lines = dedent(raw)
  const parsed = emptyDocstring()
  const prose: string[] = []
  const types = new Map<string, string>()
  for (let at = 0; at < lines.length; ) {
    at =
      copyFence(lines, at, prose) ??
      readNumpy(lines, at, { parsed, prose }) ??
      readGoogle(lines, at, { parsed, prose }) ??
      readField(lines, at, { parsed, types }) ??
      readNotice(lines, at, parsed) ??
      (prose.push(lines[at]!), at + 1)
  }
  for (const item of [...parsed.parameters, ...parsed.returns])
    item.type ||= types.get(item.name) ?? ''
  parsed.text = rstToMarkdown(trimBlankLines(prose))
  return parsed
}

/** Renders the sections of a docstring as Markdown. Omits the text outside sections. */
export function renderSections(doc: Docstring): string {
  return [
    listed('Parameters', doc.parameters),
    returned('Returns', doc.returns),
    returned('Yields', doc.yields),
    listed('Raises', doc.raises),
    listed('Attributes', doc.attributes),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function renderItem({ name, type, text }: DocItem): string {
  const label = [name === '' ? '' : `\`${name}\``, type === '' ? '' : `(\`${type}\`)`]
    .filter((part) => part !== '')
    .join(' ')
  const body = text.replaceAll('\n', '\n  ').replace(/ +$/gm, '')
  return `- ${label}${label !== '' && text !== '' ? ': ' : ''}${body}`
}

type List = 'parameters' | 'attributes' | 'returns' | 'yields' | 'raises'

const lists = namesOfLists({
  parameters: 'args|arguments|parameters|params|other parameters|keyword args|keyword arguments',
  attributes: 'attributes',
  returns: 'returns|return',
  yields: 'yields|yield',
  raises: 'raises|exceptions|except',
})

function namesOfLists(names: Record<List, string>): Map<string, List> {
  const pairs = Object.entries(names) as [List, string][]
  return new Map(pairs.flatMap(([list, own]) => own.split('|').map((name) => [name, list])))
}

/** Titles of sections that are kept as text. */
const titles = new Set([
  'example',
  'examples',
  'note',
  'notes',
  'warning',
  'warnings',
  'warns',
  'see also',
  'references',
  'tip',
  'todo',
  'usage',
  'methods',
  'receives',
])

type Place = { parsed: Docstring; prose: string[] }

/** Reads a section with an underlined title. Returns the line after it, or null. */
function readNumpy(lines: string[], at: number, { parsed, prose }: Place): number | null {
  if (!isNumpyHead(lines, at)) return null
  let end = at + 2
  while (end < lines.length && !isNumpyHead(lines, end) && !isProseBelow(lines, end)) end++
  const title = lines[at]!.trim()
  const list = lists.get(title.toLowerCase())
  if (list === undefined) {
    prose.push('', `**${title}**`, '')
    return at + 2
  }
  const body = lines.slice(at + 2, end)
  parsed[list].push(...numpyItems(body, list))
  return end
}

/** True if the items of a section end before this line and text starts. */
function isProseBelow(lines: string[], at: number): boolean {
  const line = lines[at]!
  const isLead = /^\.\. |^\S.*:$/.test(line)
  return isLead && lines[at - 1] === '' && (line.startsWith('.. ') || lines[at + 1] === '')
}

function isNumpyHead(lines: string[], at: number): boolean {
  const title = lines[at]!
  return /^[A-Za-z][A-Za-z ]{2,40}$/.test(title) && /^-{3,}\s*$/.test(lines[at + 1] ?? '')
}

function numpyItems(body: string[], list: List): DocItem[] {
  const items: { head: string; text: string[] }[] = []
  for (const line of body) {
    const isHead = line !== '' && indentOf(line) === 0
    if (isHead) items.push({ head: line.trim(), text: [] })
    else items.at(-1)?.text.push(line)
  }
  return items.map(({ head, text }) => {
    const colon = head.indexOf(' : ')
    const [name, type] =
      colon >= 0
        ? [head.slice(0, colon), head.slice(colon + 3)]
        : list === 'returns' || list === 'yields'
          ? ['', head]
          : [head.replace(/ ?:$/, ''), '']
    return { name: name.trim(), type: plainType(type), text: rstToMarkdown(dedentAll(text)) }
  })
}

const googleHead = /^([A-Z][A-Za-z]+(?: [A-Za-z]+)?):\s*$/

/**
 * Reads a section with an indented body below a title with a colon. Returns the line after it, or
 * null.
 */
function readGoogle(lines: string[], at: number, { parsed, prose }: Place): number | null {
  const title = googleHead.exec(lines[at]!)?.[1]?.toLowerCase()
  if (title === undefined) return null
  let end = at + 1
  while (end < lines.length && (lines[end] === '' || indentOf(lines[end]!) > 0)) end++
  const body = dedentAll(lines.slice(at + 1, end))
  if (body.length === 0) return null
  const list = lists.get(title)
  if (list !== undefined) {
    parsed[list].push(...googleItems(body, list))
    return end
  }
  if (!titles.has(title)) return null
  prose.push('', `**${lines[at]!.trim().slice(0, -1)}**`, '', ...body, '')
  return end
}

function googleItems(body: string[], list: List): DocItem[] {
  const hasNames = list !== 'returns' && list !== 'yields'
  const items: { head: string; text: string[] }[] = []
  for (const line of body) {
    const isHead = line !== '' && indentOf(line) === 0 && (hasNames || items.length === 0)
    if (isHead) items.push({ head: line, text: [] })
    else items.at(-1)?.text.push(line)
  }
  return items.map(({ head, text }) => {
    const colon = colonOutside(head)
    const label = colon < 0 ? '' : head.slice(0, colon).trim()
    const isLabel = hasNames ? colon >= 0 : /^[\w.[\], |]+$/.test(label) && label.length < 60
    const [, name = label, type = ''] = /^([^\s(]+)\s*\((.*)\)$/.exec(label) ?? []
    const own = isLabel ? head.slice(colon + 1).trim() : head
    const whole = rstToMarkdown([own, ...dedentAll(text)])
    if (!isLabel) return { name: hasNames ? head : '', type: '', text: hasNames ? '' : whole }
    return hasNames
      ? { name, type: plainType(type), text: whole }
      : { name: '', type: label, text: whole }
  })
}

/** Returns the offset of the first colon outside brackets, or -1. */
function colonOutside(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    else if (char === ':' && depth <= 0) return at
  }
  return -1
}

const fieldNames = namesOfLists({
  parameters: 'param|parameter|arg|argument|key|keyword|kwarg',
  returns: 'returns|return',
  yields: 'yields',
  raises: 'raises|raise|except|exception',
  attributes: 'ivar|cvar|var',
})

type Fields = { parsed: Docstring; types: Map<string, string> }

/** Reads a field such as `:param name: text`. Returns the line after it, or null. */
function readField(lines: string[], at: number, { parsed, types }: Fields): number | null {
  const [, kind = '', argument = '', first = ''] =
    /^:([a-z]+)((?: [^:\s]+)*):(?:\s+(.*))?$/.exec(lines[at]!) ?? []
  const list = fieldNames.get(kind)
  const isType = kind === 'type' || kind === 'rtype' || kind === 'vartype'
  if (list === undefined && !isType) return null
  let end = at + 1
  while (end < lines.length && (lines[end] === '' || indentOf(lines[end]!) > 0)) end++
  const text = rstToMarkdown([first, ...dedentAll(lines.slice(at + 1, end))])
  const words = argument.trim().split(' ')
  const name = (words.at(-1) ?? '').replace(/\\/g, '')
  if (list === undefined) {
    const isReturn = kind === 'rtype'
    types.set(isReturn ? '' : name, plainType(text))
    if (isReturn && parsed.returns.length === 0)
      parsed.returns.push({ name: '', type: '', text: '' })
    return end
  }
  const type = plainType(words.slice(0, -1).join(' '))
  parsed[list].push({ name: list === 'returns' ? '' : name, type, text })
  return end
}

/** Reads `.. deprecated:: 1.2` or `.. versionadded:: 1.0`. Returns the line after it, or null. */
function readNotice(lines: string[], at: number, parsed: Docstring): number | null {
  const [, kind, version = ''] = /^\.\. (deprecated|versionadded)::\s*(.*)$/.exec(lines[at]!) ?? []
  if (kind === undefined) return null
  let end = at + 1
  while (end < lines.length && (lines[end] === '' || indentOf(lines[end]!) > 0)) end++
  const text = rstToMarkdown(dedentAll(lines.slice(at + 1, end)))
  if (kind === 'versionadded') parsed.since ??= version.trim()
  else
    parsed.deprecated ??= [version.trim() && `since ${version.trim()}`, text]
      .filter((part) => part !== '')
      .join(': ')
      .replace(/\s*\n\s*/g, ' ')
  return end
}

function listed(title: string, items: readonly DocItem[]): string {
  if (items.length === 0) return ''
  return `**${title}**\n\n${items.map(renderItem).join('\n')}`
}

function returned(title: string, items: readonly DocItem[]): string {
  const [only] = items
  if (only === undefined) return ''
  if (items.length > 1) return listed(title, items)
  if (only.type === '' && only.text === '') return ''
  const type = only.type === '' ? '' : ` (\`${only.type}\`)`
  return `**${title}**${type}${only.text === '' ? '' : `: ${only.text}`}`
}

function plainType(type: string): string {
  return type
    .replace(/:[\w:]+:`~?([^`<]*)(?:<[^`]*>)?`/g, '$1')
    .replace(/[`\n]/g, '')
    .replace(/, optional$/, '')
    .trim()
}

function dedentAll(lines: string[]): string[] {
  return trimBlankLines(dedent(`\n${lines.join('\n')}`))
}
