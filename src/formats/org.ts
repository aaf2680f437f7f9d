import { writeTable } from '../document/write-markdown.ts'
import { fenceCode } from '../document/fence.ts'

/** An Org document as Markdown. Missing keywords are null. */
type OrgPage = {
  title: string | null
  description: string | null
  language: string | null
  text: string
}

/**
 * Converts an Org document to Markdown. Headlines become headings without states, tags or
 * properties. Source and example blocks become fences. Also converts links, emphasis, lists and
 * tables.
 */
export function parseOrg(text: string): OrgPage {
  const lines = text.split('\n')
  const keywords = new Map<string, string>()
  const out: string[] = []
  const ends = lastEnds(lines)
  for (let at = 0; at < lines.length; ) at = scanLine(lines, { at, out, keywords, ends })
  const markdown = out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return {
    title: plain(keywords.get('title')),
    description: plain(keywords.get('description')),
    language: plain(keywords.get('language')),
    text: `${markdown}\n`,
  }
}

function plain(value: string | undefined): string | null {
  return value?.trim() || null
}

type Scan = {
  at: number
  out: string[]
  keywords: Map<string, string>
  /** The last line that ends a block of each kind. */
  ends: ReadonlyMap<string, number>
}

function lastEnds(lines: readonly string[]): Map<string, number> {
  return new Map(
    lines.flatMap((line, at) => {
      const kind = /^\s*#\+end_(\w+)\s*$/i.exec(line)?.[1]
      return kind === undefined ? [] : [[kind.toLowerCase(), at]]
    }),
  )
}

