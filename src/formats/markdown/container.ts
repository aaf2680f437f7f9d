import { firstValue, parseAttributes } from '../../document/attributes.ts'
import { indentColumns, toTitle } from '../../document/block-lines.ts'
import { replaceOutsideCode } from '../../document/code-span.ts'
import { isNoteName, noteNames } from '../../document/note-names.ts'
import { findOpeningBracket } from '../../document/seek.ts'
import { wordSet } from '../../document/word-set.ts'
import { parseLiquidBlock } from './liquid.ts'
import { versionLabel } from '../rst/rst-markdown.ts'

/** The opening line of a container, such as a note or a tab, in any Markdown dialect. */
export type Container = {
  /** The text that replaces the opening line, without indentation. */
  replacement: string
  /** The closing mark, or Liquid's closing tag. `indent` means that the content is indented. */
  closer: 'indent' | string
  /** True for a group of code tabs, in which each fence names its tab. */
  isCodeGroup?: boolean
  /** True for an MDC component, whose content can have `#slot` lines. */
  isSlotted?: boolean
  /** True if `replacement` is a line before the content rather than a box title. */
  isLine?: boolean
  /** Matches option lines below: `:class: x` or `    type: x`. */
  options?: RegExp
}

/** Parses the container that an unindented line opens, or returns null. */
export function parseContainer(line: string): Container | null {
  const first = line[0]
  if (first === '!' || first === '?') return admonition(line)
  if (first === '=') return tab(line)
  if (first === ':') return colons(line)
  if (first === '/') return slashes(line)
  if (first === '{') return parseLiquidBlock(line)
  return first === '`' || first === '~' ? mystFence(line) : null
}

/** Parses MkDocs' `!!! note "Title"` and `??? note`. */
function admonition(line: string): Container | null {
  const [, name, title] =
    /^(?:!!!|\?\?\?\+?) +([\w-]+)(?: +[\w-]+)*(?: +"([^"]*)")?[ \t]*$/.exec(line) ?? []
  if (name === undefined) return null
  return { replacement: strong(title ?? toTitle(name)), closer: 'indent' }
}

/** Parses MkDocs' `=== "Tab"`. */
function tab(line: string): Container | null {
  const title = /^===[!+]? +["'](.+)["'][ \t]*$/.exec(line)?.[1]
  return title === undefined ? null : { replacement: `${title}:`, closer: 'indent' }
}

/** Parses VitePress' `::: tip Title`, Docusaurus' `:::tip[Title]` and MyST's `:::{tip}`. */
function colons(line: string): Container | null {
  const [, marks = '', braced, plain, bracketed, rest = ''] =
    /^(:{3,})[ \t]*(?:\{([\w:-]+)\}|([\w-]+))(?:\[([^\]]*)\])?(?:\{[^}]*\})?[ \t]*([^]*)/.exec(
      line,
    ) ?? []
  const name = braced ?? plain
  if (name === undefined) return pandocDiv(line)
  const title = bracketed ?? withoutAttributes(rest).trim()
  if (braced) return { ...directiveText(name, title), closer: marks, options: field }
  return { ...containerText(name, title), closer: marks, isCodeGroup: name === 'code-group' }
}

/** Parses `::: {.callout-note title="Title"}` of Quarto and Pandoc. */
function pandocDiv(line: string): Container | null {
  const [, marks = '', sourceText] = /^(:{3,})[ \t]*\{([^{}]{0,2000})\}[ \t]*$/.exec(line) ?? []
  if (sourceText === undefined) return null
  const [, kind] = /\.callout-([\w-]+)/.exec(sourceText) ?? []
  const title = parseAttributes(sourceText).get('title') ?? (kind ? toTitle(kind) : '')
  return { replacement: title === '' ? '' : strong(title), closer: marks }
}

/** Converts `Title {.class}` to `Title`. */
function withoutAttributes(title: string): string {
  const open = findOpeningBracket(title, ['{', '}'])
  return open < 0 ? title : title.slice(0, open)
}

const field = /^\s*:[\w-]+:(?:\s|$)/

