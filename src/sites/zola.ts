import { type Fence, fenceAfter } from '../document/fence.ts'
import type { DocsSite, Generator, MarkupPage, ReadText, SiteConfig } from './generator.ts'
import { withoutShortcodes } from './hugo/hugo-text.ts'
import { type Shortcode, pairShortcodes } from './hugo/shortcode.ts'
import { parentFolder, resolveInFolder, rootForFileName } from './site-path.ts'

/** Zola: `config.toml` or `zola.toml` with a `base_url`, and pages in `content`. */
export const zola: Generator = {
  name: 'Zola',
  rootOf: (path) => rootForFileName(path, ['config.toml', 'zola.toml']),
  pathsLike: /(?:^|\/)templates\/shortcodes\/[\w/-]+\.(?:md|html)$/,
  read: readSite,
  toMarkup: zolaToMarkdown,
}

async function readSite(
  { text, root, paths = [] }: SiteConfig,
  read: ReadText,
): Promise<Partial<DocsSite> | null> {
  if (!/^[ \t]*base_url[ \t]*=/m.test(text)) return null
  const templates: [string, string][] = []
  // The site's own templates take precedence over the templates of its themes.
  for (const path of paths.toSorted((a, b) => a.length - b.length)) {
    const [, folder = '', name = ''] = /^(.*?)\/?templates\/shortcodes\/(.+)$/.exec(path) ?? []
    const isOwn = folder === root || parentFolder(folder) === resolveInFolder(root, 'themes')
    const key = templateKey(name.replace(/\.\w+$/, ''))
    if (!isOwn || templates.some(([other]) => other === key)) continue
    const template = await read(path)
    if (template === null || template.length > templateLimit) continue
    templates.push([key, path.endsWith('.html') ? withoutTags(template) : template])
  }
  const [content, ...parts] = ['content', 'templates', 'themes'].map((name) => {
    return resolveInFolder(root, name)!
  })
  return {
    folders: [content!, ...parts],
    partialGlobs: parts,
    bases: [content!, root],
    variables: new Map(templates),
  }
}

/** Maximum length of a template in characters. */
const templateLimit = 10_000

/** Returns the text of an HTML template; '' if the template shows media. */
function withoutTags(template: string): string {
  if (/<(?:img|picture|iframe|video|audio|svg|object|script)\b/i.test(template))
    return '{% media %}'
  return template.replace(/<\/?[a-z][^<>]{0,1000}>/gi, '').replace(/^[ \t]+/gm, '')
}

function templateKey(name: string): string {
  return `shortcode:${name}`
}

/**
 * Converts Zola's shortcodes, `{{ name(key="value") }}` and `{% name() %}…{% end %}`, and its links
 * to files, `@/folder/page.md`. Fills in templates without statements. Other shortcodes become
 * their content, as in Hugo.
 */
