import { parseAttributes } from '../../document/attributes.ts'
import { isRecord } from '../../platform/json.ts'
import type { Include, IncludeFinder } from '../../formats/include/include-file.ts'
import { selectPart } from '../../formats/include/include-part.ts'
import type { DocsSite, Generator, ReadText, SiteConfig } from '../generator.ts'
import { sectionOf, summaryNavigation } from '../nav-order.ts'
import { mkdocstringsSettings, mkdocsToMarkdown } from './mkdocs-text.ts'
import {
  resolveSubfolder,
  parentFolder,
  resolveGlobs,
  isInFolder,
  escapeGlob,
  resolveInFolder,
  rootForFileName,
} from '../site-path.ts'
import { mapAt, scalarsOf, stringsOf, parseYamlData, type YamlMap } from '../yaml-data.ts'

/** MkDocs with Material, pymdownx, mkdocs-macros and include-markdown: `mkdocs.yml`. */
export const mkdocs: Generator = {
  name: 'MkDocs',
  rootOf: (path) => rootForFileName(path, ['mkdocs.yml', 'mkdocs.yaml']),
  async read(config, read) {
    const settings = await inherited(config, read)
    if (settings === null) return null
    const folder = resolveSubfolder(config.root, stringsOf(settings.docs_dir)[0] ?? 'docs')
    if (folder === null) return null
    const extensions = namedSettings(settings.markdown_extensions)
    const plugins = namedSettings(settings.plugins)
    const objects = mkdocstringsSettings(plugins.get('mkdocstrings'))
    const sources = objects.folders.map((path) => resolveSubfolder(config.root, path))
    const bases = basesOf({ root: config.root, folder, extensions, plugins })
    return {
      folders: [folder],
      ...(await navigation(settings, { plugins, folder, read })),
      bases: [...new Set([...bases, ...sources.filter((it) => it !== null)])],
      partialGlobs: partialsOf({ settings, root: config.root, folder, bases }),
      variables: new Map([...variablesOf(settings, plugins), ...objects.variables]),
    }
  },
  includes: jinjaInclude,
  sign: /\{%-?\s*include/,
  toMarkup: (text, page) => mkdocsToMarkdown(text, page),
}

/** Returns a file's settings merged with inherited settings. */
async function inherited({ text, root }: SiteConfig, read: ReadText): Promise<YamlMap | null> {
  let settings = await parseYamlData(text)
  let folder = root
  for (let depth = 0; depth < inheritLimit && settings !== null; depth++) {
    const [name] = stringsOf(settings.INHERIT)
    const path = name === undefined ? null : resolveInFolder(folder, name)
    const parent = path === null ? null : await parseYamlData((await read(path)) ?? '')
    if (parent === null) return settings
    const { INHERIT: _, ...own } = settings
    settings = { ...parent, ...own }
    folder = parentFolder(path!)
  }
  return settings
}

const inheritLimit = 5

/** Returns extensions or plugins from a list of names and `name: settings`, or from a map. */
function namedSettings(value: unknown): Map<string, YamlMap> {
  const byName = new Map<string, YamlMap>()
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === 'string') byName.set(item, {})
    if (!isRecord(item)) continue
    for (const [name, settings] of Object.entries(item)) {
      byName.set(name, isRecord(settings) ? settings : {})
    }
  }
  return byName
}

type Named = ReadonlyMap<string, YamlMap>

async function navigation(
  settings: YamlMap,
  { plugins, folder, read }: { plugins: Named; folder: string; read: ReadText },
): Promise<Pick<DocsSite, 'titles' | 'order' | 'sections'>> {
  const titles = new Map<string, string>()
  const order: string[] = []
  const sections = new Map<string, string>()
  const visit = (item: unknown, labels: readonly string[]) => {
    if (labels.length > navDepth) return
    if (Array.isArray(item)) for (const inner of item) visit(inner, labels)
    const page = typeof item === 'string' ? resolveInFolder(folder, item) : null
    if (page !== null) {
      order.push(page)
      sections.set(page, sectionOf(labels))
    }
    if (!isRecord(item)) return
    for (const [title, target] of Object.entries(item)) {
      const path = typeof target === 'string' ? resolveInFolder(folder, target) : null
      if (path !== null) titles.set(path, title)
      visit(target, path === null ? [...labels, title] : labels)
    }
  }
  visit(settings.nav, [])
  const literate = plugins.get('literate-nav')
  if (order.length > 0 || literate === undefined) return { titles, order, sections }
  const path = resolveInFolder(folder, stringsOf(literate.nav_file)[0] ?? 'SUMMARY.md')
  const summary = path === null ? null : await read(path)
  return summary === null ? { titles } : summaryNavigation(summary, folder)
}

