import { replaceOutsideCode } from '../document/code-span.ts'
import { renderText } from '../formats/include/include-part.ts'
import { type Fence, closesFence, parseFence } from '../document/fence.ts'
import type { DocsSite, Generator, MarkupPage } from './generator.ts'
import { hugoToMarkdown } from './hugo/hugo-text.ts'
import { shortcodeAt } from './hugo/shortcode.ts'
import { sectionOf } from './nav-order.ts'
import { resolveInFolder, rootForFileName } from './site-path.ts'
import { type YamlMap, mapAt, parseYamlData, scalarsOf, stringsOf } from './yaml-data.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'
import { type ReferenceTitles, referenceKey } from '../document/reference-key.ts'
import { isRecord } from '../platform/json.ts'

/** Quarto: `_quarto.yml`. Its shortcodes have the same syntax as Hugo's. */
export const quarto: Generator = {
  name: 'Quarto',
  rootOf: (path) => rootForFileName(path, ['_quarto.yml', '_quarto.yaml']),
  async read({ text, root }, read) {
    const config = await parseYamlData(text)
    if (config === null) return null
    const values = await read(resolveInFolder(root, '_variables.yml')!)
    const variables = values === null ? null : await parseYamlData(values)
    const start = root === '' ? '' : `${RegExp.escape(root)}/`
    return {
      folders: [root],
      bases: [root],
      variables: new Map([...scalarsOf(config), ...scalarsOf(variables ?? {})]),
      ...navigationOf(config, root),
      // Quarto does not render files or folders with a leading underscore.
      partials: new RegExp(`^${start}(?:[^]*/)?_[^/]*(?:/|\\.q?md$)`),
    }
  },
  includes: quartoInclude,
  sign: /\{\{<\s*include/,
  references: [[/(?<![\w@[.-])@(sec-[\w:-]{0,200}\w)/g, 'ref']],
  toMarkup: quartoToMarkdown,
}

/** Finds `{{< include _part.qmd >}}` on a separate line. */
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

/** Returns titles, order and sections from a website's sidebars or a book's chapters. */
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
    const [target] = stringsOf(typeof item === 'string' ? item : (href ?? file ?? label))
    const path = pageFile.test(target ?? '') && resolveInFolder(root, target!)
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
/** A path with an extension, rather than a label or a URL of another site. */
const pageFile = /^[^:\s]+\.\w{2,5}$/

/** Converts Quarto and Pandoc syntax: shortcodes, cells, raw blocks and divs. */
export function quartoToMarkdown(text: string, page: QuartoPage): string {
  const lines = withValues(text, page).split('\n')
  const prose = proseOf(page.titles ?? new Map())
  const output = shownLines(lines, prose, true) ?? shownLines(lines, prose, false)!
  return hugoToMarkdown(output.join('\n'), page.site)
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

/** Returns the visible lines of a page; null if `hides` is set and a hidden block is unclosed. */
function shownLines(
  lines: readonly string[],
  prose: (line: string) => string,
  hides: boolean,
): string[] | null {
  const out: string[] = []
  let open: Block | null = null
  let hiddenDivs = 0
  for (const [at, line] of lines.entries()) {
    const [mark, attributes = ''] = div.exec(line) ?? []
    if (hiddenDivs > 0) hiddenDivs += mark === undefined ? 0 : /[\w}]/.test(mark) ? 1 : -1
    else if (open !== null && closesFence(open.fence, line.replace(indentSteps, ''))) {
      out.push(...open.closing(line))
      open = null
    } else if (open !== null) out.push(...open.content(line))
    else if (hides && isHidden(attributes)) hiddenDivs = 1
    else {
      const fence = parseFence(line.replace(indentSteps, ''))
      const isGone = fence !== null && hides && beginsHiddenCell(lines, at)
      open = fence && (isGone ? { ...hiddenCell, fence } : blockOf(line, fence, prose))
      out.push(...(open?.opening ?? [prose(line)]))
    }
  }
  return hiddenDivs > 0 || open?.closing === hiddenCell.closing ? null : out
}

const indentSteps = /^(?: {4})+/

/** Rules for a fence: the lines that replace its opening, its closing and each line of content. */
type Block = {
  fence: Fence
  opening: string[]
  content(line: string): string[]
  closing(line: string): string[]
}

/** A cell that is not shown: `include = FALSE`, `#| include: false`. */
const hiddenCell = { opening: [], content: () => [], closing: () => [] }

function beginsHiddenCell(lines: readonly string[], at: number): boolean {
  const [, options] = /^`{3,}[ \t]*\{([A-Za-z][^{}]*)\}[ \t]*$/.exec(lines[at]!) ?? []
  if (options === undefined) return false
  if (/\binclude\s*=\s*F(?:ALSE)?\b/.test(options)) return true
  const end = lines.findIndex((line, i) => i > at && !/^\s*#\|/.test(line))
  return lines.slice(at + 1, end).some((line) => /#\|\s*include:\s*(?:false|FALSE)\b/.test(line))
}

/** A cell that is shown as source. */
const quotedCell = /^([ \t>]*(?:`{3,}|~{3,})[ \t]*)\{\{([\w-]+[^{}]*)\}\}$/

/**
 * Returns the rules for a fence. A raw block, `{=html}`, becomes its content, or is removed if it
 * is a script or for another format. `{{python}}` shows a cell as source and becomes a fence. Other
 * fences and cells, such as `{.sh filename="x"}` and `{python}`, keep only their language.
 */
function blockOf(line: string, fence: Fence, prose: (line: string) => string): Block {
  const [, indent = '', mark = '', braced = ''] =
    /^([ \t>]*)([`~]{3,})[ \t]*(\{.*\})?[ \t]*$/.exec(line) ?? []
  const format = /^\{=([\w-]+)\}$/.exec(braced)?.[1]
  if (format !== undefined) {
    let isProgram = !/^html/.test(format)
    const content = (inner: string) => {
      isProgram ||= /^\s*<(?:script|style|link)\b/i.test(inner)
      return isProgram ? [] : [prose(inner)]
    }
    return { fence, opening: [''], content, closing: () => [''] }
  }
  const asWritten = (inner: string) => [inner.replace(quotedCell, '$1{$2}')]
  if (quotedCell.test(line)) {
    const outer = `${indent}${mark[0]!.repeat(mark.length + 1)}`
    const opening = [`${outer}markdown`, ...asWritten(line)]
    return { fence, opening, content: asWritten, closing: (end) => [end, outer] }
  }
  const language = /^\{\.?([\w+#-]+)[^{}]*\}$/.exec(braced)?.[1]
  const isCell = /^\{[A-Za-z]/.test(braced)
  const isOption = (inner: string) => isCell && /^\s*(?:#|\/\/|%%|--)\| [\w-]+:/.test(inner)
  return {
    fence,
    opening: [language === undefined ? line : indent + mark + language],
    content: (inner) => (isOption(inner) ? [] : asWritten(inner)),
    closing: (end) => [end],
  }
}

/**
 * Returns a function that converts lines of prose. Classes without text, such as `::: column`,
 * become invisible attributes. The heading at the start of a callout becomes its title. `@sec-name`
 * becomes the title of that section.
 */
function proseOf(titles: ReferenceTitles): (line: string) => string {
  let isAtTitle = false
  return (source) => {
    const line = withSectionTitles(source, titles)
    const title = isAtTitle ? /^[ \t>]*#{1,6}[ \t]+(\S.*)$/.exec(line)?.[1] : undefined
    if (line.trim() !== '') isAtTitle = /^[ \t>]*:{3}.*\bcallout-/.test(line)
    if (title !== undefined) return `**${title.replace(attributes, '')}**`
    if (/^[ \t]*:[ \t]+\S/.test(line)) return line.replace(attributes, '')
    return line.replace(/^([ \t>]*:{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*:*$/, '$1 {.$2}')
  }
}

/** Attributes at the end of a heading or caption. */
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

/** True for a div that is not for web pages, such as `::: {.content-hidden}`. */
function isHidden(attributes: string): boolean {
  const [, kind] = /\.content-(visible|hidden)(?![\w-])/.exec(attributes) ?? []
  if (kind === undefined) return false
  const [, condition, format = ''] = /\b(when|unless)-format="([^"]*)"/.exec(attributes) ?? []
  if (condition === undefined) return kind === 'hidden' && !/\b(?:when|unless)-/.test(attributes)
  const isMet = format.startsWith('html') === (condition === 'when')
  return isMet === (kind === 'hidden')
}
