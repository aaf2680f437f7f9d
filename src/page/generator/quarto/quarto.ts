import { withoutFrontBlock } from '../../front-block.ts'
import type { Include, IncludeFinder } from '../../include/include-file.ts'
import { isRecord } from '../../../platform/json.ts'
import type { DocsSite, Generator } from '../generator.ts'
import { sectionOf } from '../nav-order.ts'
import { shortcodeAt } from '../hugo/shortcode.ts'
import { quartoToMarkdown } from './quarto-text.ts'
import { resolveInFolder, rootForFileName } from '../site-path.ts'
import { mapAt, parseYamlData, scalarsOf, stringsOf, type YamlMap } from '../yaml-data.ts'

/** Quarto: `_quarto.yml`. Its shortcodes have the syntax of Hugo's. */
export const quarto: Generator = {
  name: 'Quarto',
  rootOf: (path) => rootForFileName(path, ['_quarto.yml', '_quarto.yaml']),
  async read({ text, root }, read) {
    const config = await parseYamlData(text)
    if (config === null) return null
    const values = await read(resolveInFolder(root, '_variables.yml')!)
    const named = values === null ? null : await parseYamlData(values)
    const start = root === '' ? '' : `${RegExp.escape(root)}/`
    return {
      folders: [root],
      bases: [root],
      variables: new Map([...scalarsOf(config), ...scalarsOf(named ?? {})]),
      ...navigationOf(config, root),
      // Quarto renders neither files nor folders whose names begin with an underscore.
      partials: new RegExp(`^${start}(?:[^]*/)?_[^/]*(?:/|\\.q?md$)`),
    }
  },
  includes: quartoInclude,
  sign: /\{\{<\s*include/,
  toMarkup: quartoToMarkdown,
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

/** The titles, order and sections of the sidebars of a website and the chapters of a book. */
function navigationOf(
  config: YamlMap,
  root: string,
): Required<Pick<DocsSite, 'titles' | 'order' | 'sections'>> {
  const titles = new Map<string, string>()
  const sections = new Map<string, string>()
  const order: string[] = []
  const visit = (item: unknown, labels: readonly string[]) => {
    if (labels.length > navDepth) return
    if (Array.isArray(item)) for (const inner of item) visit(inner, labels)
    const { href, file, text, contents, chapters, ...entry } = isRecord(item) ? item : {}
    const [label] = stringsOf(entry.section ?? entry.part ?? entry.title)
    const [written] = stringsOf(typeof item === 'string' ? item : (href ?? file ?? label))
    const path = pageFile.test(written ?? '') && resolveInFolder(root, written!)
    if (path) {
      order.push(path)
      sections.set(path, sectionOf(labels))
      for (const title of stringsOf(text)) titles.set(path, title)
    }
    const below = label === undefined || pageFile.test(label) ? labels : [...labels, label]
    for (const inner of [contents, chapters]) if (inner !== undefined) visit(inner, below)
  }
  const { sidebar } = mapAt(config, 'website')
  visit(Array.isArray(sidebar) ? sidebar : [sidebar], [])
  const { chapters, appendices } = mapAt(config, 'book')
  visit([chapters, appendices], [])
  return { titles, order, sections }
}

const navDepth = 20
/** A path with an extension, not a label or the URL of another site. */
const pageFile = /^[^:\s]+\.\w{2,5}$/
