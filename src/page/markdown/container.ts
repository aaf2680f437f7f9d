import { asTitle } from '../block-lines.ts'
import { bracketAtEnd } from '../seek.ts'

/** The opening line of a container, such as a note or a tab, in any Markdown dialect. */
export type OpenedContainer = {
  /** The text that replaces the line, without its indentation. */
  shown: string
  /** The mark that closes the container; `indent` if its content is indented by four columns. */
  closer: 'indent' | string
  /** Whether it is a group of code tabs. Each of its fences names its tab. */
  isCodeGroup?: boolean
  /** Matches the option lines that may follow: `:class: x` or `    type: x`. */
  options?: RegExp
}

/** The container that a line opens, or null. The line has no indentation. */
export function openedContainer(line: string): OpenedContainer | null {
  const first = line[0]
  if (first === '!' || first === '?') return admonition(line)
  if (first === '=') return tab(line)
  if (first === ':') return colons(line)
  if (first === '/') return slashes(line)
  return first === '`' || first === '~' ? mystFence(line) : null
}

/** `!!! note "Title"` and `??? note` of MkDocs. */
function admonition(line: string): OpenedContainer | null {
  const [, name, title] =
    /^(?:!!!|\?\?\?\+?) +([\w-]+)(?: +[\w-]+)*(?: +"([^"]*)")?[ \t]*$/.exec(line) ?? []
  if (name === undefined) return null
  return { shown: strong(title ?? asTitle(name)), closer: 'indent' }
}

/** `=== "Tab"` of MkDocs. */
function tab(line: string): OpenedContainer | null {
  const title = /^===[!+]? +["'](.+)["'][ \t]*$/.exec(line)?.[1]
  return title === undefined ? null : { shown: `${title}:`, closer: 'indent' }
}

/** `::: tip Title` of VitePress, `:::tip[Title]` of Docusaurus, `:::{tip} Title` of MyST. */
function colons(line: string): OpenedContainer | null {
  const [, marks = '', braced, plain, bracketed, rest = ''] =
    /^(:{3,})[ \t]*(?:\{([\w:-]+)\}|([\w-]+))(?:\[([^\]]*)\])?(?:\{[^}]*\})?[ \t]*([^]*)/.exec(
      line,
    ) ?? []
  const name = braced ?? plain
  if (name === undefined) return null
  const title = bracketed ?? withoutAttributes(rest).trim()
  if (braced) return { ...mystNamed(name, title), closer: marks, options: field }
  return { ...named(name, title), closer: marks, isCodeGroup: name === 'code-group' }
}

/** `Title {.class}` → `Title`. */
function withoutAttributes(title: string): string {
  const open = bracketAtEnd(title, ['{', '}'])
  return open < 0 ? title : title.slice(0, open)
}

const field = /^\s*:[\w-]+:(?:\s|$)/

/** `/// note | Title` of MkDocs. */
function slashes(line: string): OpenedContainer | null {
  const [, marks = '', name, title = ''] =
    /^(\/{3,})[ \t]*([\w-]+)[ \t]*(?:\|[ \t]*([^]*))?$/.exec(line) ?? []
  if (name === undefined) return null
  return { ...named(name, title.trim()), closer: marks, options: /^ {4}[\w-]+: / }
}

const mystText = new RegExp(
  '^(?:note|tip|hint|warning|caution|danger|attention|important|error|seealso|admonition|dropdown' +
    '|margin|sidebar|topic|tab-set|tab-item|tab|tabs|grid|grid-item|grid-item-card' +
    '|card|card-header' +
    '|versionadded|versionchanged|deprecated|container|div|epigraph|prf:\\w+|exercise|solution)$',
)

/** A MyST fence that contains text: ```` ```{note} Title ````. */
function mystFence(line: string): OpenedContainer | null {
  const [, marks = '', name, rest = ''] = /^(`{3,}|~{3,})\{([\w:-]+)\}[ \t]*([^]*)/.exec(line) ?? []
  if (name === undefined || !mystText.test(name)) return null
  return { ...mystNamed(name, rest.trim()), closer: marks, options: field }
}

const untitled = new RegExp(
  '^(?:code-group|tabs?|tab-set|grid|grid-item|cards?|steps?|container|div|html|v-pre|raw)$',
)
const tabs = /^(?:tab|tab-item|tabitem)$/

function named(name: string, title: string): Pick<OpenedContainer, 'shown'> {
  if (tabs.test(name) && title !== '') return { shown: `${title.replace(/^"(.*)"$/, '$1')}:` }
  // `/// html | div.grid` and `::: div {.grid}` are boxes.
  if (untitled.test(name)) return { shown: '' }
  return { shown: strong(title === '' ? asTitle(name) : title) }
}

const mystTitled = /^(?:admonition|dropdown|sidebar|topic|tab-item|card|grid-item-card)$/

/** A MyST directive. For most of them the text after the name is the first line of their body. */
function mystNamed(name: string, rest: string): Pick<OpenedContainer, 'shown'> {
  if (rest === '' || mystTitled.test(name) || untitled.test(name)) return named(name, rest)
  return { shown: `${strong(asTitle(name))}\n\n${rest}` }
}

function strong(title: string): string {
  const words = title.trim()
  return words === '' || words.includes('*') ? words : `**${words}**`
}
