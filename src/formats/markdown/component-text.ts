import { firstValue } from '../../document/attributes.ts'
import { oneLine } from '../../platform/text/trim.ts'
import { writeTable, toCell } from '../../document/write-markdown.ts'
import { isNoteName } from '../../document/note-names.ts'
import { toTitle } from '../../document/block-lines.ts'
import { codeSpan, fenceCode } from '../../document/fence.ts'
import { dedent } from '../../api/docstring/indent.ts'
import { codeLanguage, parseJsxData, type JsxData, type JsxTag } from './jsx-tag.ts'

export function isTab({ name, attributes }: JsxTag): boolean {
  return tabs.test(ownName(name)) || (name === 'Fragment' && attributes.has('slot'))
}

/** Removes the namespace of a component: `Tabs.Tab` → `Tab`. */
function ownName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/**
 * Returns the title of a component's box: a tab, a note, or another component with a title. Returns
 * null if the component is not a box. `label` is the tab's name in the enclosing group.
 */
export function boxTitle(tag: JsxTag, label = ''): string | null {
  const name = ownName(tag.name)
  const { attributes } = tag
  if (isTab(tag)) {
    const own = firstValue(attributes, 'title|label|name')
    const words = oneLine(own || label || firstValue(attributes, tabNames.join('|')))
    return words === '' ? null : `${words}:`
  }
  const condition = displayCondition(tag)
  if (condition !== null) return `**${condition}**`
  const kind = kindOf(name, attributes)
  const title = titleOf(attributes) || (kind === null ? '' : toTitle(kind))
  return (kind !== null || titledComponents.test(name)) && title.trim() !== ''
    ? strong(title, attributes.get('href'))
    : null
}

/**
 * Returns the condition for a component's content, such as the App Router for Next.js' `<AppOnly>`.
 * Returns null if there is none.
 */
export function displayCondition({ name }: JsxTag): string | null {
  const [, audience] = /^([A-Z]\w*)Only$/.exec(ownName(name)) ?? []
  if (audience === undefined || /^(?:Client|Browser|Server)$/.test(audience)) return null
  const words = audience.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return `${/^(?:App|Pages)$/.test(audience) ? `${words} Router` : words} only`
}

/**
 * Returns the tab names of a group by index or value: `<Tabs items={['npm', 'pnpm']}>`, `<Tabs
 * values={[{ label: 'Yarn', value: 'yarn' }]}>`.
 */
export function tabLabels({ name, attributes, expressions }: JsxTag): Map<string, string> {
  const items = isTabList({ name }, 'items') ? (attributes.get('items')?.split('\n') ?? []) : []
  const labels = new Map(items.map((label, at) => [`${at}`, label]))
  const values = parseJsxData(
    isTabList({ name }, 'values') ? (expressions.get('values') ?? '') : '',
  )
  for (const one of 'items' in values ? values.items : []) {
    const fields = new Map<string, JsxData>('fields' in one ? one.fields : [])
    const [value, label] = [fields.get('value'), fields.get('label')]
    if (value && label && 'text' in value && 'text' in label) labels.set(value.text, label.text)
  }
  return labels
}

function isTabList({ name }: Pick<JsxTag, 'name'>, key: string): boolean {
  return /^(?:items|values)$/.test(key) && /Tabs$/.test(name)
}

/** Renders a component's attributes: title (unless it is a box), fields and code. */
export function renderAttributes(tag: JsxTag, isBox: boolean): string {
  const { name, attributes } = tag
  const output: string[] = []
  const title = titleOf(attributes) || (isTab(tag) ? attributes.get('value') : '')
  if (title && !isBox) output.push(isTab(tag) ? `${title}:` : strong(title, attributes.get('href')))
  const field = /Field|Param|Prop|Option|Argument|Flag/.test(name) ? fieldText(tag) : ''
  if (field !== '') output.push(field)
  for (const key of texts) if (attributes.get(key)) output.push(attributes.get(key)!)
  const language = codeLanguage(attributes) ?? ''
  for (const [key, value] of name === 'PackageManagers' ? [] : attributes) {
    if (codes.includes(key) && /\s/.test(value)) output.push(fenceCode(value, language))
    else if (/^[A-Z]/.test(name)) {
      const isKnown = known.includes(key) || tag.expressions.has(key) || looks.test(key)
      const isCode = value.trim() !== '' && value.includes('\n')
      const isWords = tag.kind === 'alone' && !variants.test(key) && plainWords.test(value)
      if (!isKnown && !isCode && (isSentence(value) || isWords)) output.push(value)
      else if (!isKnown && isCode) output.push(fenceCode(dedent(value).join('\n'), language))
    }
  }
  if (name === 'PackageManagers') output.push(fenceCode(packageCommand(attributes), 'sh'))
  // Beside other text, a component would not count as a leftover for a list of words.
  const hasText = output.length > 0 && tag.kind === 'alone'
  for (const [, tree] of attributeTrees(tag))
    if (isTold(tree) || (hasText && isListOfWords(tree))) output.push(renderTree(tree))
  return output.join('\n\n')
}

