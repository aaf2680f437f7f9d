import type { Include, IncludeFinder } from '../../include/include.ts'
import { selectPart } from '../../include/include-part.ts'
import { languageOfPath } from '../../language.ts'
import { fenceCode } from '../../../document/fence.ts'
import type { Generator, MarkupPage } from '../generator.ts'
import { resolveLiquidTags } from '../../markdown/liquid.ts'
import { referenceKey } from '../../reference/reference-key.ts'
import { rewriteMarkdown } from '../markdown-lines.ts'
import { resolveSubfolder, rootForFileName } from '../site-path.ts'
import { parseYamlData } from '../yaml-data.ts'
import { withCodeBlocks } from './code-block.ts'

/** Hexo: `_config.yml`, which Jekyll also uses, with pages in the folder `source`. */
export const hexo: Generator = {
  name: 'Hexo',
  rootOf: (path) => rootForFileName(path, ['_config.yml', '_config.yaml']),
  async read({ text, root, paths = [] }) {
    const config = await parseYamlData(text)
    if (config === null || !isHexoConfig(config)) return null
    const folder = (key: string, base: string, usual: string) => {
      const written = config[key]
      return resolveSubfolder(base, typeof written === 'string' ? written : usual)
    }
    const source = folder('source_dir', root, 'source')
    if (source === null) return null
    const code = folder('code_dir', source, 'downloads/code')
    const start = `${source}/_posts/`.replace(/^\//, '')
    const posts = paths.filter((path) => path.startsWith(start)).slice(0, mostPosts)
    return {
      folders: [source],
      bases: code === null ? [] : [code],
      variables: new Map(posts.map((path) => [`post:${slugOf(path.slice(start.length))}`, path])),
      partials: /(?:^|\/)_(?:drafts|data)\//,
    }
  },
  pathsLike: /(?:^|\/)_posts\/[\w./-]+\.(?:md|markdown)$/,
  includes: findCode,
  sign: /\{%-?[ \t]*include_code\b/,
  toMarkup: hexoToMarkdown,
}

/** Maximum number of posts that links find by their slugs. */
const mostPosts = 2_000

/** The slug of a post, from its path below `_posts`: the name without date and extension. */
function slugOf(path: string): string {
  return path.replace(/\.\w+$/, '').replace(/(^|\/)\d{4}-\d{2}-\d{2}-/, '$1')
}

/** Finds `{% include_code title lang:js from:2 to:5 file %}` on a line of its own. */
function findCode(...[lines, { line, fence }]: Parameters<IncludeFinder>): Include | null {
  const [, indent = '', written] =
    /^([ \t]*)\{%-?[ \t]*include_code[ \t]+([^%\n]{1,500})%\}[ \t]*$/.exec(lines[line] ?? '') ?? []
  if (written === undefined || fence !== null) return null
  const options = new Map<string, string>()
  const words: string[] = []
  for (const word of wordsOf(written)) {
    const [, name, value = ''] = /^(lang|from|to):(.*)$/.exec(word) ?? []
    if (name === undefined) words.push(word)
    else options.set(name, value)
  }
  const target = words.pop()
  if (target === undefined) return null
  const [from, to] = [options.get('from'), options.get('to')]
  const part = (from ?? to) ? { lines: `${from ?? 1}-${to ?? ''}` } : {}
  const render = (text: string, limit: number) => {
    const code = selectPart(text, part, limit)?.join('\n')
    if (code === undefined) return null
    const title = words.length === 0 ? [] : [`${words.join(' ')}:`, '']
    const fenced = fenceCode(code, options.get('lang') ?? languageOfPath(target)).split('\n')
    return ['', ...title, ...fenced, ''].map((one) => (one === '' ? '' : indent + one))
  }
  return { from: line, to: line + 1, target, render, isMarkup: false }
}

/** Whether a parsed `_config.yml` has settings that only Hexo knows. */
export function isHexoConfig(config: Readonly<Record<string, unknown>>): boolean {
  return ['source_dir', 'public_dir', 'new_post_name', 'skip_render'].some((key) => key in config)
}

/** Converts the tags of Hexo and its themes to Markdown or to tags of `resolveLiquidTags`. */
function hexoToMarkdown(text: string, { titles }: MarkupPage): string {
  if (!text.includes('{%')) return text
  const prose = (line: string) =>
    line.replace(tagOrCode, (whole, ...groups) => {
      const [ticks, name = '', rest = ''] = groups as (string | undefined)[]
      return ticks === undefined
        ? (tagText(name, wordsOf(rest), titles) ?? whole)
        : whole.replace(rawTag, '')
    })
  return resolveLiquidTags(rewriteMarkdown(withCodeBlocks(text), { prose }), true)
}

/** Hexo also reads these tags in code spans. */
const rawTag = /\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}/g

const tagOrCode = new RegExp(
  '(?<!`)(`+)(?!`)[^`]{1,500}\\1(?!`)' +
    '|\\{%-?[ \\t]*(post_link|asset_link|link|note|endnote)(?![\\w-])([^%\\n]{0,500})%\\}',
  'g',
)

/** The text that replaces a tag; null if it stays. */
function tagText(
  name: string,
  [first = '', ...rest]: readonly string[],
  titles: MarkupPage['titles'],
): string | null {
  if (name === 'endnote') return '{% endhint %}'
  if (name === 'note') {
    const isKind = kinds.has(first)
    const words = [...(isKind || first === '' ? [] : [first]), ...rest]
    const title = words.filter((word) => word !== 'no-icon').join(' ')
    const style = kinds.get(first) ?? 'note'
    return `{% hint style="${style}" title="${title.replaceAll('"', '')}" %}`
  }
  if (first === '') return null
  if (name === 'link') return rest.length === 0 ? first : `[${first}](${rest[0]})`
  const title = rest.filter((word) => !/^(?:true|false)$/.test(word)).join(' ')
  return title || (titles?.get(referenceKey('doc', first)) ?? first)
}

/** The classes of notes, with the name that is shown for each. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['default', 'note'],
  ['primary', 'note'],
  ['info', 'info'],
  ['success', 'success'],
  ['tip', 'tip'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['danger', 'danger'],
])

/** The words of a tag; a word in quotes may contain spaces. */
function wordsOf(written: string): string[] {
  const words = written.replace(/-$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return Array.from(words, ([, double, single, plain]) => double ?? single ?? plain ?? '')
}
