import type { FoundSymbol } from '../../api/find-python.ts'
import { type MemberChoice, chosenMembers, placedMarkdown } from '../../api/in-place.ts'
import { appendLines } from '../../document/block-lines.ts'
import { type Fence, fenceAfter } from '../../document/fence.ts'
import { type GrowthLimit, growthLimitFor } from '../../document/growth.ts'
import { type Mark, rewriteMarkdown, withMarks } from '../../document/markdown-lines.ts'
import type { MarkupPage } from '../generator.ts'
import { type YamlMap, mapAt, scalarsOf, stringsOf } from '../yaml-data.ts'
import { notIncluded, notIncludedLine } from '../../document/not-found.ts'
import { bodyEnd } from '../../formats/rst/rst-part.ts'
import { isRecord } from '../../platform/json.ts'
import type { ApiLookup, PageSite } from '../../formats/parsed-text.ts'

/**
 * Converts the syntax of MkDocs plugins to Markdown: variables, macros with tabs, icons, attribute
 * lists, mkdocstrings objects, and code for markdown-exec. The Markdown parser handles admonitions
 * and tabs.
 */
export function mkdocsToMarkdown(
  text: string,
  { site, lookup, growth }: Omit<MarkupPage, 'path'>,
): string {
  const { variables } = site
  const markdown = withObjects(withoutExecuted(text), { lookup, growth, variables })
  return rewriteMarkdown(markdown, {
    prose: (line) => withMarks(withVariables(line, site), marks),
    opening: (line) => line.replace(/^(\s*(?:`{3,}|~{3,})\s*[\w+-]*)[^`]*\bexec="[^`]*$/, '$1'),
    code: (line) => withVariables(line, site),
  })
}

const marks: readonly Mark[] = [
  {
    // og cannot run macros, so a macro becomes its arguments: `{{ feature(beta="0.24") }}` becomes
    // `beta 0.24`. A link to a macro becomes its text.
    open: new RegExp(
      '(?:\\[([^[\\]]{1,300})\\]\\()?\\{\\{-?\\s?(?!\\w*(?:code|include|snippet))[a-z_]\\w{0,100}' +
        '\\(([^(){}]{0,500})\\)\\s*-?\\}\\}(?:[^\\s()]{0,300}\\))?',
    ),
    becomes: ([, words, options = '']) => {
      if (words !== undefined) return words
      if (!/^\s*(?:$|[\w-]+\s*=|["'])/.test(options)) return null
      const values = options.matchAll(/(?:([\w-]+)\s*=\s*)?["']([^"']*)["']/g)
      return Array.from(values, ([, key, value]) => (key ? `${key} ${value}` : value)).join(' ')
    },
  },
  // A Material icon: `:material-api:`.
  {
    open: /:(?:material|fontawesome|octicons|simple)-[a-z0-9-]+:(?:\{[^{}\n]*\})?[ \t]*/,
    becomes: '',
  },
  { open: /\{%-?\s*(?:end)?raw\s*-?%\}/, becomes: '' },
  {
    // `{: .class }` after a word, a link or code, or on a separate line.
    open: /(?<=^\s*|[)\]`*_\w"])\{(:?[ \t]*[^{}\n]{1,300})\}/,
    becomes: ([, list = '']) => (isAttributeList(list) ? '' : null),
  },
]

function isAttributeList(list: string): boolean {
  const items = list.replace(/^:/, '').trim()
  const isMarked = list.startsWith(':') || /^(?:\.|[\w-]+=)/.test(items)
  return isMarked && items.replace(attributeItem, '').trim() === ''
}

const attributeItem = /(?<!\S)(?:[.#]?[\w-]+|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"']*))(?!\S)/g

/** Replaces `{{ name }}` with its value in the configuration. Keeps unknown names. */
function withVariables(line: string, { variables }: PageSite): string {
  if (variables.size === 0 || !line.includes('{{')) return line
  return line.replace(/\{\{-?\s*([\w.-]{1,200}?)\s*-?\}\}/g, (whole, name: string) => {
    return variables.get(name) ?? whole
  })
}

/** A fence with its code. */
const wholeFence = /^([ \t]*(`{3,}|~{3,})[^\n]*)\n((?:[^\n]*\n){0,500}?)[ \t]*\2[ \t]*(?:\n|$)/gm

/** Removes fences that markdown-exec runs if the same code is in an earlier fence. */
function withoutExecuted(text: string): string {
  if (!/\bexec=/.test(text)) return text
  const seen = new Set<string>()
  return text.replace(wholeFence, (...[block = '', opening = '', , content = '']: string[]) => {
    const isHidden = /\bexec=["']?(?:on|true|yes|1)\b/.test(opening) && !/\bsource=/.test(opening)
    const code = content.replace(/^[ \t]+|[ \t]+$/gm, '')
    const isRepeated = isHidden && seen.has(code)
    seen.add(code)
    return isRepeated ? '' : block
  })
}

/** Prefix of site variables with mkdocstrings options. */
const optionMark = 'mkdocstrings:'

/** Returns the mkdocstrings options and the Python package folders of a configuration. */
export function mkdocstringsSettings(plugin: YamlMap | undefined): {
  folders: string[]
  variables: [string, string][]
} {
  const python = mapAt(mapAt(plugin ?? {}, 'handlers'), 'python')
  const options = isRecord(python.options) ? python.options : {}
  const scalars = [...scalarsOf(options)]
  return {
    folders: stringsOf(python.paths),
    variables: scalars.map(([name, value]) => [optionMark + name, value]),
  }
}

type Options = ReadonlyMap<string, readonly string[]>
type Placing = {
  lookup: ApiLookup | undefined
  growth?: GrowthLimit | undefined
  variables: ReadonlyMap<string, string>
}

/** Replaces each mkdocstrings line `::: package.object` with the object's documentation. */
export function withObjects(
  text: string,
  { growth = growthLimitFor(text.length), ...placing }: Placing,
): string {
  if (!/^[ \t]*:::[ \t]/m.test(text)) return text
  const lines = text.split('\n')
  const out: string[] = []
  let fence: Fence | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const bare = line.replace(/^(?: {4})+/, '')
    const [, indent = '', name] = /^(\s*):::\s+([A-Za-z_][\w.]*)\s*$/.exec(line) ?? []
    if (fence !== null || name === undefined || !name.includes('.')) {
      fence = fenceAfter(bare, fence)
      out.push(line)
      continue
    }
    // Options are indented by four columns.
    const end = bodyEnd(lines, at, indent.length + 3)
    const options = optionsIn(lines.slice(at + 1, end))
    at = end - 1
    if (growth.left() === 0) continue
    const content = objectText(name, { ...placing, options }).split('\n')
    const indented = content.map((one) => (one === '' ? '' : indent + one))
    if (growth.take(lengthOf(indented))) appendLines(out, [...indented, ''])
  }
  return out.join('\n')
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

/** Returns the options' values from all groups: `members: [a]`, or a list below. */
function optionsIn(lines: readonly string[]): Options {
  const options = new Map<string, string[]>()
  let last: string[] | undefined
  for (const line of lines) {
    const [, name, value = ''] = /^\s*([a-z_]+):(?:\s+(.*))?$/.exec(line) ?? []
    const [, item] = /^\s*-\s+(.*)$/.exec(line) ?? []
    if (item !== undefined) last?.push(unquoted(item))
    if (name === undefined) continue
    last = value.split(',').flatMap((one) => unquoted(one) || [])
    options.set(name, last)
  }
  return options
}

function unquoted(value: string): string {
  return value.trim().replace(/^[["']+|[\]"']+$/g, '')
}

function objectText(
  name: string,
  { lookup, variables, options }: Placing & { options: Options },
): string {
  const object = lookup === undefined ? null : lookup.find([name])
  if (object === undefined) return ''
  if (object === null) return notIncludedLine(name)
  const option = (key: string) => options.get(key)?.join(',') ?? variables.get(optionMark + key)
  const level = Number(option('heading_level') ?? 2)
  const choice = choiceOf(options, option)
  return [placedMarkdown(object, { choice, level: level || 2 }), ...missing(object, choice)].join(
    '\n\n',
  )
}

function choiceOf(options: Options, option: (key: string) => string | undefined): MemberChoice {
  const listed = options.get('members')
  const rule = option('show_if_no_docstring') === 'true' ? 'all' : 'documented'
  const word = listed?.length === 1 ? listed[0]!.toLowerCase() : ''
  const members =
    listed === undefined || word === 'true' || /^(?:null|~)$/.test(word)
      ? rule
      : listed.length === 0 || word === 'false' || word === 'none'
        ? 'none'
        : listed
  const hasInherited = !/^(?:false)?$/.test(option('inherited_members') ?? '')
  const excluded = (options.get('filters') ?? []).flatMap(
    (it) => /^!\^?(\w+)\$?$/.exec(it)?.[1] ?? [],
  )
  return { members, excluded: new Set(excluded), hasInherited }
}

/** Returns a line for listed members of classes in other packages. */
function missing(object: FoundSymbol, choice: MemberChoice): string[] {
  if (typeof choice.members === 'string') return []
  const own = new Set(chosenMembers(object, choice).map(({ name }) => name))
  const names = choice.members.filter((name) => !own.has(name) && !choice.excluded.has(name))
  return names.length === 0 ? [] : [`${names.map((it) => `\`${it}\``).join(', ')} ${notIncluded}`]
}