const plainWords = /^[^|<>{}[\]]*\p{L}\s+\p{L}[^|<>{}[\]]*$/u

/** Returns the npm command of `<PackageManagers pkg="x" />`, which many Starlight sites use. */
function packageCommand(attributes: JsxTag['attributes']): string {
  const value = (key: string) => attributes.get(key) ?? ''
  const isRun = value('exec') !== '' || /^(?:dlx|exec)$/.test(value('type'))
  const [verb] = /^(?:create|run|remove)$/.exec(value('type')) ?? ['install']
  const command = isRun ? 'npx' : `npm ${verb}`
  const flag = attributes.has('dev') ? '-D' : ''
  return [command, flag, value('pkg'), value('exec') || value('args')].filter(Boolean).join(' ')
}

/** Returns a component's literal values in a sentence: `3.4.0` for `<Since v="3.4.0" />`. */
export function inlineValues({ name, kind, attributes, expressions }: JsxTag): string {
  if (kind !== 'alone' || !/^[A-Z]/.test(name)) return ''
  const values = [...attributes].filter(
    ([key, value]) => !looks.test(key) && !variants.test(key) && !expressions.has(key) && value,
  )
  return values.map(([, value]) => oneLine(value)).join(' ')
}

const variants =
  /^(?:name|size|variant|type|kind|colou?r|theme|mode|level|align|rel|target|loading|lang|width)$/

/** Attributes for an element's look, identity or events. */
const looks = new RegExp(
  '^(?:style|sx|css|class(?:Name)?|key|ref|id|src|href|icon|ima?ge?|width|height|sizes|d|allow' +
    '|on[A-Z]\\w*|aria-.*|data-.*)$',
)

function attributeTrees(tag: JsxTag): [string, JsxData][] {
  const some = [...tag.expressions].filter(([key]) => !looks.test(key) && !isTabList(tag, key))
  return some.map(([key, source]) => [key, parseJsxData(source)])
}

/**
 * Returns the tag of a component on one line, as a mark for computed content; '' for components
 * without text, such as pictures.
 */
export function computedTag({ kind, name, source }: JsxTag): string {
  if (kind !== 'alone' || !/^[A-Z]/.test(name) || textless.test(name)) return ''
  return oneLine(source).slice(0, 200)
}

const textless =
  /(?:Image|Img|Picture|Icon|Logo|Avatar|Video|Player|Spacer?|Divider|Separator|Br|Hr|Anchor)$/