const navDepth = 20

type Folders = { root: string; folder: string; extensions: Named; plugins: Named }

function basesOf({ root, folder, extensions, plugins }: Folders): string[] {
  const paths = [
    ...stringsOf(extensions.get('pymdownx.snippets')?.base_path),
    ...stringsOf(extensions.get('mdx_include')?.base_path),
    ...stringsOf(extensions.get('markdown_include.include')?.base_path),
    ...stringsOf(plugins.get('macros')?.include_dir),
  ]
  // Newer releases write `!relative $config_dir/x`.
  const folders = paths.map((path) => resolveSubfolder(root, path.replace(/^\$config_dir\/?/, '')))
  return [...new Set([...folders.filter((it) => it !== null), root, folder])]
}

type Excluding = { settings: YamlMap; root: string; folder: string; bases: readonly string[] }

/** Returns globs for files that are not pages: excluded files, snippets and theme files. */
function partialsOf({ settings, root, folder, bases }: Excluding): string[] {
  const isInside = (path: string) => path !== folder && isInFolder(path, folder)
  const theme = resolveSubfolder(root, stringsOf(mapAt(settings, 'theme').custom_dir)[0] ?? '..')
  const folders = [...bases, ...(theme === null ? [] : [theme])].filter(isInside)
  const excluded = stringsOf(settings.exclude_docs).flatMap((list) => list.split('\n'))
  const hidden = stringsOf(settings.not_in_nav).flatMap((list) => list.split('\n'))
  const patterns = [...excluded, ...hidden.filter((it) => /^\s*\/?_/.test(it))]
  const globs = patterns
    .map((it) => it.trim())
    .filter((it) => /^[^#!]/.test(it))
    .map(ignored)
  return [...folders.map(escapeGlob), ...resolveGlobs(folder, globs)]
}

/** Converts a .gitignore pattern to a glob. Without an inner slash, it matches in any folder. */
function ignored(pattern: string): string {
  return pattern.slice(0, -1).includes('/') ? pattern : `**/${pattern}`
}

/** Returns values for `{{ name }}`; empty if no plugin replaces them. */
function variablesOf(settings: YamlMap, plugins: Named): DocsSite['variables'] {
  if (!['macros', 'markdownextradata'].some((name) => plugins.has(name))) return new Map()
  const values = scalarsOf(mapAt(settings, 'extra'))
  for (const [name, value] of [...values]) values.set(`config.extra.${name}`, value)
  for (const name of ['site_name', 'site_url', 'repo_url', 'site_description']) {
    const [value] = stringsOf(settings[name])
    if (value !== undefined) values.set(`config.${name}`, value)
  }
  return values
}

/** Finds `{% include "path" %}` and `{% include-markdown "path" start="…" end="…" %}`. */
function jinjaInclude(
  ...[lines, { line, fence, formatOf }]: Parameters<IncludeFinder>
): Include | null {
  const [, indent = '', name, target, attributes = ''] =
    /^(\s*)\{%-?\s*(include|include-markdown)\s+["']([^"']+)["']([^]*?)-?%\}\s*$/.exec(
      lines[line] ?? '',
    ) ?? []
  if (name === undefined || target === undefined) return null
  const isMarkdown = name === 'include-markdown' || formatOf(target) === 'markdown'
  const options = parseAttributes(attributes)
  const [startAfter, endBefore] = [options.get('start'), options.get('end')]
  const shift = Number(/^-?\d/.exec(options.get('heading-offset') ?? '')?.[0] ?? 0)
  const render = (text: string, limit: number): string[] | null => {
    const part = selectPart(between(text, startAfter, endBefore), {}, limit)
    return part?.map((one) => (one === '' ? '' : indent + shifted(one, shift))) ?? null
  }
  return { from: line, to: line + 1, target, render, isMarkup: isMarkdown && fence === null }
}

/** Returns the text between two marks. Does not cut at a missing mark. */
function between(text: string, start: string | undefined, end: string | undefined): string {
  const unescaped = (mark: string) => mark.replaceAll('\\n', '\n')
  const from = start === undefined ? -1 : text.indexOf(unescaped(start))
  const rest = from < 0 ? text : text.slice(from + unescaped(start!).length)
  const to = end === undefined ? -1 : rest.indexOf(unescaped(end))
  return to < 0 ? rest : rest.slice(0, to)
}

/** Changes a heading's level. */
function shifted(line: string, levels: number): string {
  if (levels === 0 || !/^#{1,6} /.test(line)) return line
  const level = line.indexOf(' ') + levels
  return '#'.repeat(Math.min(6, Math.max(1, level))) + line.slice(line.indexOf(' '))
}
