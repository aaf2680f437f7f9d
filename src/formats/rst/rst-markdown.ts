import { wordMap } from '../../document/word-set.ts'
import { noteNames } from '../../document/note-names.ts'
import { dedent, toTitle } from '../../document/block-lines.ts'
import { removeBoxMarks } from '../../document/box.ts'
import { growthLimitFor, type GrowthLimit } from '../../document/growth.ts'
import { code, link, markdown, paragraph, strong } from '../../document/nodes.ts'
import type { DocumentBlock, DocumentBlocks, Inline } from '../../document/tree.ts'
import { writeMarkdown } from '../../document/write-markdown.ts'
import { dedent as docstringLines } from '../../api/docstring/indent.ts'
import type { ParsedFile, ParsedText, ApiLookup } from '../parsed-text.ts'
import { referenceKey, type ReferenceTitles } from '../../document/reference-key.ts'
import { blocksOf, inlineOf, tableOf, withLead, type RstContext } from './rst-blocks.ts'
import { modulePrefixes, withReferences, withoutModules, withoutRoles } from './rst-inline.ts'
import {
  autodocDefaults,
  autoBlocks,
  enterModule,
  isAutoDirective,
  qualifiedSignature,
  scopeInside,
  signatureBlock,
  summaryBlocks,
  type ObjectScope,
} from './rst-object.ts'
import { definitionsIn } from './rst-part.ts'
import { parseCsvTable, parseListTable } from './rst-table.ts'

/**
 * `lookup` finds the objects of directives such as `autoclass`, with `defaults` as options.
 * `current` contains the module named earlier on the page.
 */
type RstOptions = {
  current?: ObjectScope['current']
  growth?: GrowthLimit
  titles?: ReferenceTitles | undefined
  lookup?: ApiLookup | undefined
  defaults?: ReadonlyMap<string, string> | undefined
}

export function parseRst(
  text: string,
  { growth, lookup, variables, titles }: ParsedFile,
): ParsedText {
  const defaults = autodocDefaults(variables)
  return { text: rstToMarkdown(text, { growth, lookup, titles, defaults }) }
}

/**
 * Converts reStructuredText to Markdown. Admonitions, tabs and cards become boxes, and documented
 * objects become signatures. Removes labels, settings, comments and tables of contents, but keeps
 * visible lists of pages. Unknown directives keep their first line and options.
 */
export function rstToMarkdown(text: string, options: RstOptions = {}): string {
  const { growth = growthLimitFor(text.length), lookup, titles, defaults = new Map() } = options
  const { current = { module: '' } } = options
  const lines = removeBoxMarks(text)
    .split('\n')
    .map((line) => line.replace(/^\t+/, (tabs) => ' '.repeat(8 * tabs.length)))
  const blocks = blocksOf(lines, {
    ...definitionsIn(lines),
    growth,
    titles,
    depth: 0,
    scope: { lookup, current, owner: '', defaults },
    levels: new Map(),
    code: { language: '' },
    readMarkup,
  })
  return `${writeMarkdown(blocks)}\n`
}

type Directive = {
  name: string
  argument: string
  /** Continuation lines of the argument. */
  more: string[]
  options: Map<string, string>
  /** The content without common indentation. */
  body: string[]
  /** The source text of the first line and the options. */
  head: string[]
}