/** Converts the element that starts at a line. Returns the next line to read. */
function scanLine(lines: readonly string[], { at, out, keywords, ends }: Scan): number {
  const line = lines[at]!
  const [, stars = '', title = ''] = /^(\*+)\s+(.*)$/.exec(line) ?? []
  if (stars !== '') {
    if (isHiddenHeadline(title)) return subtreeEnd(lines, at, stars.length)
    out.push('', `${'#'.repeat(Math.min(6, stars.length))} ${headline(title)}`, '')
    return at + 1
  }
  const [, indent = '', kind, rest = ''] = /^(\s*)#\+begin_(\w+)(.*)$/i.exec(line) ?? []
  if (kind !== undefined) {
    const isClosed = (ends.get(kind.toLowerCase()) ?? -1) > at
    return isClosed ? block(lines, { at, out, indent, kind: kind.toLowerCase(), rest }) : at + 1
  }
  // A drawer: `:PROPERTIES:` … `:END:`.
  if (/^\s*:[A-Z_-]+:\s*$/i.test(line)) return drawerEnd(lines, at)
  const [, key, value = ''] = /^\s*#\+([\w-]+):(.*)$/.exec(line) ?? []
  if (key !== undefined) {
    const name = key.toLowerCase()
    if (!keywords.has(name)) keywords.set(name, value)
    if (name === 'caption' && value.trim() !== '') out.push(inline(value.trim()), '')
    return at + 1
  }
  if (/^\s*#(?: |$)/.test(line) || /^\s*(?:SCHEDULED|DEADLINE|CLOSED):/.test(line)) return at + 1
  if (/^\s*: |^\s*:$/.test(line)) return fixedWidth(lines, at, out)
  if (/^\s*\|/.test(line)) return table(lines, at, out)
  out.push(inline(listItem(line)))
  return at + 1
}

/** True if Org does not export a headline and its text. */
function isHiddenHeadline(title: string): boolean {
  return (
    /^COMMENT(?:\s|$)/.test(title) || /\s:(?:[\w@#%]+:)*noexport:(?:[\w@#%]+:)*\s*$/.test(title)
  )
}

function subtreeEnd(lines: readonly string[], at: number, level: number): number {
  let end = at + 1
  while (end < lines.length && !(stars(lines[end]!) <= level)) end++
  return end
}

function stars(line: string): number {
  return /^(\*+)\s/.exec(line)?.[1]?.length ?? NaN
}

/** Removes the state, priority and tags of a headline. */
function headline(title: string): string {
  const bare = title
    .replace(/^(?:TODO|DONE|WAITING|NEXT|CANCELLED)\s+/, '')
    .replace(/^\[#[A-Z]\]\s+/, '')
  const open = bare.trimEnd().endsWith(':') ? bare.lastIndexOf(' :') : -1
  const isTagged = open > 0 && /^ :[\w@#%:]+:\s*$/.test(bare.slice(open))
  return inline(isTagged ? bare.slice(0, open).trimEnd() : bare.trim())
}

type Block = { at: number; out: string[]; indent: string; kind: string; rest: string }

function block(lines: readonly string[], { at, out, indent, kind, rest }: Block): number {
  const isEnd = (line: string) => line.trim().toLowerCase() === `#+end_${kind}`
  let end = at + 1
  while (end < lines.length && !isEnd(lines[end]!)) end++
  const inner = lines
    .slice(at + 1, end)
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()))
  out.push('')
  if (kind === 'quote' || kind === 'verse') {
    for (const line of inner) out.push(`> ${inline(line)}`.trimEnd())
  } else if (kind === 'src' || kind === 'example' || kind === 'export') {
    const language = kind === 'src' || kind === 'export' ? (/[\w+#-]+/.exec(rest)?.[0] ?? '') : ''
    // Org puts a comma before lines that look like headlines or keywords.
    const code = inner.map((line) => line.replace(/^(\s*),(?=[*#,])/, '$1')).join('\n')
    out.push(fenceCode(code, language))
  } else if (kind !== 'comment') {
    for (const line of inner) out.push(inline(line))
  }
  out.push('')
  return end + 1
}

function drawerEnd(lines: readonly string[], at: number): number {
  for (let to = at + 1; to < Math.min(lines.length, at + 200); to++) {
    if (/^\s*:END:\s*$/i.test(lines[to]!)) return to + 1
  }
  return at + 1
}

function fixedWidth(lines: readonly string[], at: number, out: string[]): number {
  let to = at
  while (to < lines.length && /^\s*:(?: |$)/.test(lines[to]!)) to++
  const code = lines
    .slice(at, to)
    .map((line) => line.replace(/^\s*: ?/, ''))
    .join('\n')
  out.push('', fenceCode(code, ''), '')
  return to
}

function table(lines: readonly string[], at: number, out: string[]): number {
  let to = at
  while (to < lines.length && /^\s*\|/.test(lines[to]!)) to++
  const rows = lines.slice(at, to).map((line) => line.trim())
  const cells = rows
    .filter((row) => !/^\|[-+|]+$/.test(row))
    .map((row) =>
      row
        .replace(/^\||\|$/g, '')
        .split('|')
        .map((cell) => inline(cell.trim())),
    )
  out.push('', writeTable(cells), '')
  return to
}

/** Converts `+ item` and `- term :: text` to Markdown list items. */
function listItem(line: string): string {
  const [, before = '', item = ''] = /^(\s*)(?:[-+]|\*(?<=\s\*))\s+(.*)$/.exec(line) ?? []
  if (item === '') return line
  const at = item.indexOf(' :: ')
  return `${before}- ${at < 0 ? item : `**${item.slice(0, at).trim()}**: ${item.slice(at + 4)}`}`
}

const literal = /(?<![\w=~])([=~])(\S(?:[^\n]{0,300}?\S)?)\1(?!\w)/g
const link = /\[\[([^[\]]+)\](?:\[([^[\]]+)\])?\]/g

/** Converts inline markup to Markdown. Leaves code unchanged. */
function inline(line: string): string {
  if (!/[=~[*/_+\\]/.test(line)) return line
  const codes: string[] = []
  const holed = line
    .replaceAll('\0', ' ')
    .replace(literal, (_, __, code: string) => `\0${codes.push(`\`${code}\``) - 1}\0`)
  const content = holed
    .replace(link, (_, target: string, words?: string) => linkText(target, words))
    .replace(emphasis('*'), '**$1**')
    .replace(emphasis('/'), '*$1*')
    .replace(emphasis('+'), '~~$1~~')
    .replace(/\[fn:([\w-]+)\]/g, '[^$1]')
    .replace(/\\\\\s*$/, '')
  return content.replace(/\0(\d+)\0/g, (_, index) => codes[Number(index)] ?? '')
}

function emphasis(mark: string): RegExp {
  const own = `\\${mark}`
  return new RegExp(
    `(?<![\\w${own}/:.])${own}(?=\\S)([^${own}\\n]+?)(?<=\\S)${own}(?![\\w${own}/])`,
    'g',
  )
}

function linkText(target: string, words: string | undefined): string {
  const address = target.replace(/^file:/, '')
  if (words === undefined)
    return /^https?:/.test(address) ? `<${address}>` : address.replace(/^[*#]/, '')
  return `[${words}](${address.replace(/^\*/, '#')})`
}
