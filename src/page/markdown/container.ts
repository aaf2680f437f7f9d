import { noteNames } from '../../document/note-names.ts'
import { parseAttributes } from '../../document/attributes.ts'
import { toTitle } from '../../document/block-lines.ts'
import { versionLabel } from '../rst/rst-text.ts'
import { parseLiquidBlock } from './liquid.ts'
import { findOpeningBracket } from '../../document/seek.ts'

/** The opening line of a container, such as a note or a tab, in any Markdown dialect. */
export type Container = {
  /** The text that replaces the opening line, without its indentation. */
  replacement: string
  /** The closing mark, or Liquid's closing tag; `indent` if the content is indented. */
  closer: 'indent' | string
  /** Whether the container is a group of code tabs. Each fence in it names its tab. */
  isCodeGroup?: boolean
  /** An MDC component, whose content may be divided by `#slot` lines. */
  isSlotted?: boolean
  /** `replacement` is a line before the content, not the title of a box. */
  isLine?: boolean
  /** Matches the option lines that may follow: `:class: x` or `    type: x`. */
  options?: RegExp
}

/** Reads the container that a line opens, or returns null. The line must have no indentation. */
export function parseContainer(line: string): Container | null {
  const first = line[0]
  if (first === '!' || first === '?') return admonition(line)
  if (first === '=') return tab(line)
  if (first === ':') return colons(line)
  if (first === '/') return slashes(line)
  if (first === '{') return parseLiquidBlock(line)
  return first === '`' || first === '~' ? mystFence(line) : null
}

/** Reads `!!! note "Title"` and `??? note` of MkDocs. */
function admonition(line: string): Container | null {
  const [, name, title] =
    /^(?:!!!|\?\?\?\+?) +([\w-]+)(?: +[\w-]+)*(?: +"([^"]*)")?[ \t]*$/.exec(line) ?? []
  if (name === undefined) return null
  return { replacement: strong(title ?? toTitle(name)), closer: 'indent' }
}

/** Reads `=== "Tab"` of MkDocs. */
function tab(line: string): Container | null {
  const title = /^===[!+]? +["'](.+)["'][ \t]*$/.exec(line)?.[1]
  return title === undefined ? null : { replacement: `${title}:`, closer: 'indent' }
}

/** Reads `::: tip Title` of VitePress, `:::tip[Title]` of Docusaurus, `:::{tip}` of MyST. */
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

/** Reads `::: {.callout-note title="Title"}` of Quarto and Pandoc. */
function pandocDiv(line: string): Container | null {
  const [, marks = '', written] = /^(:{3,})[ \t]*\{([^{}]{0,2000})\}[ \t]*$/.exec(line) ?? []
  if (written === undefined) return null
  const [, kind] = /\.callout-([\w-]+)/.exec(written) ?? []
  const title = parseAttributes(written).get('title') ?? (kind ? toTitle(kind) : '')
  return { replacement: title === '' ? '' : strong(title), closer: marks }
}

/** Converts `Title {.class}` to `Title`. */
function withoutAttributes(title: string): string {
  const open = findOpeningBracket(title, ['{', '}'])
  return open < 0 ? title : title.slice(0, open)
}

const field = /^\s*:[\w-]+:(?:\s|$)/

/** Reads `/// note | Title` of MkDocs. */
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

/** Reads a MyST fence that contains text: ```` ```{note} Title ````. */
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
  // `/// html | div.grid` and `::: div {.grid}` are boxes.
  if (untitledContainers.test(name)) return { replacement: '' }
  return { replacement: strong(title === '' ? toTitle(name) : title) }
}

const titledDirectives = /^(?:admonition|dropdown|sidebar|topic|tab-item|card|grid-item-card)$/

/** Reads a MyST directive, in most of which the text after the name begins the body. */
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
