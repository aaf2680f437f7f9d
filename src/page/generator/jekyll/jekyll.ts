import { withoutFrontBlock } from '../../front-block.ts'
import { resolveLiquidTags } from '../../markdown/liquid.ts'
import type { Include, IncludeFinder } from '../../include/include-file.ts'
import { growthLimitFor } from '../../../document/growth.ts'
import type { Generator, ReadText } from '../generator.ts'
import { resolveInFolder, rootForFileName } from '../site-path.ts'
import { withSiteData } from './jekyll-data.ts'
import { parseYamlData, scalarsOf } from '../yaml-data.ts'

/**
 * Jekyll: `_config.yml`, with page fragments in `_includes`. Other Jekyll tags are parsed in any
 * Markdown file.
 */
export const jekyll: Generator = {
  name: 'Jekyll',
  rootOf: (path) => rootForFileName(path, ['_config.yml', '_config.yaml']),
  async read({ text, root, paths = [] }, read) {
    const config = await parseYamlData(text)
    if (config === null) return null
    // Jupyter Book, which uses Sphinx, also has a file of this name.
    if ('sphinx' in config || 'execute' in config) return null
    return {
      folders: [root],
      variables: new Map([...scalarsOf(config), ...(await dataOf(root, paths, read))]),
      bases: [resolveInFolder(root, '_includes')!, root],
      partials: /(?:^|\/)_(?:includes|layouts|data|sass)\//,
    }
  },
  pathsLike: /(?:^|\/)_data\/(?:[^/]+\/)?[^/]+\.(?:ya?ml|json)$/,
  includes: jekyllInclude,
  sign: /\{%-?\s*include/,
  toMarkup: (text, { site, growth = growthLimitFor(text.length) }) => {
    const parsed = new Map<string, unknown>()
    const dataFile = (name: string) => {
      if (!parsed.has(name)) parsed.set(name, JSON.parse(site.variables.get(dataKey + name) ?? '0'))
      return parsed.get(name)
    }
    const filled = withSiteData(text, { data: dataFile, growth })
    return resolveLiquidTags(withValues(filled, site.variables), true)
  },
}

/** Precedes the name of a file or folder below `_data` in the variables; the values are JSON. */
const dataKey = 'data/'

const dataFiles = 100
/** Maximum length of the data of one file or folder, in characters of JSON. */
const dataLimit = 300_000

/** The content of the YAML and JSON files in `_data` and in its folders. */
async function dataOf(
  root: string,
  paths: readonly string[],
  read: ReadText,
): Promise<[string, string][]> {
  const start = `${resolveInFolder(root, '_data')!}/`
  const files: { steps: string[]; content: unknown }[] = []
  for (const path of paths.filter((it) => it.startsWith(start)).slice(0, dataFiles)) {
    const text = (await read(path)) ?? ''
    // The root of a data file is often a list.
    const wrapped = `data:\n${text.replace(/^---[ \t]*\n/, '').replace(/^/gm, ' ')}`
    const steps = path
      .slice(start.length)
      .replace(/\.\w+$/, '')
      .split('/')
    files.push({ steps, content: (await parseYamlData(wrapped))?.data })
  }
  const byName = Map.groupBy(files, ({ steps }) => steps[0]!)
  const written = [...byName].map(([name, mine]): [string, string] => {
    const own = mine.find(({ steps }) => steps.length === 1)
    const below = Object.fromEntries(mine.map(({ steps, content }) => [steps[1] ?? '', content]))
    return [dataKey + name, JSON.stringify(own === undefined ? below : own.content) ?? '0']
  })
  return written.filter(([, json]) => json.length <= dataLimit)
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
