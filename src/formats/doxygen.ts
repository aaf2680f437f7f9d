import { commentLines, dedent } from '../api/docstring/indent.ts'
import { toTitle } from '../document/block-lines.ts'
import { rewriteMarkdown, rewriteProse, withMarks } from '../document/markdown-lines.ts'
import type { Mark } from '../document/markdown-lines.ts'
import { parseMarkdown } from './markdown/parse-markdown.ts'
import type { PageSite, ParsedFile, ParsedText } from './parsed-text.ts'
import { referenceKey, type ReferenceTitles } from '../document/reference-key.ts'

/** Parses the comments in a `.dox` file, which are pages: `@page name Title`. */
export function parseDoxygen(text: string, file: ParsedFile): ParsedText {
  const source = commentsOf(text).join('\n\n')
  const site = { variables: new Map<string, string>() }
  return parseMarkdown(doxygenToMarkdown(source, { site, titles: file.titles }), file)
}

/** Returns the comments in a file without comment marks. Code in a comment can contain comments. */
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
  const marks = /[@\\]((?:end)?(?:code|verbatim))\b|\/\*[*!]|\*\/|^[ \t]*(`{3,})/gm
  for (const { 0: mark, 1: kind = '', 2: fence, index } of text.matchAll(marks)) {
    if (start < 0) start = mark.startsWith('/') ? index : -1
    else if (listing !== '') listing = kind === `end${listing}` || fence === listing ? '' : listing
    else if (fence !== undefined) listing = fence
    else if (mark === '*/') add(index + mark.length)
    else if (/^[cv]/.test(kind)) listing = kind
  }
  if (start >= 0) add(text.length)
  return comments.length === 0 ? [text] : comments
}

/** Converts Doxygen's commands, which start with `@` or a backslash, to Markdown. */
export function doxygenToMarkdown(
  text: string,
  { site, titles }: { site: Pick<PageSite, 'variables'>; titles?: ReferenceTitles | undefined },
): string {
  if (!/[@\\][A-Za-z]/.test(text)) return text
  const alias: Mark = {
    open: /(?<![\w@\\])[@\\]([A-Za-z]\w*)\b(?:\{([^{}\n]{0,300})\})?/,
    becomes: ([, name = '', braced]) => aliasText(site.variables, name, braced),
  }
  const reference: Mark = {
    open: new RegExp(
      String.raw`(?<![\w@\\])[@\\](?:ref|subpage)[ \t]+"?([\w:~.#/-]*[\w:~#/-](?:\(\))?)"?` +
        String.raw`(?:[ \t]+"([^"\n]{1,300})")?`,
    ),
    becomes: ([, name = '', words]) => words ?? titles?.get(referenceKey('ref', name)) ?? name,
  }
  const brief: Mark = {
    open: /(?<![\w@\\])[@\\]copybrief[ \t]+([\w:~.#/-]+)/,
    becomes: ([, name]) => titles?.get(referenceKey('ref', `brief:${name}`)) ?? null,
  }
  const all = [alias, alias, ...marks, brief, reference]
  const prepared = rewriteProse(rewriteProse(text, withFences), joinReferences)
  return rewriteMarkdown(prepared, {
    prose: (line) => (hidden.test(line) ? null : withMarks(line, all)),
  })
}

/** Returns the text of an alias, which can have arguments: `@name{a,b}`. Null if unknown. */
function aliasText(
  variables: PageSite['variables'],
  name: string,
  braced: string | undefined,
): string | null {
  const values = braced?.split(/(?<!\\),/) ?? []
  const text = braced === undefined ? undefined : variables.get(`alias:${name}{${values.length}}`)
  const plain = text ?? variables.get(`alias:${name}`)
  if (plain === undefined) return null
  const rest = text === undefined && braced !== undefined ? `{${braced}}` : ''
  const definition = plain.replace(
    /\\(\d)/g,
    (_, at: string) => values[Number(at) - 1]?.trim() ?? '',
  )
  return definition.replaceAll(/\^\^|\\n\b/g, '\n') + rest
}

/** Matches a reference to a page or section; group 1 is the label. */
export const doxygenReference = /[@\\](?:ref|subpage)\s+([\w:~.#/-]{0,299}[\w~#/-])/g

/** Converts `@code{.c} … @endcode` and `@verbatim … @endverbatim` to fences. */
function withFences(text: string): string {
  return text
    .replace(
      /^([ \t]*)[@\\](?:code|verbatim|dot|msc|startuml)(?:[ \t]*\{\.?([\w+-]*)[^}\n]*\})?[ \t]*$/gm,
      (_, indent: string, language = '') => `${indent}\`\`\`${language}`,
    )
    .replace(/^([ \t]*)[@\\](?:endcode|endverbatim|enddot|endmsc|enduml)[ \t]*$/gm, '$1```')
}

/** Joins a reference that continues on the next line. */
function joinReferences(text: string): string {
  return text.replace(/([@\\](?:ref|subpage|link|c|p))[ \t]*\n[ \t]*(?=[\w"])/g, '\n$1 ')
}

const hidden = new RegExp(
  String.raw`^\s*(?:[@\\](?:tableofcontents|(?:end)?internal|anchor|(?:end)?cond|nosubgrouping` +
    '|ingroup|addtogroup|defgroup|file|relates(?:also)?|(?:end)?htmlonly|(?:end)?latexonly|if' +
    String.raw`|ifnot|endif|prev_tutorial|next_tutorial|(?:end)?parblock)\b.*|\[TOC\]|@[{}])\s*$`,
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
  { open: /^\s*[@\\](?:namespace|dir)[ \t]+/, becomes: '## ' },
  { open: /^\s*[@\\](?:brief|details|short)(?:[ \t]+|$)/, becomes: '' },
  { open: /[@\\]xrefitem[ \t]+[\w-]+[ \t]+"([^"\n]*)"[ \t]+"[^"\n]*"/, becomes: '**$1:**' },
  { open: /^\s*[@\\]page\b[ \t]*(?:[\w-]+[ \t]+)?/, becomes: '# ' },
  {
    open: /^\s*[@\\]((?:sub){0,2})section\b[ \t]*(?:[\w-]+[ \t]+)?/,
    becomes: ([, subs = '']) => `##${'#'.repeat(subs.length / 3)} `,
  },
  { open: /^\s*[@\\]paragraph\b[ \t]*(?:[\w-]+[ \t]+)?/, becomes: '##### ' },
  { open: /^[\s>]*[@\\]par[ \t]*$/, becomes: '' },
  { open: /^([\s>]*)[@\\]par[ \t]+(\S.*?)[ \t]*$/, becomes: '$1**$2**\n' },
  { open: /^([\s>]*)[@\\](?:li|arg)[ \t]+/, becomes: '$1- ' },
  {
    open: new RegExp(
      String.raw`^([\s>]*)[@\\](?:t?param(?:\[[^\]\n]*\])?|retval|throws?|exception)` +
        String.raw`[ \t]+([\w.,:]+)[ \t]*`,
    ),
    becomes: '$1- `$2`: ',
  },
  { open: /(?<![\w@\\])[@\\]cite[ \t]+([\w:.-]*\w)/, becomes: '[$1]' },
  {
    open: note,
    becomes: ([, margin, name = '']) => `${margin}**${labels[name] ?? toTitle(name)}:** `,
  },
  { open: /[@\\]xmlonly\b[^\n]{0,500}?[@\\]endxmlonly\b/, becomes: '' },
  {
    open: /[@\\]code(?:\{[^}\n]{0,50}\})?[ \t]+([^`\n]{1,300}?)[ \t]*[@\\]endcode\b/,
    becomes: '`$1`',
  },
  { open: /<(tt|code)>[ \t]*([^`\n]{1,300}?)[ \t]*<\/\1>/, becomes: '`$2`' },
  { open: /[@\\]f(?:\$|\(|\))/, becomes: '$' },
  { open: /[@\\]f(?:[[\]]|\{[^{}]{0,50}\}\{?|\})/, becomes: '$$' },
  { open: /\[([^[\]\n]{1,300})\]\([@\\]ref[ \t]+[^()\n]{1,300}(?:\(\))?\)/, becomes: '$1' },
  { open: /(?<![\w@\\])[@\\][cp][ \t]+([^\s,;]*[\w)*>\]])/, becomes: '`$1`' },
  { open: /(?<![\w@\\])[@\\]b[ \t]+([^\s,;.]+)/, becomes: '**$1**' },
  { open: /(?<![\w@\\])[@\\](?:e|em|a)[ \t]+([^\s,;.]+)/, becomes: '*$1*' },
  {
    open: /[@\\]image(?:\{[^}]{0,100}\})?[ \t]+(\w+)[ \t]+(\S+)(?:[ \t]+"([^"\n]*)")?[^\n]*/,
    becomes: ([, output, path, caption = '']) =>
      output === 'html' ? `![${caption}](${path})` : '',
  },
  { open: /(?<![\w@\\])[@\\](?:link[ \t]+[\w:~.#]+[ \t]*|endlink|n(?=\s|$)|emoji)/, becomes: '' },
]