export function zolaToMarkdown(text: string, { path, site }: MarkupPage): string {
  const linked = text.replace(
    /(\]\(|^\[[^\]\n]{1,200}\]:[ \t]*)@\/([^\s)#]{1,500})/gm,
    (_, before: string, target: string) => before + pathFromPage(path, site.root, target),
  )
  if (!/\{[{%]/.test(linked)) return linked
  const templateOf = (name: string) => site.variables.get(templateKey(name))
  const content = withTemplates(linked, templateOf)
  const shortcodes = findShortcodes(content, templateOf)
  return withoutEscapes(withoutShortcodes(content, { shortcodes, site }))
}

/** Returns the path from the page's folder to a content file. */
function pathFromPage(page: string, root: string, target: string): string {
  const content = root === '' ? 'content/' : `${root}/content/`
  const at = page.startsWith(content) ? content.length : 0
  return '../'.repeat(page.slice(at).split('/').length - 1) + target
}

type TemplateOf = (name: string) => string | undefined

const mark = /\{([{%])-?[ \t]*([A-Za-z_]\w*)\(|\{%-?[ \t]*end[ \t]*-?%\}/g

/** Returns shortcodes in text order. In code, a call without a template is an example. */
function findShortcodes(text: string, templateOf: TemplateOf): Shortcode[] {
  const shortcodes: Shortcode[] = []
  const open: string[] = []
  const isCode = codeFinder(text)
  const marks = new RegExp(mark)
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const [{ length }, brace, name] = match
    const from = match.index
    if (name === undefined) {
      const opening = open.pop()
      if (opening === undefined) continue
      shortcodes.push({ from, to: from + length, name: opening, kind: 'close', args: new Map() })
      continue
    }
    const isInCode = isCode(from)
    const call = callEnd(text, from + length, brace === '%' ? '%}' : '}}')
    if (call === null || (isInCode && templateOf(name) === undefined)) continue
    if (brace === '%') open.push(name)
    const kind = brace === '%' ? 'open' : 'alone'
    shortcodes.push({ from, to: call.to, name, kind, args: call.args })
    marks.lastIndex = call.to
  }
  return shortcodes
}

/** Maximum length of a shortcode's arguments in characters. */
const callLimit = 4000

const argument = new RegExp(
  String.raw`\s*([A-Za-z_]\w*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'` +
    '|`([^`]*)`|(true|false|-?\\d[\\d.]*)|(\\[[^\\]]*\\]))\\s*,?',
  'y',
)

/** Parses arguments at an offset. Returns them and the end of the call, or null. */
function callEnd(
  text: string,
  from: number,
  close: '}}' | '%}',
): { args: Map<string, string>; to: number } | null {
  const source = text.slice(from, from + callLimit)
  const args = new Map<string, string>()
  const one = new RegExp(argument)
  let at = 0
  for (let match = one.exec(source); match; match = one.exec(source)) {
    at = one.lastIndex
    const [, key = '', double, single, tick, scalar, list] = match
    const quoted = (double ?? single)?.replace(/\\(["'\\])/g, '$1')
    args.set(key, quoted ?? tick ?? scalar ?? list ?? '')
  }
  const [rest] =
    (close === '}}' ? /^\s*\)\s*-?\}\}/ : /^\s*\)\s*-?%\}/).exec(source.slice(at)) ?? []
  return rest === undefined ? null : { args, to: from + at + rest.length }
}

/** Returns a function that checks whether ascending offsets are in a fence or code span. */
function codeFinder(text: string): (offset: number) => boolean {
  let fence: Fence | null = null
  let [lineStart, lineEnd] = [0, -1]
  let isFence = false
  return (offset) => {
    while (lineEnd < offset) {
      lineStart = lineEnd + 1
      const next = text.indexOf('\n', lineStart)
      lineEnd = next < 0 ? text.length : next
      const line = text.slice(lineStart, lineEnd)
      isFence = fence !== null
      fence = fenceAfter(line, fence)
    }
    const before = text.slice(Math.max(lineStart, offset - callLimit), offset)
    return isFence || (before.split('`').length - 1) % 2 === 1
  }
}

/** Replaces shortcodes with their filled-in template if it has no statements. */
function withTemplates(text: string, templateOf: TemplateOf): string {
  const shortcodes = findShortcodes(text, templateOf)
  const ends = new Map<number, string>()
  const pairs = pairShortcodes(shortcodes)
  let out = ''
  let at = 0
  for (const [index, one] of shortcodes.entries()) {
    const close = pairs.get(index)
    const template = one.kind === 'close' ? undefined : templateOf(one.name)
    const isFilled = template !== undefined && !template.includes('{%')
    if (one.kind !== 'close' && isFilled && (one.kind === 'alone' || close !== undefined)) {
      const [before, after] = filledIn(template, one)
      out += text.slice(at, one.from) + before
      at = one.to
      if (close === undefined) out += after
      else ends.set(close, after)
    } else if (ends.has(index)) {
      out += text.slice(at, one.from) + ends.get(index)!
      at = one.to
    }
  }
  return out + text.slice(at)
}

/** Returns the filled-in template before and after the content. */
function filledIn(template: string, { args }: Shortcode): [string, string] {
  const [before = '', after = ''] = template
    .replace(/\{#[^]*?#\}/g, '')
    .trim()
    .split(/\{\{-?\s*body\b[^{}]*\}\}/)
  const fill = (part: string) =>
    part.replace(/\{\{-?\s*(\w+)\b[^{}]*\}\}/g, (_, name: string) => args.get(name) ?? '')
  return [fill(before), fill(after)]
}

/** Removes the comment marks of escaped shortcodes, as Zola does. */
function withoutEscapes(text: string): string {
  return text.replace(/\{([{%])\/\*((?:(?!\*\/)[^]){0,4000}?)\*\/([}%])\}/g, '{$1$2$3}')
}
