import { withoutFrontBlock } from '../../front-block.ts'
import { resolveLiquidTags } from '../../markdown/liquid.ts'
import type { Include, IncludeFinder } from '../../include/include.ts'
import type { Generator } from '../generator.ts'
import { resolveInFolder, rootForFileName } from '../site-path.ts'
import { scalarsOf, parseYamlData } from '../yaml-data.ts'

/**
 * Jekyll: `_config.yml`, with page fragments in `_includes`. Other Jekyll tags are parsed in any
 * Markdown file.
 */
export const jekyll: Generator = {
  name: 'Jekyll',
  rootOf: (path) => rootForFileName(path, ['_config.yml', '_config.yaml']),
  async read({ text, root }) {
    const config = await parseYamlData(text)
    if (config === null) return null
    // Jupyter Book, which uses Sphinx, also has a file of this name.
    if ('sphinx' in config || 'execute' in config) return null
    return {
      folders: [root],
      variables: scalarsOf(config),
      bases: [resolveInFolder(root, '_includes')!, root],
      partials: /(?:^|\/)_(?:includes|layouts|data|sass)\//,
    }
  },
  includes: jekyllInclude,
  sign: /\{%-?\s*include/,
  toMarkup: (text, { site }) => resolveLiquidTags(withValues(text, site.variables), true),
}

/**
 * Finds `{% include part %}` on its own line in a Markdown file; HTML includes belong to the site's
 * layout.
 */
function jekyllInclude(
  ...[lines, { line, fence, formatOf }]: Parameters<IncludeFinder>
): Include | null {
  const [, indent = '', target] =
    /^(\s*)\{%-?\s*include(?:_relative)?\s+([\w./-]+)(?=\s)[^%]*%\}\s*$/.exec(lines[line] ?? '') ??
    []
  if (target === undefined || fence || formatOf(target) !== 'markdown') return null
  const render = (text: string) =>
    withoutFrontBlock(text)
      .split('\n')
      .map((one) => (one === '' ? '' : indent + one))
  return { from: line, to: line + 1, target, render, isMarkup: true }
}

/** Replaces `{{ site.version }}` with its value in the configuration. */
function withValues(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(
    /\{\{-?\s*site\.([\w.-]+)\s*-?\}\}/g,
    (whole, name: string) => variables.get(name) ?? whole,
  )
}
