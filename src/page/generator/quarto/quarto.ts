import { withoutFrontBlock } from '../../front-block.ts'
import type { Include, IncludeFinder } from '../../include/include.ts'
import { referenceKey, type ReferenceTitles } from '../../reference/reference-key.ts'
import type { Generator } from '../generator.ts'
import { shortcodeAt } from '../hugo/shortcode.ts'
import { hugoToMarkdown } from '../hugo/hugo-text.ts'
import { rewriteMarkdown } from '../markdown-lines.ts'
import { rootForFileName } from '../site-path.ts'
import { scalarsOf, parseYamlData } from '../yaml-data.ts'

/** Quarto: `_quarto.yml`. Its shortcodes have the syntax of Hugo's. */
export const quarto: Generator = {
  name: 'Quarto',
  rootOf: (path) => rootForFileName(path, ['_quarto.yml', '_quarto.yaml']),
  async read({ text, root }) {
    const config = await parseYamlData(text)
    if (config === null) return null
    const variables = scalarsOf(config)
    return {
      folders: [root],
      bases: [root],
      variables,
      partials: /(?:^|\/)_[^/]*\.q?md$|\/_[^/]+\//,
    }
  },
  includes: quartoInclude,
  sign: /\{\{<\s*include/,
  toMarkup: (text, { site, titles = new Map() }) => {
    return hugoToMarkdown(
      withPlainFences(withMeta(withoutHidden(text), site.variables), titles),
      site,
    )
  },
}

const div = /^:{3,}[ \t]*(?:\{([^{}]*)\}|[\w-]+)?[ \t]*$/

/** Removes `::: {.content-hidden}` and other blocks that are not for web pages. */
function withoutHidden(text: string): string {
  if (!text.includes('.content-')) return text
  const out: string[] = []
  let depth = 0
  for (const line of text.split('\n')) {
    const [mark, attributes = ''] = div.exec(line) ?? []
    if (depth > 0 && mark !== undefined) depth += /[\w}]/.test(mark) ? 1 : -1
    else if (depth === 0 && isHidden(attributes)) depth = 1
    else if (depth === 0) out.push(line)
  }
  return depth > 0 ? text : out.join('\n')
}

function isHidden(attributes: string): boolean {
  const [, kind] = /\.content-(visible|hidden)(?![\w-])/.exec(attributes) ?? []
  if (kind === undefined) return false
  const [, condition, format = ''] = /\b(when|unless)-format="([^"]*)"/.exec(attributes) ?? []
  if (condition === undefined) return kind === 'hidden' && !/\b(?:when|unless)-/.test(attributes)
  const isMet = format.startsWith('html') === (condition === 'when')
  return isMet === (kind === 'hidden')
}

/** Finds `{{< include _part.qmd >}}` on a line of its own. */
function quartoInclude(...[lines, { line }]: Parameters<IncludeFinder>): Include | null {
  const source = lines[line] ?? ''
  const from = source.indexOf('{{<')
  if (from < 0 || source.slice(0, from).trim() !== '') return null
  const shortcode = shortcodeAt(source, from)
  const target = shortcode?.name === 'include' ? shortcode.args.get('0') : undefined
  if (target === undefined) return null
  const render = (text: string) => withoutFrontBlock(text).split('\n')
  return { from: line, to: line + 1, target, render, isMarkup: true }
}

/**
 * Replaces the info strings of Pandoc fences and cells, `{.sh filename="x"}` and `{python}`, with
 * the language, and `@sec-name` with the title of the section.
 */
function withPlainFences(text: string, titles: ReferenceTitles): string {
  return rewriteMarkdown(text, {
    prose: (line) => withSectionTitles(line, titles),
    opening(line, options) {
      const language = /^\{\.?([\w+#-]+)[^{}]*\}$/.exec(options)?.[1]
      return language === undefined ? line : /^\s*[`~]+/.exec(line)![0] + language
    },
    code: (line) => (/^\s*(?:#|\/\/)\| [\w-]+:/.test(line) ? null : line),
  })
}

function withSectionTitles(line: string, titles: ReferenceTitles): string {
  if (!line.includes('@sec-')) return line
  return line.replace(/(`[^`]*`)|(?<![\w@.])@(sec-[\w:-]*\w)/g, (whole, code, label: string) =>
    code === undefined ? (titles.get(referenceKey('ref', label)) ?? whole) : whole,
  )
}

/** Replaces `{{< meta title >}}` and `{{< var name >}}` with their values in the configuration. */
function withMeta(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(
    /\{\{<\s*(?:meta|var)\s+([\w.-]+)\s*>\}\}/g,
    (_, name: string) => variables.get(name) ?? '',
  )
}
