import { wordMap } from '../../document/word-set.ts'
import { noteNames } from '../../document/note-names.ts'
import { appendLines, toTitle } from '../../document/block-lines.ts'
import { markBoxTitle, boxEndMark, removeBoxMarks } from '../../document/box.ts'
import { growthLimitFor, type GrowthLimit } from '../../document/growth.ts'
import { dedent as docstringLines } from '../../api/docstring/indent.ts'
import type { ApiLookup } from '../api-lookup.ts'
import {
  bodyEnd,
  dedent,
  lineOf,
  linesOf,
  keptNames,
  type RstPart,
  isSubstitution,
  replacements,
  withNames,
  type Substitutions,
} from './rst-part.ts'
import {
  autoText,
  enterModule,
  isAutoDirective,
  qualifiedSignature,
  scopeInside,
  summaryLines,
  type ObjectScope,
} from './rst-object.ts'
import { referenceKey, type ReferenceTitles } from '../reference-key.ts'
import {
  linesWithoutRoles,
  modulePrefixes,
  withReferences,
  withoutModules,
  withoutRoles,
} from './rst-role.ts'

/**
 * `lookup` finds the objects of directives such as `autoclass`, whose options are `defaults`.
 * `current` has the module that an earlier text of the page named.
 */
type RstOptions = {
  current?: ObjectScope['current']
  growth?: GrowthLimit
  titles?: ReferenceTitles | undefined
  lookup?: ApiLookup | undefined
  defaults?: ReadonlyMap<string, string> | undefined
}

/**
 * Simplifies reStructuredText to readable rst. Admonitions, tabs and cards become their title and
 * their unindented text (`box.ts`); documented objects become their signature; roles become their
 * text. Code blocks, tables, pictures and unknown directives stay unchanged. Labels, settings and
 * tables of contents are removed, except visible lists of pages.
 */
export function simplifyRst(text: string, options: RstOptions = {}): string {
  const { growth = growthLimitFor(text.length), lookup, titles, defaults = new Map() } = options
  const { current = { module: '' } } = options
  const lines = removeBoxMarks(text).split('\n')
  const part = { lines, from: 0, to: lines.length, cut: 0 }
  const scope = { lookup, current, owner: '', defaults }
  return blockText(part, { depth: 0, names: replacements(part), growth, scope, titles }).join('\n')
}

/** The state of a block. */
type Context = Substitutions & {
  depth: number
  scope: ObjectScope
  titles: ReferenceTitles | undefined
}

type Directive = {
  name: string
  argument: string
  /** Continuation lines of the argument. */
  more: string[]
  options: Map<string, string>
  /** The content without the shared indentation. */
  body: RstPart
  /** All lines, as in the source. */
  written: RstPart
}

/** Maximum nesting of directives; deeper ones stay unchanged. */
const depthLimit = 20

/** Converts the lines of an unindented block. */
function blockText(part: RstPart, context: Context): string[] {
  const out: string[] = []
  let prose: string[] = []
  for (let at = part.from; at < part.to; ) {
    const line = lineOf(part, at)
    const end = opaqueEnd(part, at)
    const isExplicit = explicit.test(line)
    const isDoctest = doctest.test(line)
    // The paragraph before a literal block ends with `::`.
    if (!isExplicit && !isDoctest) prose.push(line)
    if (isExplicit || isDoctest || end > at + 1) {
      appendLines(out, shownLines(prose, context))
      prose = []
    }
    if (isExplicit) appendLines(out, explicitText({ ...part, from: at, to: end }, context))
    else appendLines(out, linesOf({ ...part, from: isDoctest ? at : at + 1, to: end }))
    at = end
  }
  const rest = shownLines(prose, context)
  if (out.length === 0) return rest
  appendLines(out, rest)
  return out
}

/** Lines of prose without substitutions and roles. */
function shownLines(lines: string[], context: Context): string[] {
  return linesWithoutRoles(withNames(lines, context), context.titles)
}

const explicit = /^\s*\.\.(?: |$)/
const doctest = /^\s*>>> /

