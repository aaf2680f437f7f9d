import { parseFrontMatter } from '../../formats/front-matter.ts'
import type { InheritingPage, ReadText } from '../generator.ts'
import { parentFolder, resolveInFolder } from '../site-path.ts'
import { innerMark, isUnknownBlock, knownShortcode, shortcodeKey } from './hugo-text.ts'
import { findShortcodes, pairShortcodes, type Shortcode } from './shortcode.ts'
import { runTemplate } from './template.ts'

/** Maximum number of shortcodes with templates per page, and length of a template. */
const mostShortcodes = 200
const templateLimit = 8_000

/**
 * Adds values that parent sections define for all pages (`cascade`) to the front matter, and the
 * text that the site's templates produce for unknown shortcodes.
 */
export async function inheritValues(
  page: InheritingPage,
  read: ReadText,
): Promise<ReadonlyMap<string, string>> {
  const { text, front, from, root } = page
  const values = new Map(front)
  for (const [key, value] of front) {
    const name = /^params\.(.+)$/.exec(key)?.[1]
    if (name !== undefined && !values.has(name)) values.set(name, value)
  }
  const shortcodes = findShortcodes(text)
  const pairs = pairShortcodes(shortcodes)
  const opening = [...shortcodes.entries()].filter(([, { kind }]) => kind !== 'close')
  const unknown = opening
    .filter(([at, one]) => (pairs.has(at) ? isUnknownBlock(one) : !knownShortcode(one.name)))
    .map(([at, one]) => ({ ...one, inner: pairs.has(at) ? innerMark : '' }))
    .slice(0, mostShortcodes)
  const hasParameters = opening.some(([, { name }]) => name === 'param') || unknown.length > 0
  if (!hasParameters && !placeholder.test(text)) return front
  for (let folder = parentFolder(from); ; folder = parentFolder(folder)) {
    const section = (await read(folder === '' ? '_index.md' : `${folder}/_index.md`)) ?? ''
    for (const [key, value] of parseFrontMatter(section).values) {
      const name = /^cascade\.(?:params\.)?([\w-]+)$/.exec(key)?.[1]?.toLowerCase()
      if (name !== undefined && !values.has(name)) values.set(name, value)
    }
    if (folder === root || folder === '') break
  }
  if (unknown.length > 0) await runTemplates(unknown, { page, values, read })
  return values
}

/** Adds the text of each shortcode to the values, by `shortcodeKey`. */
async function runTemplates(
  shortcodes: readonly (Shortcode & { inner: string })[],
  { page, values, read }: { page: InheritingPage; values: Map<string, string>; read: ReadText },
): Promise<void> {
  const { root, from, variables } = page
  const readBelow = async (path: string) => {
    const whole = resolveInFolder(root, path)
    return whole === null ? null : read(whole)
  }
  const [, section = ''] =
    /^[^/]*\/([^/]*)\//.exec(from.slice(root === '' ? 0 : root.length + 1)) ?? []
  const lists = [await readBelow('layouts/*.html'), await readBelow('themes/*.html')]
  const paths = lists
    .flatMap((list) => list?.split('\n') ?? [])
    .filter((it) => isShortcode.test(it))
  const templates = new Map<string, string | null>()
  for (const { name, args, inner } of shortcodes) {
    const key = shortcodeKey(name, args) + inner
    if (values.has(key)) continue
    const files = paths.filter((path) => path.endsWith(`shortcodes/${name}.html`))
    const path = files.find((it) => it.includes(`/${section}/`)) ?? files[0]
    if (path !== undefined && !templates.has(path)) templates.set(path, await read(path))
    const template = templates.get(path ?? '') ?? null
    if (template === null || template.length > templateLimit) continue
    const parameter = (it: string) => values.get(it) ?? variables.get(it)
    const used = { args, section, inner, parameter, read: readBelow }
    const markdown = await runTemplate(template, used)
    // A shortcode without text stays in the page and counts as a leftover.
    if (markdown !== null && hasContent(markdown, args)) values.set(key, markdown)
  }
}

/** True if a template's output has text, a picture or layout. */
function hasContent(output: string, args: Shortcode['args']): boolean {
  if (output === '' || args.size === 0) return output !== ''
  const seen = output.replace(/<(?!(?:img|iframe|video|audio|source|object|embed)\b)[^<>]*>/gi, '')
  return seen.trim() !== ''
}

const isShortcode = /\/_?shortcodes\/[\w/-]+\.html$/

const placeholder = /<[A-Z][A-Z\d]*(?:_[A-Z\d]+)+>/

/** A link target or link definition with a placeholder. */
const linkTarget =
  /\]\([^()\s]*<[A-Z][A-Z\d_]*>[^()\n]*\)|^ {0,3}\[[^\]\n]+\]:\s*[^\s<]+<[A-Z][A-Z\d_]*>[^\n]*/gm

/** Replaces placeholders in links, such as `<LOKI_VERSION>`, with values of the section. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  if (!placeholder.test(text)) return text
  return text.replace(linkTarget, (target) =>
    target.replace(/<([A-Z][A-Z\d_]*)>/g, (whole, name: string) => {
      return values.get(name.toLowerCase()) ?? (name.endsWith('_VERSION') ? 'latest' : whole)
    }),
  )
}