/** True for a title or sentence: two or more words with a typical start or end. False for types. */
function isSentence(text: string): boolean {
  const ends = /\s\S*[\p{L}\p{N})`'"][.!?]$/u.test(text.trim())
  return ends || (/^\p{Lu}\S*\s+\S/u.test(text.trim()) && !/[|<>{}[\]]/.test(text))
}

function isListOfWords(tree: JsxData): boolean {
  return 'items' in tree && tree.items.length > 1 && tree.items.every((item) => 'text' in item)
}

/** True if a value is informative: records, rows or sentences, but not a list of settings. */
function isTold(tree: JsxData): boolean {
  if ('text' in tree) return isSentence(tree.text)
  if ('code' in tree) return false
  const values = 'items' in tree ? tree.items : tree.fields.map(([, value]) => value)
  const isLines = 'items' in tree && values.every((value) => 'text' in value)
  return values.some((value) =>
    'text' in value && isLines
      ? /\S\s+\S/.test(value.text)
      : 'text' in value
        ? isSentence(value.text)
        : !('code' in value) && hasText(value),
  )
}

function hasText(tree: JsxData): boolean {
  if ('text' in tree || 'code' in tree) return 'text' in tree && tree.text.trim() !== ''
  return ('items' in tree ? tree.items : tree.fields.map(([, value]) => value)).some(hasText)
}

/** Renders rows as a table, and records as a list with nested records indented. */
function renderTree(tree: JsxData): string {
  if ('text' in tree) return tree.text
  if (!('items' in tree)) return listLines(tree).join('\n')
  const rows = tree.items.flatMap((row) => ('items' in row ? [row.items] : []))
  const isTable = rows.length === tree.items.length && rows.flat().every(isScalar)
  return (isTable ? tableLines(rows) : listLines(tree)).join('\n')
}

type Scalar = Extract<JsxData, { text: string } | { code: string }>

function isScalar(tree: JsxData): tree is Scalar {
  return 'text' in tree || 'code' in tree
}

function tableLines(rows: readonly (readonly JsxData[])[]): string[] {
  const cells = rows.map((row) => row.slice(0, mostColumns).map((cell) => toCell(plainValue(cell))))
  return writeTable(cells, false).split('\n')
}

const mostColumns = 50

function listLines(tree: JsxData): string[] {
  if (isScalar(tree)) return [`- ${plainValue(tree)}`]
  if ('items' in tree) return tree.items.flatMap((item) => recordLines('', item))
  return tree.fields.flatMap(([name, value]) => recordLines(name, value))
}

/**
 * Renders a record as ``- `name` (type: `string`): description``, with nested records below. The
 * name is the record's key or its first text, and the description is the longest sentence.
 */
function recordLines(key: string, tree: JsxData): string[] {
  if (isScalar(tree)) {
    const value = plainValue(tree)
    if (value === '') return []
    return [key === '' ? `- ${value}` : `- ${name(key)}: ${value}`]
  }
  if ('items' in tree) {
    const inner = tree.items.flatMap((item) => recordLines('', item))
    return key === '' ? inner : [`- ${name(key)}:`, ...inner.map((line) => `  ${line}`)]
  }
  const scalars = tree.fields.filter((field): field is [string, Scalar] => isScalar(field[1]))
  const nested = tree.fields.filter(([, value]) => !isScalar(value) && hasText(value))
  const texts = scalars.filter(([, value]) => 'text' in value && value.text.trim() !== '')
  const lead = key === '' ? texts[0] : undefined
  const length = ([, value]: [string, Scalar]) =>
    isSentence(plainValue(value)) ? plainValue(value).length : 0
  const [description = null] = texts
    .filter((field) => field !== lead && length(field) > 0)
    .sort((a, b) => length(b) - length(a))
  const details = scalars.filter((field) => field !== lead && field !== description).flatMap(detail)
  const label = lead === undefined ? key : plainValue(lead[1])
  const head =
    (label === '' ? '' : name(label)) + (details.length > 0 ? ` (${details.join(', ')})` : '')
  const first = [head.trim(), description === null ? '' : plainValue(description[1])].filter(
    (it) => it !== '',
  )
  const inner =
    nested.length === 1 && first.length > 0
      ? listLines(nested[0]![1])
      : nested.flatMap(([field, value]) => recordLines(field, value))
  if (first.length === 0) return inner
  return [`- ${first.join(': ')}`, ...inner.map((line) => `  ${line}`)]
}

function detail([key, value]: [string, Scalar]): string[] {
  const text = plainValue(value)
  if (text === '' || text === 'undefined' || text === 'null') return []
  if (text === 'true') return [key]
  return [
    `${key === '' ? '' : `${key}: `}${'code' in value || !isSentence(text) ? name(text) : text}`,
  ]
}

function plainValue(tree: JsxData): string {
  return oneLine('text' in tree ? tree.text : 'code' in tree ? tree.code : '')
}

/** Renders a name or type as code. Leaves words unchanged. */
function name(text: string): string {
  return text.includes('`') || isSentence(text) ? text : `\`${text}\``
}

const stringLiteral =
  /^\{\s*(?:([\w.]*)`((?:[^`\\]|\\[^])*)`(?:\.trim\(\))?|(["'])((?:(?!\3)[^\\\n]|\\.)*)\3)\s*\}/
const literalLimit = 20_000

/** Reads a string literal in braces at an offset, or returns null. */
export function readLiteral(source: string, at: number): { value: string; length: number } | null {
  const literal = stringLiteral.exec(source.slice(at, at + literalLimit))
  if (literal === null) return null
  const [{ length }, tag, template, , quoted = ''] = literal
  const sourceText = template ?? quoted
  const value = tag === 'String.raw' ? sourceText : unescapeString(sourceText)
  const isIndented = tag !== undefined && tag !== '' && /^\n/.test(value)
  return { value: isIndented ? dedent(value).join('\n') : value, length }
}

function unescapeString(text: string): string {
  const characters: Record<string, string> = { n: '\n', t: '\t' }
  return text.replace(/\\([`$\\"'{nt])/g, (_, sign: string) => characters[sign] ?? sign)
}

/**
 * Renders a literal as code if it has several lines or JSX marks, or if its component shows code in
 * a `language`. `before` is the text before it on its line.
 */
