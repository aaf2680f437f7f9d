import { asTitle, columnsBefore } from './block-lines.ts'
import { linesWithoutRoles, withoutRoles } from './rst-role.ts'

/**
 * reStructuredText as it is read, still as rst: admonitions, tabs and cards become their title and
 * their text, unindented; what is documented becomes its signature; roles become their text. Code
 * blocks, tables, pictures and directives that are not known stay as written; labels, tables of
 * contents and settings go.
 */
export function rstText(text: string): string {
  const lines = text.split('\n')
  return blockText(lines, { depth: 0, names: replacements(lines) }).join('\n')
}

/** `names`: what stands for `|name|`. */
type Context = { depth: number; names: ReadonlyMap<string, string> }

const replacement = /^\s*\.\. \|([^|]+)\| replace::[ \t]*(.*)$/

function replacements(lines: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const [at, line] of lines.entries()) {
    const [, name, words = ''] = replacement.exec(line) ?? []
    if (name === undefined) continue
    const more = lines.slice(at + 1, bodyEnd(lines, at)).map((other) => other.trim())
    found.set(name, [words.trim(), ...more].join(' ').trim())
  }
  return found
}

/** A value may name another one, but goes no further. */
function withNames(lines: string[], names: Context['names']): string[] {
  if (names.size === 0) return lines
  const once = (text: string) =>
    text.replace(named, (whole, name: string) => names.get(name) ?? whole)
  const isRow = (line: string) => /^\s*\|.* \| .*\|\s*$/.test(line)
  return lines.map((line) => isRow(line) ? line : once(once(line)))
}

const named = /(?<![\w|])\|([^|\s](?:[^|\n]*[^|\s])?)\|_{0,2}(?!\w)/g

type Directive = {
  name: string
  argument: string
  /** The lines on which the argument goes on. */
  more: string[]
  options: Map<string, string>
  /** Its text without the indentation that all of it shares. */
  body: string[]
  /** Its lines as they are written. */
  written: string[]
}

/** Deeper than this, text is left as it is written. */
const depthLimit = 20

/** The lines of one block, whose indentation is taken away. */
function blockText(lines: readonly string[], context: Context): string[] {
  const out: string[] = []
  let prose: string[] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ''
    const end = opaqueEnd(lines, at)
    const isExplicit = /^\s*\.\.(?: |$)/.test(line)
    const isDoctest = /^\s*>>> /.test(line)
    // The paragraph before a literal block ends with its two colons.
    if (!isExplicit && !isDoctest) prose.push(line)
    if (isExplicit || isDoctest || end > at + 1) {
      out.push(...linesWithoutRoles(withNames(prose, context.names)))
      prose = []
    }
    if (isExplicit) out.push(...explicitText(lines, { at, end, context }))
    else out.push(...lines.slice(isDoctest ? at : at + 1, end))
    at = end
  }
  return [...out, ...linesWithoutRoles(withNames(prose, context.names))]
}