/** The end of the markup, literal block or doctest that begins on a line, or the next line. */
function opaqueEnd(part: RstPart, at: number): number {
  const line = lineOf(part, at)
  if (explicit.test(line)) return bodyEnd(part, at)
  const directiveInItem = /^\s*(?:[-*+]|\d+\.|#\.)\s.*?\.\. ([\w-]+)::/.exec(line)?.[1]
  if (directiveInItem !== undefined)
    return isLiteral.test(directiveInItem) ? bodyEnd(part, at) : at + 1
  if (/::\s*$/.test(line) && !/^\s*:\S/.test(line)) return bodyEnd(part, at)
  if (!doctest.test(line)) return at + 1
  let end = at + 1
  while (end < part.to && lineOf(part, end).trim() !== '') end++
  return end
}

/** Matches directives with literal content. In a list item, such a directive stays unchanged. */
const isLiteral = /code|doctest|literal|raw|math|prompt/

/** Converts the explicit markup in the lines `written`. */
function explicitText(written: RstPart, context: Context): string[] {
  const head = lineOf(written, written.from)
  // A label is not displayed. With a URL, it is a link target.
  if (written.to === written.from + 1 && isLabel(head)) return []
  if (isSubstitution(head)) return []
  // Footnotes and citations are text.
  if (/^\s*\.\. \[/.test(head)) return shownLines(linesOf(written), context)
  const directive = parseDirective(written)
  if (directive === null && isComment(written)) return commentEnd(written, context)
  if (directive === null || context.depth > depthLimit) return linesOf(written)
  const indent = /^\s*/.exec(head)?.[0] ?? ''
  const shown = directiveText(directive, { ...context, depth: context.depth + 1 })
  return shown.map((line) => (isBlank(line) ? '' : line === boxEndMark ? line : indent + line))
}

/** Whether explicit markup is a comment: no directive, target, footnote, citation or definition. */
function isComment(written: RstPart): boolean {
  const head = lineOf(written, written.from)
  if (/^\s*\.\. (?:_\S|\[|\|)/.test(head)) return false
  // Two dots in the middle of a paragraph are text.
  const [before, indent] = [written.lines[written.from - 1] ?? '', written.cut + columnsOf(head)]
  return before.trim() === '' || columnsOf(before) !== indent || !/^\s*[\p{L}\p{N}(]/u.test(before)
}

function columnsOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The lines after a comment: an empty comment ends before a blank line. */
function commentEnd(written: RstPart, context: Context): string[] {
  const isEmpty = lineOf(written, written.from).trim() === '..'
  const next = written.from + 1
  if (!isEmpty || next >= written.to || lineOf(written, next).trim() !== '') return []
  return blockText({ ...written, from: next }, context)
}

/** Whether a line is a label, `.. _name:`; a backslash escapes other colons in the name. */
function isLabel(head: string): boolean {
  const [, name] = /^\.\. _(.*):$/s.exec(head.trim()) ?? []
  return name !== undefined && !/(?<!\\):/.test(name)
}

function parseDirective(written: RstPart): Directive | null {
  const [, name, argument = ''] =
    /^\s*\.\. ([A-Za-z][\w:+.-]*?) ?::(?:[ \t]+(.*))?$/s.exec(lineOf(written, written.from)) ?? []
  if (name === undefined) return null
  const more: string[] = []
  const options = new Map<string, string>()
  let at = written.from + 1
  // Code may follow without a blank line, so the argument is a single line.
  const isCode = code.test(name.toLowerCase())
  const ends = /^\s*(?:$|:[\w-]+:(?:\s|$))/
  while (!isCode && at < written.to && !ends.test(lineOf(written, at))) {
    more.push(lineOf(written, at++).trim())
  }
  for (; at < written.to; at++) {
    const [, option, value = ''] = /^\s+:([\w-]+):[ \t]*(.*)$/s.exec(lineOf(written, at)) ?? []
    if (option === undefined) break
    options.set(option, value.trim())
  }
  const body = dedent({ ...written, from: at })
  return { name: name.toLowerCase(), argument: argument.trim(), more, options, body, written }
}

const droppedDirectives = new RegExp(
  '^(?:contents|index|meta|default-domain|cssclass|rst-class|highlight|sectnum|testsetup' +
    '|testcleanup|currentmodule|py:currentmodule|tabularcolumns|twitter|only-dark' +
    '|changelog_imports)$',
)

const containerDirectives = new RegExp(
  '^(?:tab-set|tabs|grid|container|only|ifconfig|div|compound|card-carousel|epigraph|pull-quote' +
    '|hlist|centered|button-ref|button-link|grid-item|margin|tabs-drivers|tabs-platforms|when' +
    '|configuration-block)$',
)

const admonitions = new RegExp(`^(?:${noteNames}|see|todo)$`)

const titledDirectives = new RegExp(
  '^(?:admonition|topic|sidebar|rubric|dropdown|card|grid-item-card|collapse|details|tab-item|tab' +
    '|group-tab|change|changelog)$',
)

const code = /^(?:testcode|testoutput|code|sourcecode|prompt|ipython|jupyter-execute|code-tab)$/

const keptDirectives = new RegExp(`^(?:literalinclude|include|${keptNames})$`)

/** Directives that document the object in their argument: `function`, `py:method`. */
const objectDirectives = new RegExp(
  '^(?:(?:py|c|cpp|js|rst|std|http|mongodb):)?(?:function|class|method|classmethod|staticmethod' +
    '|attribute|data|exception|module|decorator|property|option|cmdoption|program|envvar|setting' +
    '|describe|object|macro|type|struct|member|enum|var|directive|role|confval|django-admin' +
    '|django-admin-option|templatetag|templatefilter|fieldlookup|dbcommand|pipeline|query|update' +
    '|expression|bsontype|authaction|authrole|limit|parameter|readconcern|writeconcern|group' +
    '|serverstatus|rsconf|replstate|operator|binary|collflag|readmode|projection|signal|lookup' +
    '|get|post|put|delete|patch)$',
)

function directiveText(directive: Directive, context: Context): string[] {
  const { name, body, written } = directive
  const { scope, titles } = context
  enterModule(directive, scope.current)
  const inner = () => blockText(body, { ...context, scope: scopeInside(directive, scope) })
  if (droppedDirectives.test(name)) return []
  if (name === 'toctree') return contents(directive, context)
  if (keptDirectives.test(name)) return linesOf(dedent(written))
  if (name === 'parsed-literal') return linesWithoutRoles(linesOf(dedent(written)), titles)
  if (code.test(name)) return codeText(directive)
  if (containerDirectives.test(name))
    return paragraphs(linesWithoutRoles(directive.more, titles), inner())
  if (admonitions.test(name)) {
    const title = `**${toTitle(name === 'seealso' ? 'See also' : name)}**`
    return box(title, [...firstLines(directive, context), ...inner()])
  }
  if (titledDirectives.test(name)) return box(titleOf(directive, context), inner())
  if (/^(?:version|deprecated)/.test(name)) return versionText(directive, { body: inner(), titles })
  if (isAutoDirective(name)) return automaticText(directive, { inner: inner(), context })
  if (objectDirectives.test(name)) return paragraphs(signatures(directive, scope), inner())
  if (name === 'autosummary') {
    const { options, more } = directive
    return paragraphs(summaryLines([...more, ...linesOf(body)], { options, scope }))
  }
  // The content of `click:example` and `click:run` is code.
  if (name.includes(':') && directive.argument === '') return codeText(directive)
  const rest = dedent({ ...written, from: written.from + 1 })
  return [lineOf(written, written.from).trim(), ...indentLines(blockText(rest, context))]
}

/** The text of a directive that is taken from source files. */
function automaticText(
  directive: Directive,
  { inner, context }: { inner: string[]; context: Context },
): string[] {
  const { scope, growth } = context
  if (growth.left() === 0) return []
  const textOf = (docstring: string) => {
    const lines = docstringLines(docstring)
    return blockText({ lines, from: 0, to: lines.length, cut: 0 }, context)
  }
  const prefixes = scope.defaults.get(modulePrefixes)?.split(' ') ?? []
  const lines = autoText(directive, { scope, inner, textOf }).map((line) =>
    withoutModules(withReferences(line, context.titles), prefixes),
  )
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
  return growth.take(length) ? paragraphs(lines) : []
}

/** The pages that a `toctree` lists, with their titles; empty if the `toctree` is hidden. */
function contents({ options, body }: Directive, { titles }: Context): string[] {
  if (options.has('hidden')) return []
  const pages = linesOf(body)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'self' && !/\*|`[^<]*$/.test(line))
  const item = (page: string) => {
    if (/^https?:|<https?:/.test(page)) return `- ${page}`
    if (page.includes('`')) return `- :doc:\`${page.replaceAll('`', '')}\``
    const title = titles?.get(referenceKey('doc', page))
    return title === undefined ? `- :doc:\`${page}\`` : `- :doc:\`${title} <${page}>\``
  }
  return paragraphs(pages.map(item))
}

/** The text of an admonition that begins on the line of the directive. */
function firstLines({ argument, more }: Directive, context: Context): string[] {
  const lines = [argument, ...more].filter((line) => line !== '')
  return linesWithoutRoles(withNames(lines, context), context.titles)
}

function indentLines(lines: string[]): string[] {
  return lines.map((line) => (line === '' || line === boxEndMark ? line : `   ${line}`))
}

/** A box with a title and a body; plain paragraphs if either is empty. */
function box(title: string, body: string[]): string[] {
  if (title === '' || body.every(isBlank)) return paragraphs([title], body)
  return [...paragraphs([markBoxTitle(title)], body), boxEndMark]
}

function isBlank(line: string): boolean {
  return line !== boxEndMark && line.trim() === ''
}

/** Joins blocks with blank lines between them; omits blank blocks. */
function paragraphs(...blocks: string[][]): string[] {
  const out: string[] = []
  for (const block of blocks) {
    const first = block.findIndex((line) => !isBlank(line))
    if (first < 0) continue
    if (out.length > 0) out.push('')
    const last = block.findLastIndex((line) => !isBlank(line))
    appendLines(out, block.slice(first, last + 1))
  }
  return out
}

function titleOf({ name, argument, more, options }: Directive, context: Context): string {
  const words = [argument, ...more].join(' ').trim() || (options.get('version') ?? '')
  if (words === '') return ''
  const title = withoutRoles(withNames([words], context).join(' '), context.titles)
  if (/^(?:tab-item|tab|group-tab)$/.test(name)) return `${title}:`
  return title.includes('*') ? title : `**${title}**`
}

/** The label of a note on a version: `Added in version 1.2`. */
export function versionLabel(name: string, version: string): string {
  return `${versions[name] ?? toTitle(name)} ${version}`.trim()
}

const versions: Record<string, string> = {
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  deprecated: 'Deprecated since version',
  versionremoved: 'Removed in version',
}

function versionText(
  { name, argument, more }: Directive,
  { body, titles }: { body: string[]; titles: ReferenceTitles | undefined },
): string[] {
  const [version = '', ...rest] = [argument, ...more].join(' ').split(/\s+/)
  const head = versionLabel(name, version)
  const words = withoutRoles(rest.join(' '), titles)
  return paragraphs([words === '' ? `**${head}**` : `**${head}:** ${words}`], body)
}

/** The signatures of a documented object, one per line. */
function signatures({ name, argument, more }: Directive, scope: ObjectScope): string[] {
  return [argument, ...more]
    .filter((line) => line !== '')
    .map((line) => qualifiedSignature(withoutBackslashes(line), { name, scope }))
    .map((line) => `\`\`${line}\`\``)
}

/** Removes the backslashes at the end of a line, which continue a signature on the next one. */
function withoutBackslashes(line: string): string {
  let end = line.length
  while (line[end - 1] === '\\') end--
  return line.slice(0, end)
}

/** Converts any code directive to `code-block`, with its caption. */
function codeText({ name, argument, options, body }: Directive): string[] {
  const [first = '', ...title] = argument.split(/\s+/)
  const language =
    first !== '' && name !== 'testcode' && name !== 'testoutput'
      ? first
      : (languages.get(name) ?? '')
  const head = [`.. code-block:: ${language}`.trimEnd()]
  const caption = options.get('caption') ?? ''
  if (caption !== '') head.push(`   :caption: ${caption}`)
  const lines = paragraphs(linesOf(body))
  if (lines.length === 0) return []
  const shown = [...head, '', ...lines.map((line) => (isBlank(line) ? '' : `   ${line}`))]
  return name === 'code-tab' && title.length > 0 ? box(`${title.join(' ')}:`, shown) : shown
}

const languages = wordMap(`
  testcode:python testoutput:text ipython:python jupyter-execute:python prompt:bash
`)
