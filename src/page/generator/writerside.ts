import { fenceCode } from '../../document/fence.ts'
import { ChargedValues, growthLimitFor } from '../../document/growth.ts'
import type { Include, IncludeFinder } from '../include/include.ts'
import { dedent, indentLines, selectPart } from '../include/include-part.ts'
import type { Generator, ReadText } from './generator.ts'
import { parseAttributes, rewriteMarkdown } from './markdown-lines.ts'
import { resolveInFolder, resolveSubfolder, rootForFileName } from './site-path.ts'

/** Writerside by JetBrains: `writerside.cfg`, or `project.ihp` for older sites. */
export const writerside: Generator = {
  name: 'Writerside',
  rootOf: (path) => rootForFileName(path, ['writerside.cfg', 'project.ihp']),
  async read({ text, root }, read) {
    if (!/<ihp[\s>]/.test(text)) return null
    const config = text.slice(0, textLimit)
    const folder = (element: string, attribute: string, otherwise: string) => {
      const tag = new RegExp(`<${element}\\s[^<>]{0,500}>`).exec(config)?.[0] ?? ''
      return resolveSubfolder(root, parseAttributes(tag).get(attribute) ?? otherwise)
    }
    const topics = folder('topics', 'dir', 'topics')
    const snippets = folder('(?:snippets|code-snippets)', 'src', 'snippets')
    return {
      folders: topics === null ? [root] : [topics],
      bases: [snippets, topics, root].filter((it) => it !== null),
      variables: await variablesOf(root, read),
    }
  },
  includes: findInclude,
  sign: /^\s*(?:`{3}|~{3}|<include\s|<code-block\s)/,
  toMarkup: (text, { site, growth = growthLimitFor(text.length) }) => {
    const own = new ChargedValues(variablesIn(text), growth)
    return toMarkdown(text, (name) => own.get(name) ?? site.variables.get(name))
  },
}

/** The number of characters of a configuration that are searched. */
const textLimit = 200_000

async function variablesOf(root: string, read: ReadText): Promise<Map<string, string>> {
  return new Map(variablesIn((await read(resolveInFolder(root, 'v.list')!)) ?? ''))
}

/** The values of `<var name="x" value="y"/>`. */
function variablesIn(text: string): [string, string][] {
  const tags = text.slice(0, textLimit).matchAll(/<var\s[^<>]{0,2000}>/g)
  return Array.from(tags, ([tag]) => {
    const attributes = parseAttributes(tag)
    return [attributes.get('name') ?? '', attributes.get('value') ?? '']
  })
}

/**
 * An empty fence with the line `{src="x.kt" include-lines="1-3"}` below it, `<code-block
 * src="x.kt"/>`, or `<include from="lib.topic" element-id="x"/>`, which is a snippet of XML.
 */
function findInclude(...[lines, { line, fence }]: Parameters<IncludeFinder>): Include | null {
  if (fence !== null) return null
  const source = lines[line] ?? ''
  const [, indent = '', marks, language = ''] = /^(\s*)(`{3,}|~{3,})(\S*)\s*$/.exec(source) ?? []
  if (marks !== undefined) {
    const options = lines[line + 2]?.trim() ?? ''
    if (lines[line + 1]?.trim() !== marks || !/^\{[^{}]*\bsrc="/.test(options)) return null
    return codeInclude(parseAttributes(options), { from: line, to: line + 3, indent, language })
  }
  const [, before = '', name, written = ''] =
    /^(\s*)<(include|code-block)\s([^<>]*)>/.exec(source) ?? []
  const attributes = parseAttributes(written)
  const place = { from: line, to: line + 1, indent: before }
  if (name === 'code-block') {
    if (!attributes.has('src') || !written.endsWith('/')) return null
    return codeInclude(attributes, { ...place, language: attributes.get('lang') ?? '' })
  }
  const [target, id] = [attributes.get('from'), attributes.get('element-id')]
  if (name !== 'include' || target === undefined || id === undefined) return null
  return snippetInclude(lines, { ...place, target, id, isClosed: written.endsWith('/') })
}

type IncludePlace = { from: number; to: number; indent: string }

function codeInclude(
  attributes: ReadonlyMap<string, string>,
  { language, indent, ...place }: IncludePlace & { language: string },
): Include | null {
  const render = (text: string, limit: number) => {
    const lines = attributes.get('include-lines')
    const code = selectPart(text, lines === undefined ? {} : { lines }, limit)
    return code && indentLines(fenceCode(code.join('\n'), language).split('\n'), indent)
  }
  return { ...place, target: attributes.get('src')!, render, isMarkup: false }
}

/** The number of lines below an include that are searched for its variables and its end. */
const includeLines = 50

function snippetInclude(
  lines: readonly string[],
  {
    target,
    id,
    isClosed,
    indent,
    from,
    to,
  }: IncludePlace & Record<'target' | 'id', string> & { isClosed: boolean },
): Include {
  const last = lines.slice(to, to + includeLines).findIndex((line) => line.includes('</include>'))
  const end = isClosed || last < 0 ? to : to + last + 1
  const values = variablesIn(lines.slice(to, end).join('\n'))
  const render = (text: string) => {
    const snippet = snippetOf(text, id)
    if (snippet === null) return null
    const own = new ChargedValues(values, growthLimitFor(snippet.length))
    const shown = withValues(snippet, (name) => own.get(name))
    return indentLines(shown.split('\n'), indent)
  }
  return { from, to: end, target, render, isMarkup: false }
}

/** The content of `<snippet id="x">` as Markdown; null if there is none. */
function snippetOf(text: string, id: string): string | null {
  const start = new RegExp(`<snippet\\s[^<>]{0,500}?id="${RegExp.escape(id)}"[^<>]{0,500}>`).exec(
    text,
  )
  if (start === null) return null
  const from = start.index + start[0].length
  const end = text.indexOf('</snippet>', from)
  return xmlToMarkdown(text.slice(from, end < 0 ? undefined : end))
}

/**
 * Converts topics in XML to text: code becomes fences, and other tags are replaced by their
 * content.
 */
function xmlToMarkdown(xml: string): string {
  const parts = xml.split(/(<code-block\b[^<>]*>(?:(?!<\/code-block>)[^])*<\/code-block>)/)
  return parts.map((part, at) => (at % 2 === 0 ? proseOf(part) : codeOf(part))).join('')
}

function codeOf(block: string): string {
  const [, attributes = '', code = ''] =
    /^<code-block\b([^<>]*)>([^]*)<\/code-block>$/.exec(block) ?? []
  const lines = dedent(code.replace(/^\s*\n|\s+$/g, '').split('\n')).join('\n')
  const language = parseAttributes(attributes).get('lang')?.toLowerCase() ?? ''
  return `\n\n${fenceCode(unescaped(lines), language)}\n\n`
}

function proseOf(xml: string): string {
  const lines = xml.replace(/<!--(?:(?!-->)[^])*-->/g, '').split('\n')
  const text = tagsToMarkdown(lines.map((line) => line.trim()).join('\n'))
  return unescaped(text).replace(/\n{3,}/g, '\n\n')
}

const entities = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

function unescaped(text: string): string {
  return text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => entities.get(name)!)
}

/** Tags that are replaced by their content or removed. */
const layoutTags = new RegExp(
  '</?(?:tabs|tab|tldr|note|tip|warning|procedure|step|include|var|list|p|def|ui-path|chapter|' +
    'show-structure|primary-label|secondary-label|deflist|anchor|snippet|if|compare|control|' +
    'shortcut|emphasis|format|video|res|topic|code-block|card|cards|seealso|' +
    'section-starting-page)(?=[\\s/>])[^<>]*>',
  'g',
)

function tagsToMarkdown(line: string): string {
  if (!line.includes('<')) return line
  return line
    .replace(/<(tab|def|chapter|procedure)\s([^<>]*)>/g, (_, _tag, written: string) => {
      const title = parseAttributes(written).get('title')
      return title === undefined ? '' : `**${title}**\n\n`
    })
    .replace(/<(tip|note|warning)(?=[\s>])[^<>]*>/g, (_, kind: string) => {
      return `**${kind[0]!.toUpperCase()}${kind.slice(1)}:** `
    })
    .replace(/<p>/g, '\n')
    .replace(/<\/?(?:code|path)>/g, '`')
    .replace(/<\/?(?:b|strong|control)>/g, '**')
    .replace(/<li>\s*/g, '- ')
    .replace(/<\/li>/g, '')
    .replace(/<a\s([^<>]*)>([^<>]*)<\/a>/g, (_, written: string, words: string) => {
      const target = parseAttributes(written).get('href')
      return target === undefined ? words : `[${words.trim()}](${target})`
    })
    .replace(/<a\s+href="([^"<>\s]+)"[^<>]*\/>/g, '[]($1)')
    .replace(layoutTags, '')
}

