import { replaceOutsideCode } from '../../document/code-span.ts'
import { renderText } from '../include/include-part.ts'
import { type Fence, closesFence, parseFence } from '../../document/fence.ts'
import type { DocsSite, Generator, MarkupPage } from './generator.ts'
import { hugoToMarkdown } from './hugo/hugo-text.ts'
import { shortcodeAt } from './hugo/shortcode.ts'
import { rewriteMarkdown } from '../../document/markdown-lines.ts'
import { sectionOf } from './nav-order.ts'
import { resolveInFolder, rootForFileName } from './site-path.ts'
import { type YamlMap, mapAt, parseYamlData, scalarsOf, stringsOf } from './yaml-data.ts'
import type { Include, IncludeFinder } from '../include/include-file.ts'
import { type ReferenceTitles, referenceKey } from '../reference/reference-key.ts'
import { isRecord } from '../../platform/json.ts'

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
  const render = renderText({ isPage: true })
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

/** Converts the syntax of Quarto and Pandoc: shortcodes, cells, raw blocks and divs. */
export function quartoToMarkdown(text: string, page: QuartoPage): string {
  const visible = withoutHiddenCells(withoutHidden(text))
  const blocks = withPlainBlocks(withValues(visible, page))
  return hugoToMarkdown(withPlainCells(blocks, page.titles ?? new Map()), page.site)
}

/** Removes cells that are run without being shown: `include = FALSE`, `#| include: false`. */
function withoutHiddenCells(text: string): string {
  if (!/include ?[=:] ?(?:FALSE|F\b|false)/.test(text)) return text
  const lines = text.split('\n')
  const out: string[] = []
  let fence: Fence | null = null
  let isHidden = false
  for (const [at, line] of lines.entries()) {
    const isEnd = fence !== null && closesFence(fence, line)
    if (fence === null) {
      fence = parseFence(line)
      isHidden = fence !== null && beginsHiddenCell(lines, at)
    }
    if (!isHidden) out.push(line)
    if (isEnd) [fence, isHidden] = [null, false]
  }
  return isHidden ? text : out.join('\n')
}

function beginsHiddenCell(lines: readonly string[], at: number): boolean {
  const [, options] = /^`{3,}[ \t]*\{([A-Za-z][^{}]*)\}[ \t]*$/.exec(lines[at]!) ?? []
  if (options === undefined) return false
  if (/\binclude\s*=\s*F(?:ALSE)?\b/.test(options)) return true
  for (let next = at + 1; /^\s*#\|/.test(lines[next] ?? ''); next++) {
    if (/#\|\s*include:\s*(?:false|FALSE)\b/.test(lines[next]!)) return true
  }
  return false
}

type QuartoPage = Pick<MarkupPage, 'site' | 'front' | 'titles'>

/** Replaces `{{< meta title >}}` and `{{< var name >}}` with their values. */
function withValues(
  text: string,
  { site, front }: { site: Pick<MarkupPage['site'], 'variables'>; front?: MarkupPage['front'] },
): string {
  return text.replace(
    /\{\{<\s*(?:meta|var)\s+([\w.-]+)\s*>\}\}/g,
    (_, name: string) => front?.get(name.toLowerCase()) ?? site.variables.get(name) ?? '',
  )
}

/**
 * Replaces fences that are not code. A raw block, `{=html}`, becomes its content, or nothing if it
 * is for another format or a program. `{{python}}`, which shows a cell as it is written, becomes a
 * fence that contains the cell.
 */
function withPlainBlocks(text: string): string {
  if (!/^[ \t]*[`~]{3,}[ \t]*\{[={]/m.test(text)) return text
  const out: string[] = []
  let open: Block | null = null
  for (const line of text.split('\n')) {
    if (open === null) {
      const fence = parseFence(line)
      open = fence === null ? null : blockOf(line, fence)
      out.push(...(open?.opening ?? [line]))
    } else if (closesFence(open.fence, line)) {
      out.push(...open.closing(line))
      open = null
    } else if (!open.isHidden(line)) out.push(line.replace(quotedCell, '$1{$2}'))
  }
  return out.join('\n')
}

/** A cell that is shown as it is written. */
const quotedCell = /^([ \t>]*(?:`{3,}|~{3,})[ \t]*)\{\{([\w-]+[^{}]*)\}\}$/

/** A fence: the lines that replace its ends, and whether a line of its content is hidden. */
type Block = {
  fence: Fence
  opening: string[]
  closing(line: string): string[]
  isHidden(line: string): boolean
}

function blockOf(line: string, fence: Fence): Block {
  const [, indent = '', mark = '', braced = ''] =
    /^([ \t>]*)([`~]{3,})[ \t]*(\{.*\})?[ \t]*$/.exec(line) ?? []
  const shown = { fence, opening: [line], closing: (end: string) => [end], isHidden: () => false }
  const format = /^\{=([\w-]+)\}$/.exec(braced)?.[1]
  if (format !== undefined) {
    let isProgram = !/^html/.test(format)
    const isHidden = (content: string) => {
      if (/^\s*<(?:script|style|link)\b/i.test(content)) isProgram = true
      return isProgram
    }
    return { ...shown, opening: [''], closing: () => [''], isHidden }
  }
  if (!quotedCell.test(line)) return shown
  const outer = `${indent}${mark[0]!.repeat(mark.length + 1)}`
  const inner = line.replace(quotedCell, '$1{$2}')
  return { ...shown, opening: [`${outer}markdown`, inner], closing: (end) => [end, outer] }
}

/**
 * Replaces the info strings of Pandoc fences and cells, `{.sh filename="x"}` and `{python}`, with
 * the language, and removes the options of cells, which are run. Classes without text, such as
 * `::: column`, become attributes, which are not displayed. The heading at the start of a callout
 * is its title, not the heading of a section. `@sec-name` becomes the title of that section.
 */
function withPlainCells(text: string, titles: ReferenceTitles): string {
  let isAtTitle = false
  const prose = (written: string) => {
    const line = withSectionTitles(written, titles)
    const title = isAtTitle ? /^[ \t>]*#{1,6}[ \t]+(\S.*)$/.exec(line)?.[1] : undefined
    if (line.trim() !== '') isAtTitle = /^[ \t>]*:{3}.*\bcallout-/.test(line)
    if (title !== undefined) return `**${title.replace(attributes, '')}**`
    if (/^[ \t]*:[ \t]+\S/.test(line)) return line.replace(attributes, '')
    return line.replace(/^([ \t>]*:{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*:*$/, '$1 {.$2}')
  }
  return rewriteMarkdown(text, {
    prose,
    opening(line, options) {
      const language = /^\{\.?([\w+#-]+)[^{}]*\}$/.exec(options)?.[1]
      return language === undefined ? line : /^\s*[`~]+/.exec(line)![0] + language
    },
    code: (line, options) => {
      const isOption = /^\{[A-Za-z]/.test(options) && /^\s*(?:#|\/\/|%%|--)\| [\w-]+:/.test(line)
      return isOption ? null : line
    },
  })
}

/** The attributes at the end of a heading or a caption. */
const attributes = /\s*\{[#.][^{}]*\}\s*$/

function withSectionTitles(line: string, titles: ReferenceTitles): string {
  if (!line.includes('@sec-')) return line
  return replaceOutsideCode(
    line,
    /(?<![\w@.])@(sec-[\w:-]*\w)/,
    ([, label = '']) => titles.get(referenceKey('ref', label)) ?? null,
  )
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
