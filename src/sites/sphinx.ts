import { rewriteMarkdown, withMarks } from '../document/markdown-lines.ts'
import { growthLimitFor, type GrowthLimit } from '../document/growth.ts'
import type { Generator } from './generator.ts'
import { mystToMarkdown } from '../formats/markdown/myst.ts'
import { autodocDefaults, autodocOption } from '../formats/rst/rst-object.ts'
import { modulePrefixes } from '../formats/rst/rst-inline.ts'
import { resolveSubfolder, resolveGlobs, rootForFileName } from './site-path.ts'
import type { PageSite } from '../formats/parsed-text.ts'

/** Sphinx: `conf.py`. It is never executed; og reads only plain strings in it. */
export const sphinx: Generator = {
  name: 'Sphinx',
  rootOf: (path) => rootForFileName(path, ['conf.py']),
  async read({ text, root }) {
    if (!/^[ \t]*(?:extensions|html_theme|master_doc|root_doc|source_suffix)\s*[=+]/m.test(text)) {
      return null
    }
    const variables = new Map([
      ['rst_prolog', longString(text, 'rst_prolog')],
      ['rst_epilog', longString(text, 'rst_epilog')],
      ...['version', 'release'].map((name): [string, string] => [name, longString(text, name)]),
      ...externalLinks(text),
      ...autodocOptions(text),
      ...entriesOf(text, 'myst_substitutions').map(
        ([key, value]) => [mystKey + key, value] as const,
      ),
      [autodocOption + modulePrefixes, prefixesOf(text)],
    ])
    const lists = ['templates_path', 'html_theme_path', 'exclude_patterns']
    const excluded = lists.flatMap((name) => stringsIn(listOf(text, name))).filter(Boolean)
    return {
      variables,
      // Page templates are not pages, and their paths are often computed.
      partialGlobs: resolveGlobs(root, ['_templates', '_themes', ...excluded]),
      bases: importFolders(text, root),
    }
  },
  toMarkup: (text, { path, site, front, growth = growthLimitFor(text.length), lookup, titles }) => {
    if (!path.endsWith('.md')) return withDefinitions(text, site, growth)
    const defaults = autodocDefaults(site.variables)
    const valueOf = (name: string) =>
      front?.get(mystKey + name) ?? site.variables.get(mystKey + name) ?? null
    const marks = [
      { open: /\{\{\s*([\w-]+)\s*\}\}/, becomes: ([, name]: string[]) => valueOf(name!) },
    ]
    const filled = rewriteMarkdown(text, { prose: (line) => withMarks(line, marks) })
    return mystToMarkdown(filled, { growth, lookup, titles, defaults })
  },
}

/** Prefix of variables with MyST substitutions. */
const mystKey = 'myst.substitutions.'

/** Returns the text in the brackets of `name = [ … ]`; '' if the value is no list literal. */
function listOf(text: string, name: string): string {
  const start = new RegExp(`^${name}\\s*\\+?=\\s*\\[`, 'm').exec(text)
  const from = start === null ? -1 : start.index + start[0].length
  return from < 0 ? '' : text.slice(from, Math.max(from, text.indexOf(']', from)))
}

function stringsIn(list: string): string[] {
  return [...list.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g)].map(([, double, single]) => {
    return double ?? single ?? ''
  })
}

/** Returns the value of `name = """…"""` or of one short string; '' if the value is computed. */
function longString(text: string, name: string): string {
  const start = new RegExp(`^${name}\\s*\\+?=\\s*[rRuU]?("""|'''|"|')`, 'm').exec(text)
  if (start === null) return ''
  const from = start.index + start[0].length
  const end = text.indexOf(start[1]!, from)
  return end < 0 ? '' : text.slice(from, end)
}

/** Returns the text that Sphinx adds to each page. */
export function addedText(conf: string): string {
  return `${longString(conf, 'rst_prolog')}\n${longString(conf, 'rst_epilog')}\n`
}