/** Parses MkDocs' `/// note | Title`. */
function slashes(line: string): Container | null {
  const [, marks = '', name, title = ''] =
    /^(\/{3,})[ \t]*([\w-]+)[ \t]*(?:\|[ \t]*([^]*))?$/.exec(line) ?? []
  if (name === undefined) return null
  return { ...containerText(name, title.trim()), closer: marks, options: /^ {4}[\w-]+: / }
}

const mystText = new RegExp(
  `^(?:${noteNames}|admonition|dropdown` +
    '|margin|sidebar|topic|tab-set|tab-item|tab|tabs|grid|grid-item|grid-item-card' +
    '|card|card-header' +
    '|versionadded|versionchanged|deprecated|container|div|epigraph|prf:\\w+|exercise|solution)$',
)

/** Parses a MyST fence with text content: ```` ```{note} Title ````. */
function mystFence(line: string): Container | null {
  const [, marks = '', name, rest = ''] = /^(`{3,}|~{3,})\{([\w:-]+)\}[ \t]*([^]*)/.exec(line) ?? []
  if (name === undefined || !mystText.test(name)) return null
  return { ...directiveText(name, rest.trim()), closer: marks, options: field }
}

const untitledContainers = new RegExp(
  '^(?:code-group|tabs?|tab-set|grid|grid-item|cards?|steps?|container|div|html|v-pre|raw)$',
)
const tabs = /^(?:tab|tab-item|tabitem)$/

function containerText(name: string, title: string): Pick<Container, 'replacement'> {
  if (tabs.test(name) && title !== '') return { replacement: `${title.replace(/^"(.*)"$/, '$1')}:` }
  if (name === 'card' && title !== '') return { replacement: strong(title) }
  // `/// html | div.grid` and `::: div {.grid}` have no title.
  if (untitledContainers.test(name)) return { replacement: '' }
  const isTitled = isNoteName(name) || titledByName.test(name)
  return { replacement: strong(title === '' && isTitled ? toTitle(name) : title) }
}

/** Containers that sites title with their name. All other names are classes. */
const titledByName = /^(?:details|admonition|exercise|solution|topic|sidebar|epigraph|prf:\w+)$/

const titledDirectives = /^(?:admonition|dropdown|sidebar|topic|tab-item|card|grid-item-card)$/

/** Parses a MyST directive. In most directives, the text after the name starts the body. */
function directiveText(name: string, rest: string): Pick<Container, 'replacement'> {
  if (/^(?:version(?:added|changed|removed)|deprecated)$/.test(name)) {
    const [version = '', ...words] = rest.split(/\s+/)
    const label = versionLabel(name, version)
    return { replacement: words.length === 0 ? strong(label) : `**${label}:** ${words.join(' ')}` }
  }
  if (rest === '' || titledDirectives.test(name) || untitledContainers.test(name))
    return containerText(name, rest)
  return { replacement: `${strong(toTitle(name))}\n\n${rest}` }
}

function strong(title: string): string {
  const words = title.trim()
  return words === '' || words.includes('*') ? words : `**${words}**`
}

/** A container and its opening lines. */
export type MdcContainer = {
  container: Container
  /** The line after the opening line and the properties. */
  next: number
  /** Additional indentation of the content, in columns. */
  indent: number
}

/**
 * Parses the container `::name[label]{key="value"}` at line `at`, or returns null. Its properties
 * can be YAML between two `---` lines. `line` is without the indentation of enclosing blocks. Three
 * colons can also open containers of other dialects, except inside an MDC container.
 */
export function parseMdc(
  lines: readonly string[],
  { at, line, isInside }: { at: number; line: string; isInside: boolean },
): MdcContainer | null {
  const [, marks = '', name, label, braces = ''] =
    /^\s*(:{2,})([a-z][\w-]*)(?:\[([^\]]*)\])?(?:\{([^{}]*)\})?\s*$/.exec(line) ?? []
  if (name === undefined) return null
  const properties = parseAttributes(braces)
  const next = yamlEnd(lines, at + 1, properties)
  if (marks.length > 2 && !isInside && next === at + 1 && !braces.includes('=')) return null
  let first = next
  while (lines[first]?.trim() === '') first++
  const columns = indentColumns(lines[first] ?? '')
  const more = columns === Infinity ? 0 : columns - indentColumns(lines[at] ?? '')
  const replacement = replacementOf(name, label, properties)
  return {
    container: {
      ...replacement,
      closer: marks,
      isSlotted: true,
      isCodeGroup: name === 'code-group' || name === 'code-tree',
    },
    next,
    indent: Math.max(0, more),
  }
}

