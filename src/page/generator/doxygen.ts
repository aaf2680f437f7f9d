import { commentLines, dedent } from '../../api/docstring/indent.ts'
import { toTitle } from '../../document/block-lines.ts'
import { renderCode } from '../include/include-part.ts'
import type { Generator, MarkupPage, PageSite } from './generator.ts'
import {
  rewriteMarkdown,
  rewriteProse,
  type Mark,
  withMarks,
} from '../../document/markdown-lines.ts'
import { parseMarkdown } from '../markdown/parse-markdown.ts'
import type { ParsedFile, ParsedText } from '../parsed-text.ts'
import { parentFolder, resolveSubfolder } from './site-path.ts'
import type { Include, IncludeFinder } from '../include/include-file.ts'
import { referenceKey } from '../reference-key.ts'

/** Doxygen: `Doxyfile`, also as a template such as `Doxyfile.in`. */
export const doxygen: Generator = {
  name: 'Doxygen',
  isSecondary: true,
  rootOf: (path) => (configName.test(path) ? parentFolder(path) : null),
  async read({ text, root }) {
    const settings = settingsOf(text)
    if (!settings.has('INPUT') && !settings.has('PROJECT_NAME')) return null
    const folders = (key: string) =>
      words(settings.get(key) ?? '').flatMap((written) => {
        // The build fills in the folder of the project.
        const path = written.replace(/^(?:@\w+@|\$[({]\w+[)}])\//, '')
        if (/[@$*]/.test(path)) return []
        const bases = path === written ? [root] : ['', parentFolder(root)]
        return bases.flatMap((base) => resolveSubfolder(base, path) ?? [])
      })
    const variables = words(settings.get('ALIASES') ?? '').flatMap(
      (written): [string, string][] => {
        const [, name, value = ''] = /^([A-Za-z]\w*)=([^]*)$/.exec(written) ?? []
        return name === undefined || /\\\d/.test(value) ? [] : [[`alias:${name}`, value]]
      },
    )
    return {
      folders: [root, ...folders('INPUT').filter((it) => !/\.\w+$/.test(it))],
      bases: [root, ...folders('EXAMPLE_PATH'), ...folders('INPUT')],
      variables: new Map(variables),
    }
  },
  includes: findDoxygenInclude,
  sign: /[@\\](?:snippet|include|verbinclude|includelineno|dontinclude)\b/,
  toMarkup: doxygenToMarkdown,
}

const configName = /(?:^|\/)(?:Doxyfile(?:[-.][\w.-]{1,30})?|[\w.-]{1,60}\.doxyfile)$/i

/** The settings `NAME = value` and `NAME += value`, which may continue after a backslash. */
function settingsOf(text: string): Map<string, string> {
  const settings = new Map<string, string>()
  let name = ''
  let isOpen = false
  for (const line of text.split('\n')) {
    const [, key, add, first = ''] = /^[ \t]*([A-Z][A-Z0-9_]*)[ \t]*(\+?)=(.*)$/.exec(line) ?? []
    if (line.trimStart().startsWith('#') || (!isOpen && key === undefined)) continue
    const written = isOpen ? line : first
    if (!isOpen) name = key!
    const before = isOpen || add === '+' ? `${settings.get(name) ?? ''} ` : ''
    isOpen = /\\\s*$/.test(written)
    settings.set(name, before + written.replace(/\\\s*$/, '').trim())
  }
  return settings
}

/** The words of a value; a word may contain spaces in quotes, as in `name="some text"`. */
function words(value: string): string[] {
  return [...value.matchAll(/([^\s"]*)"((?:[^"\\]|\\.)*)"|([^\s"]+)/g)].map(
    ([, before = '', quoted, plain = '']) =>
      quoted === undefined ? plain : before + quoted.replaceAll('\\"', '"'),
  )
}

const includeLine = new RegExp(
  String.raw`^(\s*)[@\\](snippet|include|verbinclude)(?:\{[^}]{0,100}\})?` +
    String.raw`[ \t]+"?([^\s"]+)"?(?:[ \t]+([^\n]{1,200}))?$`,
)

/** Finds `@snippet file name` and `@include file`. */
function findDoxygenInclude(
  ...[lines, { line, fence }]: Parameters<IncludeFinder>
): Include | null {
  const [, indent = '', kind, target, name] = includeLine.exec((lines[line] ?? '').trimEnd()) ?? []
  if (fence !== null || target === undefined) return null
  if (kind === 'snippet' && name === undefined) return null
  const part = kind === 'snippet' ? { region: name!.trim(), marks: [snippetMark] } : {}
  const code = renderCode(target, { indent, part })
  const render = (text: string, limit: number) => {
    const lines = code(text, limit)
    return lines && ['', ...lines, '']
  }
  return { from: line, to: line + 1, target, render, isMarkup: false }
}

/** The comments before and after a snippet: `//! [name]`. */
const snippetMark =
  /^\s*(?:\/\/[!/]?|\/\*[*!]?|##?!?|<!--|--!?|;)\s*\[(?<name>[^\]]+)\]\s*(?:-->|\*\/)?\s*$/

/** Parses the comments of a `.dox` file, which are pages: `@page name Title`. */
export function parseDoxygen(text: string, file: ParsedFile): ParsedText {
  const written = commentsOf(text).join('\n\n')
  const site = { variables: new Map<string, string>() }
  return parseMarkdown(doxygenToMarkdown(written, { site, titles: file.titles }), file)
}

/** The comments of a file, without their marks. A comment may contain others in its code. */
function commentsOf(text: string): string[] {
  const comments: string[] = []
  let start = -1
  let listing = ''
  const add = (end: number) => {
    const comment = text.slice(start, end)
    const isStarred = !/\n[ \t]*[^\s*]/.test(comment)
    const body = comment.replace(/^\/\*[*!]|\*\/$/g, '')
    comments.push((isStarred ? commentLines(comment) : dedent(body)).join('\n'))
    start = -1
  }
  const marks = /[@\\]((?:end)?(?:code|verbatim))\b|\/\*[*!]|\*\//g
  for (const { 0: mark, 1: kind = '', index } of text.matchAll(marks)) {
    if (start < 0) start = mark.startsWith('/') ? index : -1
    else if (listing !== '') listing = kind === `end${listing}` ? '' : listing
    else if (mark === '*/') add(index + mark.length)
    else if (/^[cv]/.test(kind)) listing = kind
  }
  if (start >= 0) add(text.length)
  return comments.length === 0 ? [text] : comments
}

/** Converts the special commands of Doxygen, which begin with `@` or a backslash, to Markdown. */
export function doxygenToMarkdown(
  text: string,
  { site, titles }: Pick<MarkupPage, 'titles'> & { site: Pick<PageSite, 'variables'> },
): string {
  if (!/[@\\][A-Za-z]/.test(text)) return text
  const alias: Mark = {
    open: /(?<![\w@\\])[@\\]([A-Za-z]\w*)\b/,
    becomes: ([, name]) =>
      site.variables.get(`alias:${name}`)?.replaceAll(/\^\^|\\n\b/g, '\n') ?? null,
  }
  const reference: Mark = {
    open: new RegExp(
      String.raw`(?<![\w@\\])[@\\](?:ref|subpage)[ \t]+"?([\w:~.#/-]*[\w:~#/-](?:\(\))?)"?` +
        String.raw`(?:[ \t]+"([^"\n]{1,300})")?`,
    ),
    becomes: ([, name = '', words]) => words ?? titles?.get(referenceKey('ref', name)) ?? name,
  }
  const all = [alias, ...marks, reference]
  const prepared = rewriteProse(rewriteProse(text, withFences), joinReferences)
  return rewriteMarkdown(prepared, {
    prose: (line) => (hidden.test(line) ? null : withMarks(line, all)),
  })
}

/** Writes `@code{.c} … @endcode` and `@verbatim … @endverbatim` as fences. */
function withFences(text: string): string {
  return text
    .replace(
      /^([ \t]*)[@\\](?:code|verbatim|dot|msc|startuml)(?:[ \t]*\{\.?([\w+-]*)[^}\n]*\})?[ \t]*$/gm,
      (_, indent: string, language = '') => `${indent}\`\`\`${language}`,
    )
    .replace(/^([ \t]*)[@\\](?:endcode|endverbatim|enddot|endmsc|enduml)[ \t]*$/gm, '$1```')
}

/** A reference may continue on the next line. */
function joinReferences(text: string): string {
  return text.replace(/([@\\](?:ref|subpage|link|c|p))[ \t]*\n[ \t]*(?=[\w"])/g, '\n$1 ')
}

const hidden = new RegExp(
  String.raw`^\s*(?:[@\\](?:tableofcontents|(?:end)?internal|anchor|(?:end)?cond|nosubgrouping` +
    '|ingroup|addtogroup|defgroup|file|(?:end)?htmlonly|(?:end)?latexonly|if|ifnot|endif' +
    String.raw`|prev_tutorial|next_tutorial|(?:end)?parblock)\b.*|\[TOC\]|@[{}])\s*$`,
)

const labels: Readonly<Record<string, string>> = {
  sa: 'See also',
  see: 'See also',
  pre: 'Precondition',
  post: 'Postcondition',
  todo: 'To do',
  return: 'Returns',
}

const note = new RegExp(
  String.raw`^([\s>]*)[@\\](note|warning|attention|remarks?|important|todo|bug|deprecated|since` +
    String.raw`|version|author|date|sa|see|pre|post|invariant|returns?)\b[ \t]*`,
)

const marks: readonly Mark[] = [
  { open: /^\s*[@\\]mainpage\b[ \t]*/, becomes: '# ' },
  { open: /^\s*[@\\]page\b[ \t]*(?:[\w-]+[ \t]+)?/, becomes: '# ' },
  {
    open: /^\s*[@\\]((?:sub){0,2})section\b[ \t]*(?:[\w-]+[ \t]+)?/,
    becomes: ([, subs = '']) => `##${'#'.repeat(subs.length / 3)} `,
  },
  { open: /^\s*[@\\]paragraph\b[ \t]*(?:[\w-]+[ \t]+)?/, becomes: '##### ' },
  { open: /^[\s>]*[@\\]par[ \t]*$/, becomes: '' },
  { open: /^([\s>]*)[@\\]par[ \t]+(\S.*?)[ \t]*$/, becomes: '$1**$2**\n' },
  {
    open: note,
    becomes: ([, margin, name = '']) => `${margin}**${labels[name] ?? toTitle(name)}:** `,
  },
  { open: /[@\\]f(?:\$|\(|\))/, becomes: '$' },
  { open: /[@\\]f(?:[[\]]|\{[^{}]{0,50}\}\{?|\})/, becomes: '$$' },
  { open: /\[([^[\]\n]{1,300})\]\([@\\]ref[ \t]+[^()\n]{1,300}(?:\(\))?\)/, becomes: '$1' },
  { open: /(?<![\w@\\])[@\\][cp][ \t]+([^\s,;]*[\w)*>\]])/, becomes: '`$1`' },
  { open: /(?<![\w@\\])[@\\]b[ \t]+([^\s,;.]+)/, becomes: '**$1**' },
  { open: /(?<![\w@\\])[@\\](?:e|em|a)[ \t]+([^\s,;.]+)/, becomes: '*$1*' },
  {
    open: /[@\\]image(?:\{[^}]{0,100}\})?[ \t]+(\w+)[ \t]+\S+(?:[ \t]+"([^"\n]*)")?[^\n]*/,
    becomes: ([, output, caption = '']) => (output === 'html' ? caption : ''),
  },
  { open: /(?<![\w@\\])[@\\](?:link[ \t]+[\w:~.#]+[ \t]*|endlink|n(?=\s|$)|emoji)/, becomes: '' },
]