/** Reads `autodoc_default_options = {'members': True, 'exclude-members': 'a, b'}`. */
function autodocOptions(text: string): [string, string][] {
  const options = entriesOf(text, 'autodoc_default_options')
  return options.map(([name, value]) => [autodocOption + name, value])
}

/** Returns the entries of `name = {'key': 'value', 'flag': True}`; '' for `True` and `None`. */
function entriesOf(text: string, name: string): [string, string][] {
  const from = new RegExp(`^${name}\\s*=\\s*\\{`, 'm').exec(text)
  if (from === null) return []
  const start = from.index + from[0].length
  const body = text.slice(
    start,
    Math.max(start, text.indexOf('\n}', start), text.indexOf('}', start)),
  )
  const entry = /["']([\w-]+)["']\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|(?:True|None))/g
  return Array.from(body.matchAll(entry), ([, key = '', one, other]) => [key, one ?? other ?? ''])
}

/** Returns the keys of a dictionary named `…module_prefixes`, as in zzzeeksphinx. */
function prefixesOf(text: string): string {
  const body = /^\w*module_prefixes\s*=\s*\{([^}]{0,5000})\}/m.exec(text)?.[1] ?? ''
  return Array.from(body.matchAll(/["'](_\w+)["']\s*:/g), ([, name]) => name).join(' ')
}

/** Returns the folders that the configuration adds to Python's path as string literals. */
function importFolders(text: string, root: string): string[] {
  const statements = text.matchAll(/^\s*sys\.path\.(?:insert|append|extend)\b([^\n]{0,300})/gm)
  const values = [...statements].flatMap(([, line = '']) => stringsIn(line))
  return values.map((path) => resolveSubfolder(root, path)).filter((it) => it !== null)
}

/** Returns captions by role, such as `:issue:` for `extlinks = {'issue': ('…', 'issue %s')}`. */
function externalLinks(text: string): [string, string][] {
  const from = /^extlinks\s*=\s*\{/m.exec(text)
  if (from === null) return []
  const body = text.slice(from.index, from.index + linksLimit)
  const entry =
    /["']([\w-]+)["']\s*:\s*\(\s*[rf]?["'][^"'\n]*["']\s*,\s*(?:[rf]?["']([^"'\n]*)["']|None)/g
  return [...body.matchAll(entry)].map(([, role = '', caption = '%s']) => [
    `:${role}:`,
    caption.includes('%s') ? caption : `${caption}%s`,
  ])
}

const linksLimit = 20_000

const roleText = new RegExp(
  '(?<![\\w`:]):([A-Za-z][\\w-]{0,60}):`([^`<>]{1,300}?)(?:\\s*<[^<>`]{1,300}>)?`(?!`)',
  'g',
)

/** Replaces substitutions with their values, and external links with their captions. */
function withDefinitions(text: string, { variables }: PageSite, growth: GrowthLimit): string {
  const [prolog, epilog] = [variables.get('rst_prolog') ?? '', variables.get('rst_epilog') ?? '']
  const definitions = (part: string) => (/\.\. [|_]/.test(part) ? `\n\n${part.trim()}\n` : '')
  const versions = ['version', 'release'].flatMap((name) => {
    const value = variables.get(name) ?? ''
    const isUsed = text.includes(`|${name}|`) && /^[\w.+-]{1,100}$/.test(value)
    return isUsed ? [`.. |${name}| replace:: ${value}`] : []
  })
  const prefixes = variables.get(autodocOption + modulePrefixes) || '(?!)'
  const role = new RegExp(`(:\\w+:\`[~!]?)(?:${prefixes.replaceAll(' ', '|')})\\.(?=\\w)`, 'g')
  const plain = text
    .replace(role, '$1')
    .replace(roleText, (whole, role: string, content: string) => {
      const caption = variables.get(`:${role}:`)
      if (caption === undefined) return whole
      if (whole.endsWith('>`')) return content.trim()
      const grown = content.length * (caption.split('%s').length - 1)
      return growth.take(grown) ? caption.replaceAll('%s', content.trim()) : whole
    })
  return plain + [versions.join('\n'), prolog, epilog].map(definitions).join('')
}
