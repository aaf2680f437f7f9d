import { writeTable, toCell } from '../../document/write-markdown.ts'
import { appendLines } from '../../document/block-lines.ts'
import { growthLimitFor, type GrowthLimit } from '../../document/growth.ts'
import type { ReferenceTitles } from '../../document/reference-key.ts'
import { enterModule } from '../rst/rst-object.ts'
import { parseListTable } from '../rst/rst-table.ts'
import { rstToMarkdown } from '../rst/rst-markdown.ts'
import { closesFence, fenceCode, parseFence, type Fence } from '../../document/fence.ts'
import type { ApiLookup } from '../parsed-text.ts'

type MystOptions = {
  growth?: GrowthLimit
  lookup?: ApiLookup | undefined
  titles?: ReferenceTitles | undefined
  /** The default options of autodoc directives. */
  defaults?: ReadonlyMap<string, string> | undefined
}

type MystDirective = {
  name: string
  argument: string
  options: ReadonlyMap<string, string>
  body: string[]
}

/**
 * Converts MyST directives without Markdown content: tables of contents, pictures, lists as tables,
 * formulas, glossaries, buttons, rst and documented objects. Removes comments (`% text`) and cell
 * marks (`+++`). Leaves other directives and code unchanged.
 */
export function mystToMarkdown(text: string, options: MystOptions = {}): string {
  const { growth = growthLimitFor(text.length) } = options
  const current = { module: '' }
  const lines = text.split('\n')
  const colons = lastColons(lines)
  const out: string[] = []
  // Open fences with text content, outermost first.
  const open: Fence[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const [, indent = '', mark = '', name, argument = ''] = opening.exec(line) ?? []
    // The text in a directive is read like other text.
    const isText = name !== undefined && !rendered.test(name) && !code.test(name)
    const isClosing = open.length > 0 && closesFence(open.at(-1)!, line.trim())
    if (isText || isClosing) {
      const fence = isText ? parseFence(line.trimStart()) : open.pop()!
      if (isText && fence !== null) open.push(fence)
      out.push(line)
      at++
      continue
    }
    const end = endOf(lines, at, { mark, colons })
    if (end === at) {
      if (!hidden.test(line)) out.push(line)
      at++
      continue
    }
    const isRendered = name !== undefined && rendered.test(name)
    const inner = lines
      .slice(at + 1, end)
      .map((it) => (it.startsWith(indent) ? it.slice(indent.length) : it))
    const output = isRendered
      ? directiveText(directiveOf(name, argument.trim(), inner), { ...options, current })
      : null
    if (output === null) appendLines(out, lines.slice(at, end + 1))
    else if (growth.take(output.reduce((sum, it) => sum + it.length + indent.length + 1, 0)))
      appendLines(out, ['', ...output.map((it) => (it === '' ? '' : indent + it)), ''])
    at = end + 1
  }
  return out.join('\n')
}