/** Adds YAML properties between two `---` lines to `properties`. Returns the next line. */
export function yamlEnd(
  lines: readonly string[],
  at: number,
  properties = new Map<string, string>(),
): number {
  if (lines[at]?.trim() !== '---') return at
  const length = lines.slice(at + 1, at + 1 + yamlLines).findIndex((line) => line.trim() === '---')
  if (length < 0) return at
  for (const line of lines.slice(at + 1, at + 1 + length)) {
    const [, key, value = ''] = /^\s*([\w-]+):\s*(.*)$/.exec(line) ?? []
    if (key !== undefined) properties.set(key, value.trim().replace(/^(["'])(.*)\1$/, '$2'))
  }
  return at + length + 2
}

/** Maximum number of lines for a component's properties. */
const yamlLines = 50

const titled = wordSet('card accordion-item tabs-item tab step collapsible details page-card')

function replacementOf(
  name: string,
  label: string | undefined,
  properties: ReadonlyMap<string, string>,
): Pick<Container, 'replacement' | 'isLine'> {
  const title = label ?? firstValue(properties, 'title|label|name')
  const target = firstValue(properties, 'to|href')
  if (name === 'read-more')
    return { replacement: `Read more: ${linked(title, target)}`, isLine: true }
  if (name === 'field') {
    const field = [`\`${title}\``, properties.get('type')].filter(Boolean).join(' ')
    return { replacement: field, isLine: true }
  }
  if (/tab/.test(name) && title !== '') return { replacement: `${title}:` }
  const plain = title || (isNoteName(name) ? toTitle(name) : '')
  if (plain === '') return { replacement: '' }
  const words = target === '' ? plain : linked(plain, target)
  return {
    replacement: `**${words}**`,
    ...(titled.has(name) || isNoteName(name) ? {} : { isLine: true }),
  }
}

function linked(label: string, target: string): string {
  const words = label || target
  return target === '' ? words : `[${words}](${target})`
}

const inlineSign = /:[a-z][\w-]*(?:\[[^[\]]*\])?\{|[\])`]\{/

/**
 * Removes inline components and attributes from a line: `:badge[v4]{color="x"}` → `v4`, ``
 * `code`{lang="ts"} `` → `` `code` ``, `[text](url){.button}` → `[text](url)`. Leaves code spans
 * unchanged.
 */
export function removeInlineMdc(line: string): string {
  if (!line.includes('{') || !inlineSign.test(line)) return line
  return replaceOutsideCode(line, inline, ([, name, label, braces = '', words = '']) =>
    name === undefined ? words : inlineText(name, label, braces),
  )
}

const attribute = '(?:[.#][\\w.#-]+|[\\w:-]+=(?:"[^"{}]*"|\'[^\'{}]*\'|[^\\s"\'{}]+))'
const attributes = `\\{:?[ \\t]*${attribute}(?:[ \\t]+${attribute})*[ \\t]*\\}`

const inline = new RegExp(
  `(?<![\\w:/\\\\]):([a-z][\\w-]*)(?:\\[([^\\[\\]]*)\\])?(${attributes})` +
    `|(?<!\\\\)\\[([^\\[\\]]+)\\]${attributes}` +
    `|(?<=[)\`])${attributes}`,
  'g',
)

function inlineText(name: string, label: string | undefined, braces: string): string {
  const properties = parseAttributes(braces)
  const target = firstValue(properties, 'to|href')
  const words = label ?? firstValue(properties, 'title|label|value|text|name')
  if (name === 'read-more') return `Read more: ${linked(words, target)}`
  if (name === 'icon' || (words === '' && target === '')) return ''
  return linked(words, target)
}

/** True for a line such as `#title`, which names the component slot for the lines below it. */
export function isSlotMark(line: string): boolean {
  return /^\s*#[a-z][\w-]*\s*$/.test(line)
}