export function renderLiteral(
  value: string,
  { language, before }: { language: string | null; before: string },
): string {
  if (/<(?:pre|code)\b[^<>]*>\s*$/.test(before)) {
    return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  }
  if (value.includes('\n') || (language !== null && before.trim() === '')) {
    return `\n\n${fenceCode(value, language ?? '')}\n\n`
  }
  const output = /[<{]/.test(value) ? codeSpan(value) : value
  return before.trimStart().startsWith('|') ? output.replace(/(?<!\\)\|/g, '\\|') : output
}

/** A fence that is a tab: the title of its box, and its opening line without the title. */
type CodeTab = { title: string; opening: string }

/**
 * Reads a fence as a tab, or returns null. ```` ```sh tab="npm" ```` is always a tab. In a group, a
 * fence is also a tab if it has a `title`, a `filename` or, as in Mintlify, words after the
 * language.
 */
export function codeTab(line: string, isInGroup: boolean): CodeTab | null {
  const [, fence, language = '', after = ''] =
    /^([^`~]*(?:`{3,}|~{3,}))[ \t]*([^\s`{]*)(.*)$/.exec(line) ?? []
  if (fence === undefined) return null
  const [, key = '', , quoted = ''] = tabLabel.exec(after) ?? []
  const label = key === 'tab' || isInGroup ? quoted || (isInGroup ? wordsOf(after) : '') : ''
  const title = oneLine(label)
  return title === '' ? null : { title: `${title}:`, opening: fence + language }
}

const tabLabel = /(?:^|\s)(title|filename|tab|label)=(["'])([^"']+)["']/

/** Returns the words before the first option: `npm install` for `npm install theme={null}`. */
function wordsOf(after: string): string {
  const [, bracketed] = /^\s*\[([^\]]+)\]/.exec(after) ?? []
  if (bracketed !== undefined) return bracketed
  const words = after.trim().split(/\s+/)
  const end = words.findIndex((word) => /[={}]/.test(word) || flags.has(word))
  return words.slice(0, end < 0 ? words.length : end).join(' ')
}

const flags = new Set(['wrap', 'lines', 'expandable', 'highlight', 'live', 'showLineNumbers'])

const tabs = /^(?:Tab(?:Item|Panel)?|hfoption)$/
const tabNames = ['title', 'label', 'name', 'value', 'slot', 'id']

/** Components with an attribute for their kind: `<Callout type="warning">`. */
const callouts = /^(?:Callout|Aside|Admonition|Alert)$/

const titledComponents = new RegExp(
  '^(?:Step|Card|Accordion(?:Item)?|Expandable|Details|Collaps(?:e|ible)|Dropdown' +
    '|DetailedExplanation)$',
)

function kindOf(name: string, attributes: ReadonlyMap<string, string>): string | null {
  if (/^[A-Z]/.test(name) && isNoteName(name)) return name
  if (!callouts.test(name)) return null
  const kind = firstValue(attributes, 'type|variant|kind|intent')
  const note = kind === 'warn' ? 'warning' : kind.toLowerCase()
  return isNoteName(note) ? note : 'note'
}

const titles = ['title', 'label', 'heading', 'question', 'summary', 'header', 'caption']
const texts = ['subtitle', 'description', 'text', 'content', 'alt']
const codes = ['code', 'source', 'snippet', 'template']

const known = [...titles, ...texts, ...codes, ...tabNames]

function titleOf(attributes: ReadonlyMap<string, string>): string {
  return firstValue(attributes, titles.join('|'))
}

/** Renders a title as `**title**`. The title of a card with a target becomes a link. */
function strong(title: string, href = ''): string {
  const words = oneLine(title)
  if (/[[\]*]/.test(words)) return words
  return /^[^\s()<>]+$/.test(href) ? `**[${words}](${href})**` : `**${words}**`
}

/** Converts `<ParamField path="id" type="string" required>` to `` `id` string required ``. */
function fieldText({ attributes, expressions }: JsxTag): string {
  const name = firstValue(attributes, 'name|path|query|body|param')
  if (name === '') return ''
  const short = attributes.get('short') ?? attributes.get('alias')
  const initial = ['default', 'defaultValue'].map(
    (key) => attributes.get(key) || expressions.get(key),
  )
  const facts = ['required', 'optional', 'deprecated', 'since', 'version'].flatMap((key) => {
    const value = attributes.get(key)
    if (value === undefined || expressions.get(key) === 'false') return []
    return value === '' || value === 'true' ? [key] : [`${key} ${value}`]
  })
  return [`\`${name}\``, short && `\`${short}\``, attributes.get('type'), ...initial, ...facts]
    .filter(Boolean)
    .join(' ')
}