function readMarkup(source: readonly string[], context: RstContext): DocumentBlocks {
  const directive = parseDirective(source)
  if (directive !== null) return directiveBlocks(directive, context)
  const [, note, text = ''] = /^\.\. \[([#*\w.-]{1,60})\](?:[ \t]+(.*))?$/s.exec(source[0]!) ?? []
  // A label, a link target, a substitution or a comment.
  if (note === undefined) return []
  return withLead([`[${note}] `], blocksOf([text, ...dedent(source.slice(1))], context))
}

function parseDirective(source: readonly string[]): Directive | null {
  const [, name, argument = ''] =
    /^\.\. ([A-Za-z][\w:+.-]*?) ?::(?:[ \t]+(.*))?$/s.exec(source[0]!) ?? []
  if (name === undefined) return null
  const more: string[] = []
  const options = new Map<string, string>()
  let at = 1
  // The argument is one line, because code can follow without a blank line.
  const isCode = codeDirectives.test(name.toLowerCase())
  const ends = /^\s*(?:$|:[\w-]+:(?:\s|$))/
  while (!isCode && at < source.length && !ends.test(source[at]!)) more.push(source[at++]!.trim())
  const end = at
  for (; at < source.length; at++) {
    const [, option, value = ''] = /^\s+:([\w-]+):[ \t]*(.*)$/s.exec(source[at]!) ?? []
    if (option === undefined) break
    options.set(option, value.trim())
  }
  const head = [source[0]!, ...more, ...source.slice(end, at).map((line) => line.trim())]
  while (source[at]?.trim() === '') at++
  const body = dedent(source.slice(at))
  return { name: name.toLowerCase(), argument: argument.trim(), more, options, body, head }
}

const droppedDirectives = new RegExp(
  '^(?:contents|index|meta|default-domain|cssclass|rst-class|class|highlight|sectnum|testsetup' +
    '|testcleanup|(?:[a-z]+:)?(?:currentmodule|namespace)|tabularcolumns' +
    '|twitter|only-dark|role|default-role' +
    '|changelog_imports|date)$',
)

const containerDirectives = new RegExp(
  '^(?:tab-set|tabs|grid|container|only|ifconfig|div|compound|card-carousel|epigraph|pull-quote' +
    '|hlist|centered|button-ref|button-link|grid-item|margin|tabs-drivers|tabs-platforms|when' +
    '|configuration-block|glossary|highlights|tabs-selector|line-block|procedure)$',
)

const admonitions = new RegExp(`^(?:${noteNames}|see|todo|optional)$`)

const titledDirectives = new RegExp(
  '^(?:admonition|topic|sidebar|rubric|dropdown|card|grid-item-card|collapse|details|tab-item|tab' +
    '|group-tab|change|changelog|step)$',
)

const codeDirectives = new RegExp(
  '^(?:code-block|doctest|testcode|testoutput|code|sourcecode|prompt|ipython|jupyter-execute' +
    '|code-tab|tab-code|parsed-literal|graphviz|digraph|mermaid|plantuml|uml|productionlist)$',
)

/** Directives that document the object in their argument, such as `function` and `py:method`. */
const objectDirectives = new RegExp(
  '^(?:[a-z]+:)?(?:function|class|method|classmethod|staticmethod' +
    '|attribute|data|exception|module|decorator|property|option|cmdoption|program|envvar|setting' +
    '|describe|object|macro|type|struct|member|enum|var|directive|role|confval|django-admin' +
    '|django-admin-option|templatetag|templatefilter|fieldlookup|dbcommand|pipeline|query|update' +
    '|expression|bsontype|authaction|authrole|limit|parameter|readconcern|writeconcern|group' +
    '|serverstatus|rsconf|replstate|operator|binary|collflag|readmode|projection|signal|lookup' +
    '|get|post|put|delete|patch)$' +
    '|^[a-z]+:(?:interface|trait|const|constructor|case|global|alias|concept|union|enumerator' +
    '|field|record|package|subroutine|event|indexer|operator|instance|attr|key|schema)$',
)

type DirectiveReader = (directive: Directive, context: RstContext) => DocumentBlocks

const inside: DirectiveReader = (directive, context) =>
  blocksOf(directive.body, { ...context, scope: scopeInside(directive, context.scope) })

function directiveBlocks(directive: Directive, context: RstContext): DocumentBlocks {
  const { name, argument, more } = directive
  enterModule(directive, context.scope.current)
  if (name === 'highlight') context.code.language = languageOf(argument)
  if (droppedDirectives.test(name) && !isClassObject(directive)) return []
  // `click:example` and `click:run` contain code.
  if (codeDirectives.test(name) || (name.includes(':') && argument === ''))
    return codeBlocks(directive, context)
  if (containerDirectives.test(name))
    return [...textBlocks(more.join('\n'), context), ...inside(directive, context)]
  if (admonitions.test(name)) {
    const title = strong(toTitle(name === 'seealso' ? 'See also' : name))
    const text = textBlocks([argument, ...more].join('\n'), context)
    return box([title], [...text, ...inside(directive, context)])
  }
  if (titledDirectives.test(name))
    return box(titleOf(directive, context), inside(directive, context))
  if (/^(?:version|deprecated)/.test(name)) return versionBlocks(directive, context)
  if (isAutoDirective(name)) return automaticBlocks(directive, context)
  if (objectDirectives.test(name)) {
    return [...signatureBlocks(directive, context), ...inside(directive, context)]
  }
  const read = readers.get(name)
  return read === undefined ? unknownBlocks(directive, context) : read(directive, context)
}

/** True if `class` documents a class. In docutils, `class` is a style and has no content. */
function isClassObject({ name, argument, body, options }: Directive): boolean {
  return name === 'class' && (/[(.A-Z]/.test(argument) || body.length > 0 || options.size > 0)
}

/** Keeps the first line and the options of a directive above its content. */
const unknownBlocks: DirectiveReader = (directive, context) => [
  paragraph(markdown(directive.head.join('\n'))),
  ...inside(directive, context),
]

const readers: ReadonlyMap<string, DirectiveReader> = new Map(
  Object.entries<DirectiveReader>({
    toctree: contents,
    autosummary: ({ options, more, body }, { scope }) =>
      summaryBlocks([...more, ...body], { options, scope }),
    image: picture,
    figure: picture,
    thumbnail: picture,
    'image-sg': picture,
    table: (directive, context) => [
      ...captionOf(directive.argument, context),
      ...inside(directive, context),
    ],
    'list-table': listTable,
    'csv-table': csvTable,
    math: ({ argument, body }) => [code([argument, ...body].join('\n'), 'math')],
    raw: ({ argument, body }) => (/html/i.test(argument) ? [markdown(body.join('\n'))] : []),
  }),
)

/** Converts a directive with text from source files. */
function automaticBlocks(directive: Directive, context: RstContext): DocumentBlocks {
  const { scope, growth, titles } = context
  if (growth.left() === 0) return []
  const textOf = (docstring: string) => blocksOf(docstringLines(docstring), context)
  const inner = inside(directive, context)
  const prefixes = scope.defaults.get(modulePrefixes)?.split(' ') ?? []
  const body = writeMarkdown(autoBlocks(directive, { scope, inner, textOf }))
  const text = withoutModules(withReferences(body, titles), prefixes)
  return growth.take(text.length) ? [markdown(text)] : []
}

/** Returns the pages in a `toctree` with their titles; empty if the `toctree` is hidden. */
function contents({ options, body }: Directive, context: RstContext): DocumentBlocks {
  if (options.has('hidden')) return []
  const { titles } = context
  const pages = body
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'self' && !/\*|`[^<]*$/.test(line))
  const item = (page: string) => {
    const [, words, target = page] = /^(.*?)\s*<([^<>]+)>$/.exec(page) ?? []
    const title = words?.replaceAll('`', '') ?? titles?.get(referenceKey('doc', page)) ?? page
    return [paragraph(link(target, [markdown(title.replace(/[[\]]/g, '\\$&'))]))]
  }
  const caption = captionOf(options.get('caption') ?? '', context)
  return [...caption, { type: 'list', start: null, items: pages.map(item) }]
}

function textBlocks(text: string, context: RstContext): DocumentBlocks {
  return text.trim() === '' ? [] : [paragraph(inlineOf(text, context))]
}

/** Returns a box with a title and a body, or plain paragraphs if one of them is empty. */
function box(title: readonly Inline[], children: DocumentBlocks): DocumentBlocks {
  if (title.length === 0) return children
  return children.length === 0 ? [paragraph(...title)] : [{ type: 'box', title, children }]
}

function titleOf({ name, argument, more, options }: Directive, context: RstContext): Inline[] {
  const words = [argument, ...more].join(' ').trim() || (options.get('version') ?? '')
  if (words === '') return []
  const title = inlineOf(words, context)
  if (/^(?:tab-item|tab|group-tab)$/.test(name)) return [title, ':']
  return [words.includes('*') ? title : strong(title)]
}

/** Returns the label of a version note: `Added in version 1.2`. */
export function versionLabel(name: string, version: string): string {
  return `${versions[name] ?? toTitle(name)} ${version}`.trim()
}

const versions: Record<string, string> = {
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  deprecated: 'Deprecated since version',
  versionremoved: 'Removed in version',
}

const versionBlocks: DirectiveReader = (directive, context) => {
  const { name, argument, more } = directive
  const [version = '', ...rest] = [argument, ...more].join(' ').split(/\s+/)
  const removal = name === 'deprecated-removed' ? `, removed in version ${rest.shift()}` : ''
  const label = versionLabel(name.replace(/-removed$/, ''), version) + removal
  const text =
    rest.length === 0
      ? [strong(label)]
      : [strong(`${label}:`), ' ', inlineOf(rest.join(' '), context)]
  return [paragraph(...text), ...inside(directive, context)]
}

/** Returns a documented object's signatures, one per line. */
function signatureBlocks(
  { name, argument, more }: Directive,
  { scope }: RstContext,
): DocumentBlocks {
  const signatures = [argument, ...more]
    .filter((line) => line !== '')
    // A backslash continues a signature on the next line.
    .map((line) => qualifiedSignature(line.replace(/(?<!\\)\\+$/, ''), { name, scope }))
  return signatureBlock(signatures)
}

/** Returns the code of a directive below its caption. */
function codeBlocks(
  { name, argument, options, body }: Directive,
  context: RstContext,
): DocumentBlocks {
  const [first = '', ...title] = argument.split(/\s+/)
  const isLanguage = /^(?:code-block|code|sourcecode|ipython|prompt|code-tab|tab-code)$/.test(name)
  const language = (isLanguage && languageOf(first)) || languages.get(name)
  const lines = name === 'parsed-literal' ? body.map((line) => withoutRoles(line)) : body
  const blocks = [
    ...captionOf(options.get('caption') ?? '', context),
    code(lines.join('\n'), language ?? context.code.language),
  ]
  if (lines.every((line) => line.trim() === '')) return []
  return name === 'code-tab' && title.length > 0 ? box([`${title.join(' ')}:`], blocks) : blocks
}

function languageOf(word: string): string {
  return /^[\w+#.-]+$/.test(word) && word !== 'default' && word !== 'none' ? word : ''
}

const languages = wordMap(`
  testcode:python testoutput:text ipython:python jupyter-execute:python prompt:bash doctest:pycon
  graphviz:dot digraph:dot mermaid:mermaid plantuml:plantuml uml:plantuml parsed-literal:
  productionlist:
`)

function captionOf(caption: string, context: RstContext): DocumentBlock[] {
  return caption === '' ? [] : [paragraph(strong(inlineOf(caption, context)))]
}

/** Returns a picture above its caption. */
function picture(directive: Directive, context: RstContext): DocumentBlocks {
  const { argument, options } = directive
  const alt = options.get('alt') || argument.replace(/^.*\//, '')
  const url = argument.replace(/[<>\\\s]/g, encodeURIComponent)
  const image = markdown(`![${alt.replace(/[[\]\\]/g, '')}](${url})`)
  return [paragraph(image), ...inside(directive, context)]
}

function listTable(directive: Directive, context: RstContext): DocumentBlocks {
  const { argument, options, body } = directive
  const table = parseListTable(body, Number(options.get('header-rows')) || 0)
  if (table === null) return unknownBlocks(directive, context)
  return [...captionOf(argument, context), tableOf(table, context)]
}

function csvTable(directive: Directive, context: RstContext): DocumentBlocks {
  const { argument, options, body } = directive
  const delimiter = options.get('delim') || ','
  const separator = { tab: '\t', space: ' ' }[delimiter] ?? delimiter.slice(0, 1)
  const table = parseCsvTable(body.join('\n'), options.get('header'), separator)
  if (table === null) return unknownBlocks(directive, context)
  table.headers ||= Number(options.get('header-rows')) || 0
  return [...captionOf(argument, context), tableOf(table, context)]
}