type ValueOf = (name: string) => string | undefined

/** Replaces `%name%` with its value; keeps it if the name is unknown. */
function withValues(text: string, valueOf: ValueOf): string {
  if (!text.includes('%')) return text
  return text.replace(/%([\w.-]{1,100})%/g, (whole, name: string) => valueOf(name) ?? whole)
}

/** Removes `{id="x" width=700}` after headings and pictures. */
function withoutAttributes(text: string): string {
  return text.includes('{')
    ? text.replace(/\s?\{(?:[\w-]{1,50}=(?:"[^"{}]*"|\w+) ?){1,9}\}/g, '')
    : text
}

/** Elements that contain descriptions for search engines or lists of links. */
const hiddenTag = /^\s*<(web-summary|link-summary|card-summary)\b[^<>]*>/

function toMarkdown(text: string, valueOf: ValueOf): string {
  let hidden = ''
  return rewriteMarkdown(text, {
    prose(line) {
      const end = hidden
      hidden = end || (hiddenTag.exec(line)?.[1] ?? '')
      if (hidden !== '') {
        if (line.includes(`</${hidden}>`)) hidden = ''
        return null
      }
      const title = /^\[\/\/\]: # \(title: (.{1,300})\)\s*$/.exec(line)?.[1]
      if (title !== undefined) return `# ${withValues(title, valueOf)}`
      if (/^\s*\{[\w-]+\s*=[^{}]*\}\s*$/.test(line)) return null
      const indent = /^\s*/.exec(line)![0]
      const bare = withValues(line.slice(indent.length), valueOf)
      const shown = bare
        .split(/(`[^`]*`)/)
        .map((part, at) => (at % 2 === 1 ? part : tagsToMarkdown(withoutAttributes(part))))
        .join('')
      return shown.trim() === '' && bare.trim() !== '' ? null : indent + shown.trimEnd()
    },
    code: (line) => withValues(line, valueOf),
  })
}
