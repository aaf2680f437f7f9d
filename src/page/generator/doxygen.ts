import { fenceCode } from '../../document/fence.ts'
import type { Generator, MarkupPage } from './generator.ts'
import { rewriteMarkdown, rewriteProse } from './markdown-lines.ts'
import { parentFolder, resolveSubfolder } from './site-path.ts'
import type { Include, IncludeFinder } from '../include/include-file.ts'
import { dedent, indentLines, linesBetween, selectPart } from '../include/include-part.ts'
import { languageOfPath } from '../language.ts'
import { referenceKey } from '../reference/reference-key.ts'

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
  const isSnippet = kind === 'snippet'
  if (isSnippet && name === undefined) return null
  const render = (text: string, limit: number) => {
    const part = isSnippet ? snippetOf(text, name!) : selectPart(text, {}, limit)
    const code = part && fenceCode(part.join('\n'), languageOfPath(target)).split('\n')
    return code && ['', ...indentLines(code, indent), '']
  }
  return { from: line, to: line + 1, target, render, isMarkup: false }
}

/** The lines between two comments `//! [name]`; null if there are none. */
function snippetOf(text: string, name: string): string[] | null {
  const isMark = (line: string) => line.includes(`[${name.trim()}]`)
  const lines = linesBetween(text.split('\n'), [isMark, isMark])
  const isOtherMark = (line: string) => /^\s*(?:\/\/[!/]|##?)\s*\[[^\]]+\]\s*$/.test(line)
  return lines && dedent(lines.filter((line) => !isOtherMark(line)))
}

/** Converts the special commands of Doxygen, which begin with `@` or a backslash, to Markdown. */
export function doxygenToMarkdown(text: string, { site, titles }: MarkupPage): string {
  if (!/[@\\][A-Za-z]/.test(text)) return text
  const alias = (whole: string, name: string) => {
    const value = site.variables.get(`alias:${name}`)
    return value === undefined ? whole : value.replaceAll(/\^\^|\\n\b/g, '\n')
  }
  const prepared = rewriteProse(rewriteProse(text, withFences), joinReferences)
  return rewriteMarkdown(prepared, {
    prose: (line) => plainLine(line.replace(/(?<![\w`@\\])[@\\]([A-Za-z]\w*)\b/g, alias), titles),
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

const gone = new RegExp(
  String.raw`^\s*(?:[@\\](?:tableofcontents|(?:end)?internal|anchor|(?:end)?cond|nosubgrouping` +
    '|ingroup|addtogroup|defgroup|file|(?:end)?htmlonly|(?:end)?latexonly|if|ifnot|endif' +
    String.raw`|prev_tutorial|next_tutorial|(?:end)?parblock)\b.*|\[TOC\]|@[{}])\s*$`,
)
const labels: Readonly<Record<string, string>> = {
  sa: 'See also',
  see: 'See also',
  par: '',
  pre: 'Precondition',
  post: 'Postcondition',
  todo: 'To do',
  param: 'Parameter',
  return: 'Returns',
  returns: 'Returns',
}
const label = new RegExp(
  String.raw`^([\s>]*)[@\\](note|warning|attention|remarks?|important|todo|bug|deprecated|since` +
    String.raw`|version|author|date|sa|see|pre|post|invariant|returns?)\b[ \t]*(.*)$`,
)
const heading = /^\s*[@\\](mainpage|page|(?:sub){0,2}section|paragraph)\b[ \t]*(.*)$/
const levels: Readonly<Record<string, number>> = {
  mainpage: 1,
  page: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
  paragraph: 5,
}

function plainLine(line: string, titles: MarkupPage['titles']): string | null {
  if (!/[@\\[]/.test(line)) return line
  if (gone.test(line)) return null
  const [, kind, written = ''] = heading.exec(line) ?? []
  if (kind !== undefined) {
    const [, title = ''] = /^(?:[\w-]+[ \t]+)?(.*)$/.exec(
      kind === 'mainpage' ? `x ${written}` : written,
    )!
    return `${'#'.repeat(levels[kind]!)} ${title.trim()}`
  }
  const [, indent = '', name, content = ''] = label.exec(line) ?? []
  const [, before = '', title] = /^([\s>]*)[@\\]par\b[ \t]*(.*)$/.exec(line) ?? []
  if (title !== undefined) return title.trim() === '' ? '' : `${before}**${title.trim()}**\n`
  const word = name && (labels[name] ?? name.charAt(0).toUpperCase() + name.slice(1))
  const shown = word === undefined ? line : `${indent}**${word}:** ${content}`
  return inlineText(withFormulas(shown), titles)
}

/** Writes the formulas `\f$ … \f$` and `\f[ … \f]` with dollar signs. */
function withFormulas(line: string): string {
  if (!/[@\\]f[$[\]{}(]/.test(line)) return line
  return line
    .replace(/[@\\]f(?:\$|\(|\))/g, '$')
    .replace(/[@\\]f(?:[[\]]|\{[^{}]{0,50}\}\{?|\})/g, '$$$$')
}

const inlineCommands = new RegExp(
  [
    '(?<!`)(`+)(?!`)[^`\\n]+\\1(?!`)',
    String.raw`\[([^\[\]\n]{1,300})\]\([@\\]ref[ \t]+[^()\n]{1,300}(?:\(\))?\)`,
    String.raw`(?<![\w@\\])[@\\](?:ref|subpage)[ \t]+"?([\w:~.#/-]+(?:\(\))?)"?` +
      String.raw`(?:[ \t]+"([^"\n]{1,300})")?`,
    String.raw`(?<![\w@\\])[@\\](?:c|p)[ \t]+([^\s,;]*[\w)*>\]])`,
    String.raw`(?<![\w@\\])[@\\](b|e|em|a)[ \t]+([^\s,;.]+)`,
    String.raw`[@\\]image(?:\{[^}]{0,100}\})?[ \t]+(html|latex|docbook|rtf)[ \t]+\S+` +
      String.raw`(?:[ \t]+"([^"\n]*)")?[^\n]*`,
    String.raw`(?<![\w@\\])[@\\](?:link[ \t]+[\w:~.#]+[ \t]*|endlink|n(?=\s|$)|emoji)`,
  ].join('|'),
  'g',
)

function inlineText(line: string, titles: MarkupPage['titles']): string {
  return line.replace(inlineCommands, (whole, ...groups) => {
    const [ticks, linked, target, words, code, mark, word, output, caption] = groups as (
      | string
      | undefined
    )[]
    if (ticks !== undefined) return whole
    if (linked !== undefined) return linked
    if (target !== undefined) {
      const name = target.replace(/\.$/, '')
      const title = words ?? titles?.get(referenceKey('ref', name)) ?? name
      return words === undefined && target.endsWith('.') ? `${title}.` : title
    }
    if (code !== undefined) return `\`${code}\``
    if (word !== undefined) return mark === 'b' ? `**${word}**` : `*${word}*`
    if (output !== undefined) return output === 'html' ? (caption ?? '') : ''
    return ''
  })
}