const opening = /^(\s*)(`{3,}|~{3,}|:{3,})\{([\w:-]+)\}(.*)$/
/** Matches a comment, a cell mark, or attributes of the next block. */
const hidden =
  /^(?: {0,3}%|\+{3}[ \t]*(?:\{.*\})?[ \t]*$|\{(?:\s?(?:[.#][\w-]+|[\w-]+="?[\w-]*"?))+\}[ \t]*$)/
const code = /^(?:code-cell|literalinclude|include|mermaid|prompt)$/
const listing = /^(?:code|code-block|sourcecode)$/
const dropped = /^(?:contents|index|meta|tableofcontents|(?:py:)?(?:current)?module|bibliography)$/
const asRst = new RegExp(
  '^(?:eval-rst|auto[a-z]+|(?:py|c|cpp|js|std):[a-z]+|function|class|method|attribute|option' +
    '|envvar)$',
)
const rendered = new RegExp(
  `${asRst.source}|${dropped.source}|${listing.source}|^(?:toctree|figure|image` +
    '|(?:csv|list)-table|math|glossary|rubric|raw|button-(?:ref|link))$',
)

/** Returns the last line that consists of each number of colons. */
function lastColons(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    lines.flatMap((line, at) => (/^\s*:{3,}\s*$/.test(line) ? [[line.trim(), at]] : [])),
  )
}

/** Returns the line that closes the fence or directive at a line, or the line itself. */
function endOf(
  lines: readonly string[],
  at: number,
  { mark, colons }: { mark: string; colons: ReadonlyMap<string, number> },
): number {
  if (mark.startsWith(':')) {
    if ((colons.get(mark) ?? -1) <= at) return at
    let end = at + 1
    while (lines[end]!.trim() !== mark) end++
    return end
  }
  const fence = parseFence(mark === '' ? lines[at]! : lines[at]!.trimStart())
  if (fence === null) return at
  let end = at + 1
  while (end < lines.length && !closesFence(fence, mark === '' ? lines[end]! : lines[end]!.trim()))
    end++
  return Math.min(end, lines.length - 1)
}

/**
 * Parses a directive. Options are `:name: value` lines, or `name: value` lines between two `---`
 * lines. Values are YAML scalars and can be quoted.
 */
export function directiveOf(
  name: string,
  argument: string,
  lines: readonly string[],
): MystDirective {
  const options = new Map<string, string>()
  const isYaml = lines[0]?.trim() === '---'
  let at = isYaml ? 1 : 0
  let last = ''
  for (; at < lines.length; at++) {
    const [, key, value = ''] = /^\s*:?([\w-]+):(?:\s+(.*))?$/.exec(lines[at]!) ?? []
    // A long value, `:name: >`, continues on lines that start with a colon and a space.
    const [, more] = /^\s*:\s+(\S.*)$/.exec(lines[at]!) ?? []
    if (more !== undefined && last !== '') {
      options.set(last, `${options.get(last)} ${more}`.replace(/^[>|]-? /, '').trim())
      continue
    }
    if (key === undefined || (!isYaml && !lines[at]!.trimStart().startsWith(':'))) break
    last = key
    options.set(key, value.trim().replace(/^(['"])(.*)\1$/, '$2'))
  }
  if (isYaml && lines[at]?.trim() === '---') at++
  while (lines[at]?.trim() === '') at++
  return { name, argument, options, body: lines.slice(at) }
}

/** `current` contains the last module named on the page. */
type Context = MystOptions & { current: { module: string } }

/** Returns the lines that replace a directive, or null to keep it. */
function directiveText(directive: MystDirective, options: Context): string[] | null {
  const { name, argument, body } = directive
  enterModule(directive, options.current)
  if (dropped.test(name)) return []
  if (name === 'math') return ['$$', ...(argument === '' ? [] : [argument]), ...body, '$$']
  if (listing.test(name)) {
    const caption = directive.options.get('caption') ?? ''
    const fence = fenceCode(body.join('\n'), argument).split('\n')
    return caption === '' ? fence : [`**${caption}**`, '', ...fence]
  }
  if (name === 'rubric') return [`**${argument}**`]
  if (name === 'raw') return argument === 'html' ? body : []
  if (name === 'list-table') return listTable(directive)
  if (name === 'csv-table' && directive.options.has('file')) return null
  if (name === 'glossary') return body.map(definition)
  if (name.startsWith('button')) return [`[${body.join(' ').trim() || argument}](${argument})`]
  if (name !== 'figure' && name !== 'image') return rstText(directive, options)
  const alt = directive.options.get('alt') ?? ''
  const caption = body.length === 0 ? [] : ['', ...body]
  return [`![${alt.replace(/[[\]]/g, '')}](${argument})`, ...caption]
}

/** Returns a line of a glossary, in which the meaning is indented below the term. */
function definition(line: string): string {
  const text = line.trim()
  return text === '' || /^\s/.test(line) ? text : `**${text}**\n`
}

/** Converts rows `* - a` with cells `  - b` to a table; null if a line is in no cell. */
function listTable({ argument, body }: MystDirective): string[] | null {
  const table = parseListTable(body, 1)
  if (table === null) return null
  const lines = writeTable(table.rows.map((row) => row.map(toCell))).split('\n')
  return argument === '' ? lines : [`**${argument}**`, '', ...lines]
}

/** Converts rst, or a Sphinx directive for an object, which has the same options in rst. */
function rstText(
  { name, argument, options, body }: MystDirective,
  { lookup, titles, current, defaults = new Map() }: Context,
): string[] {
  const fields = [...options].map(([key, value]) => `   :${key}: ${value}`.trimEnd())
  const content = body.map((line) => (line === '' ? '' : `   ${line}`))
  const rst =
    name === 'eval-rst' ? body : [`.. ${name}:: ${argument}`.trimEnd(), ...fields, '', ...content]
  const output = rstToMarkdown(rst.join('\n'), { lookup, titles, current, defaults })
  return output.replaceAll('\t', '').trim().split('\n')
}