/** The line after what begins at a line: explicit markup, a literal block, doctests, or itself. */
function opaqueEnd(lines: readonly string[], at: number): number {
  const line = lines[at] ?? ''
  if (/^\s*\.\.(?: |$)/.test(line)) return bodyEnd(lines, at)
  const held = /^\s*(?:[-*+]|\d+\.|#\.)\s.*?\.\. ([\w-]+)::/.exec(line)?.[1]
  if (held !== undefined) return isLiteral.test(held) ? bodyEnd(lines, at) : at + 1
  if (/::\s*$/.test(line) && !/^\s*:\S/.test(line)) return bodyEnd(lines, at)
  if (!/^\s*>>> /.test(line)) return at + 1
  let end = at + 1
  while (end < lines.length && lines[end]?.trim() !== '') end++
  return end
}

/** A directive at the start of a list item is left there; what it holds is code or text. */
const isLiteral = /code|doctest|literal|raw|math|prompt/

/** The line after what is indented deeper, without the blank lines at its end. */
function bodyEnd(lines: readonly string[], at: number): number {
  const column = columnsBefore(lines[at] ?? '')
  let end = at + 1
  for (let to = end; to < lines.length; to++) {
    const columns = columnsBefore(lines[to] ?? '')
    if (columns !== Infinity && columns <= column) break
    if (columns !== Infinity) end = to + 1
  }
  return end
}

type Place = { at: number; end: number; context: Context }

function explicitText(lines: readonly string[], { at, end, context }: Place): string[] {
  const written = lines.slice(at, end)
  const head = written[0] ?? ''
  // A label; with an address it is the target of a link.
  if (/^\s*\.\. _[^:]*(?:\\:[^:]*)*:\s*$/.test(head) && written.length === 1) return []
  if (replacement.test(head)) return []
  // Footnotes and citations are text.
  if (/^\s*\.\. \[/.test(head)) return linesWithoutRoles(withNames(written, context.names))
  const directive = parsed(written)
  if (directive === null || context.depth > depthLimit) return written
  const indent = /^\s*/.exec(head)?.[0] ?? ''
  const shown = directiveText(directive, { ...context, depth: context.depth + 1 })
  return shown.map((line) => line.trim() === '' ? '' : indent + line)
}

function parsed(written: string[]): Directive | null {
  const [, name, argument = ''] =
    /^\s*\.\. ([A-Za-z][\w:+.-]*?) ?::(?:[ \t]+(.*))?$/.exec(written[0] ?? '') ?? []
  if (name === undefined) return null
  const more: string[] = []
  const options = new Map<string, string>()
  let at = 1
  // Code may begin at once, and no argument of it goes on.
  const isCode = code.test(name.toLowerCase())
  while (!isCode && at < written.length && !/^\s*(?:$|:[\w-]+:(?:\s|$))/.test(written[at]!)) {
    more.push(written[at++]!.trim())
  }
  for (; at < written.length; at++) {
    const [, option, value = ''] = /^\s+:([\w-]+):[ \t]*(.*)$/.exec(written[at] ?? '') ?? []
    if (option === undefined) break
    options.set(option, value.trim())
  }
  const body = shared(written.slice(at))
  return { name: name.toLowerCase(), argument: argument.trim(), more, options, body, written }
}

function shared(lines: string[]): string[] {
  const columns = lines.map((line) => line.length - line.trimStart().length)
  const least = Math.min(...columns.filter((_, i) => lines[i]?.trim() !== ''))
  return Number.isFinite(least) ? lines.map((line) => line.slice(least)) : []
}

const dropped = new RegExp(
  '^(?:toctree|contents|index|meta|default-domain|cssclass|rst-class|highlight|sectnum|testsetup'
  + '|testcleanup|currentmodule|py:currentmodule|tabularcolumns|twitter|only-dark)$')

const boxes = new RegExp(
  '^(?:tab-set|tabs|grid|container|only|ifconfig|div|compound|card-carousel|epigraph|pull-quote'
  + '|hlist|centered|button-ref|button-link|grid-item|margin|tabs-drivers|tabs-platforms|when)$')

const admonitions = new RegExp(
  '^(?:note|tip|hint|warning|caution|danger|attention|important|error|seealso|see|todo|example)$')

const titled = new RegExp(
  '^(?:admonition|topic|sidebar|rubric|dropdown|card|grid-item-card|collapse|details|tab-item|tab'
  + '|group-tab)$')

const code = /^(?:testcode|testoutput|code|sourcecode|prompt|ipython|jupyter-execute|code-tab)$/

const opaque = new RegExp(
  '^(?:code-block|doctest|literalinclude|include|raw|math|image|graphviz|mermaid'
  + '|plantuml|productionlist|unicode|date|query-param-ref|annotations|click|image-sg|thumbnail'
  + '|video|youtube)$')

/** `.. function::`, `.. py:method::`, `.. setting::`: the argument is what is documented. */
const documented = new RegExp(
  '^(?:(?:py|c|cpp|js|rst|std|http|mongodb):)?(?:function|class|method|classmethod|staticmethod'
  + '|attribute|data|exception|module|decorator|property|option|cmdoption|program|envvar|setting'
  + '|describe|object|macro|type|struct|member|enum|var|directive|role|confval|django-admin'
  + '|django-admin-option|templatetag|templatefilter|fieldlookup|dbcommand|pipeline|query|update'
  + '|expression|bsontype|authaction|authrole|limit|parameter|readconcern|writeconcern|group'
  + '|serverstatus|rsconf|replstate|operator|binary|collflag|readmode|projection|signal|lookup'
  + '|get|post|put|delete|patch)$|^auto(?:class|function|method|module|data|attribute|exception'
  + '|property|decorator|pydantic_model)$')

function directiveText(directive: Directive, context: Context): string[] {
  const { name, body, written } = directive
  const inner = () => blockText(body, context)
  if (dropped.test(name)) return []
  if (opaque.test(name)) return shared(written)
  if (name === 'parsed-literal') return linesWithoutRoles(shared(written))
  if (code.test(name)) return codeText(directive)
  if (boxes.test(name)) return paragraphs(linesWithoutRoles(directive.more), inner())
  if (admonitions.test(name)) {
    const title = `**${asTitle(name === 'seealso' ? 'See also' : name)}**`
    return paragraphs([title], [...firstLines(directive), ...inner()])
  }
  if (titled.test(name)) return paragraphs([titleOf(directive)], inner())
  if (/^(?:version|deprecated)/.test(name)) return versionText(directive, inner())
  if (documented.test(name)) return paragraphs(signatures(directive), inner())
  if (name === 'autosummary') return paragraphs(summaries([...directive.more, ...body]))
  return [written[0]?.trim() ?? '', ...indented(blockText(shared(written.slice(1)), context))]
}

/** The text of an admonition may begin on its first line. */
function firstLines({ argument, more }: Directive): string[] {
  return linesWithoutRoles([argument, ...more].filter((line) => line !== ''))
}

function indented(lines: string[]): string[] {
  return lines.map((line) => line === '' ? '' : `   ${line}`)
}

/** Blocks apart from each other, and from what follows. */
function paragraphs(...blocks: string[][]): string[] {
  const out: string[] = []
  for (const block of blocks) {
    const lines = [...block]
    while (lines[0]?.trim() === '') lines.shift()
    while (lines.at(-1)?.trim() === '') lines.pop()
    if (lines.length > 0) out.push(...out.length > 0 ? [''] : [], ...lines)
  }
  return out
}

function titleOf({ name, argument, more }: Directive): string {
  if (argument === '') return ''
  const title = withoutRoles([argument, ...more].join(' '))
  if (/^(?:tab-item|tab|group-tab)$/.test(name)) return `${title}:`
  return title.includes('*') ? title : `**${title}**`
}

const versions: Record<string, string> = {
  versionadded: 'Added in version', versionchanged: 'Changed in version',
  deprecated: 'Deprecated since version', versionremoved: 'Removed in version',
}

function versionText({ name, argument, more }: Directive, body: string[]): string[] {
  const [version = '', ...rest] = [argument, ...more].join(' ').split(/\s+/)
  const head = `${versions[name] ?? asTitle(name)} ${version}`.trim()
  const words = withoutRoles(rest.join(' '))
  return paragraphs([words === '' ? `**${head}**` : `**${head}:** ${words}`], body)
}

/** Several signatures stand on lines of their own. */
function signatures({ argument, more }: Directive): string[] {
  return [argument, ...more].filter((line) => line !== '')
    .map((line) => `\`\`${line.replace(/\\+$/, '')}\`\``)
}

/** Each name that a table of generated pages lists. */
function summaries(body: string[]): string[] {
  return body.filter((line) => /^\s*~?[\w.]+\s*$/.test(line))
    .map((line) => `- \`\`${line.trim().replace(/^~/, '')}\`\``)
}

/** Code under the name that every reader knows, with its caption. */
function codeText({ name, argument, options, body }: Directive): string[] {
  const [first = '', ...title] = argument.split(/\s+/)
  const language = first !== '' && name !== 'testcode' && name !== 'testoutput' ? first
    : languages[name] ?? ''
  const head = [`.. code-block:: ${language}`.trimEnd()]
  const caption = options.get('caption') ?? ''
  if (caption !== '') head.push(`   :caption: ${caption}`)
  const label = name === 'code-tab' && title.length > 0 ? [`${title.join(' ')}:`, ''] : []
  const lines = paragraphs(body)
  if (lines.length === 0) return []
  return [...label, ...head, '', ...lines.map((line) => line.trim() === '' ? '' : `   ${line}`)]
}

const languages: Record<string, string> = {
  testcode: 'python', testoutput: 'text', ipython: 'python', 'jupyter-execute': 'python',
  prompt: 'bash',
}
