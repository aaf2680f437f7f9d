import { dedent } from '../../document/block-lines.ts'
import { indentOf, trimBlankLines } from './indent.ts'

/**
 * Converts the reStructuredText in docstrings to Markdown: roles, literals, literal blocks,
 * interpreter sessions and directives. Leaves Markdown unchanged.
 */
export function rstToMarkdown(source: string[]): string {
  const lines = joinRoles(source)
  const output: string[] = []
  for (let at = 0; at < lines.length; ) {
    at =
      copyFence(lines, at, output) ??
      readSession(lines, at, output) ??
      readDirective(lines, at, output) ??
      readLiteral(lines, at, output) ??
      (output.push(inline(lines[at]!)), at + 1)
  }
  return trimBlankLines(output)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
}

const openRole = /:[a-z][\w:+-]{0,30}:`[^`]*$/

/** Joins lines if a role continues on the next line. */
function joinRoles(lines: string[]): string[] {
  const joined: string[] = []
  for (const line of lines) {
    const last = joined.at(-1) ?? ''
    if (line.includes('`') && openRole.test(last)) joined.push(`${joined.pop()} ${line.trim()}`)
    else joined.push(line)
  }
  return joined
}

/** Copies a fenced Markdown block. Returns the line after it, or null. */
export function copyFence(lines: string[], at: number, output: string[]): number | null {
  const mark = /^ *(`{3,}|~{3,})/.exec(lines[at]!)?.[1]
  if (mark === undefined) return null
  let end = at + 1
  while (end < lines.length && !lines[end]!.trimStart().startsWith(mark)) end++
  output.push(...lines.slice(at, end + 1))
  return end + 1
}

/** Reads an interpreter session, which ends at a blank line. */
function readSession(lines: string[], at: number, output: string[]): number | null {
  if (!/^ *>>> /.test(lines[at]!)) return null
  const indent = indentOf(lines[at]!)
  let end = at
  while (end < lines.length && isOfSession(lines, end)) end++
  const code = trimBlankLines(lines.slice(at, end)).map((line) => line.slice(indent))
  output.push('```python', ...code, '```', '')
  return end
}

function isOfSession(lines: string[], at: number): boolean {
  return lines[at] !== '' || /^ *>>> /.test(lines[at + 1] ?? '')
}

const labels = new Map<string, string>(
  Object.entries({
    note: 'Note',
    warning: 'Warning',
    caution: 'Warning',
    important: 'Note',
    tip: 'Tip',
    hint: 'Tip',
    attention: 'Warning',
    danger: 'Warning',
    seealso: 'See also',
    versionchanged: 'Changed in version',
    versionadded: 'New in version',
    deprecated: 'Deprecated since version',
  }),
)
const codeNames = new Set(['code', 'code-block', 'sourcecode', 'doctest', 'testcode', 'ipython'])
/** Directives without visible text. */
const silent = new Set([
  'image',
  'figure',
  'plot',
  'index',
  'contents',
  'autosummary',
  'currentmodule',
])

/** Reads `.. name:: argument` and its block. Returns the line after it, or null. */
function readDirective(lines: string[], at: number, output: string[]): number | null {
  const line = lines[at]!
  const [, name, argument = ''] = /^ *\.\. ([\w:-]+)::(?: +(.*))?$/.exec(line) ?? []
  if (name === undefined) return readComment(lines, at)
  const indent = indentOf(line)
  let end = at + 1
  while (end < lines.length && (lines[end] === '' || indentOf(lines[end]!) > indent)) end++
  const block = dedent(lines.slice(at + 1, end))
  const body = trimBlankLines(block.filter((one) => !/^:[\w-]+:(?: |$)/.test(one)))
  if (silent.has(name)) return end
  if (codeNames.has(name)) output.push(`\`\`\`${argument.trim() || 'python'}`, ...body, '```', '')
  else if (labels.has(name)) {
    output.push('', labelledText(name, { argument, body }), '')
  } else output.push(...[inline(argument), ...rstToMarkdown(body).split('\n'), ''])
  return end
}

/**
 * Returns `**Note:** text` or `**New in version 2.0:** text`. The text can start on the line of the
 * directive or below it.
 */
function labelledText(
  name: string,
  { argument, body }: { argument: string; body: string[] },
): string {
  const isVersion = /^(version|deprecated)/.test(name)
  const [version = ''] = isVersion ? argument.split(' ') : []
  const blank = body.indexOf('')
  const opening = blank < 0 ? body : body.slice(0, blank)
  const isProse = opening.every((line) => !/^ *(\.\. |[-*+] |>>> )/.test(line))
  const rest = isProse ? body.slice(opening.length) : body
  const words = [
    argument.slice(version.length).trim(),
    ...(isProse ? opening.map((line) => line.trim()) : []),
  ]
  const text = rstToMarkdown(words.filter((line) => line !== ''))
  const label = version === '' ? labels.get(name)! : `${labels.get(name)} ${inline(version)}`
  return [`**${label}${text === '' ? '' : ':'}**${text && ` ${text}`}`, '', rstToMarkdown(rest)]
    .join('\n')
    .trimEnd()
}

/** Skips a link target or a comment, such as `.. _name: address`. */
function readComment(lines: string[], at: number): number | null {
  return /^ *\.\. (_|\[)/.test(lines[at]!) ? at + 1 : null
}

/** Reads the indented block below a line that ends with `::`. */
function readLiteral(lines: string[], at: number, output: string[]): number | null {
  const line = lines[at]!
  if (!line.endsWith('::')) return null
  const indent = indentOf(line)
  let end = at + 1
  while (end < lines.length && (lines[end] === '' || indentOf(lines[end]!) > indent)) end++
  const block = trimBlankLines(lines.slice(at + 1, end))
  if (block.length === 0) return null
  const lead = inline(line.slice(0, -1)).trimEnd()
  if (lead.trim() !== ':') output.push(lead, '')
  output.push('```python', ...dedent(block), '```', '')
  return end
}

/**
 * An invisible character (U+2060) around the label of a section or page. A later step, which knows
 * all pages, replaces the label with its title.
 */
export const referenceMark = '\u2060'

const proseRole = /:(?:std:)?(?:ref|doc|any|numref|term):`([^`<>]{1,300})(<[^<>`]{1,300}>)?`/g

/** Converts the roles, literals and links of a line. */
function inline(line: string): string {
  if (!line.includes('`')) return line
  return (
    line
      .replace(proseRole, (_, text: string, label?: string) =>
        label === undefined ? referenceMark + text + referenceMark : text.trim(),
      )
      .replace(/:[a-z][\w:+-]{0,30}:`([^`]{1,300})`/g, (_, text: string) => `\`${roleText(text)}\``)
      .replace(/``([^`]{1,300})``/g, '`$1`')
      // A backslash connects a name and its plural ending.
      .replace(/`\\(?=\w)/g, '`')
      .replace(/`([^`<]{1,200}) <(https?:[^>`]{1,500})>`__?/g, '[$1]($2)')
  )
}

/** Returns `Name` for `~pkg.Name`, `Name` for `.Name`, and `text` for `text <target>`. */
function roleText(text: string): string {
  const shown = text.replace(/ *<[^<>]*>$/, '')
  return shown.startsWith('~')
    ? shown.slice(shown.lastIndexOf('.') + 1).replace(/^~/, '')
    : shown.replace(/^[!.](?=\w)/, '')
}
