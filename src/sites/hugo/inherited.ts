import { parseFrontMatter } from '../../formats/front-matter.ts'
import type { InheritingPage, ReadText } from '../generator.ts'
import { parentFolder, resolveInFolder } from '../site-path.ts'
import { knownShortcode } from './hugo-text.ts'
import { findShortcodes, pairShortcodes } from './shortcode.ts'
import { templateOf } from './template.ts'

/** Maximum number of templates read for a page. */
const mostTemplates = 20

/**
 * Returns a page's front matter with the values that the sections around it pass on (`cascade`),
 * and the templates of unknown shortcodes by `template:name`.
 */
export async function inheritValues(
  { text, front, from, root }: InheritingPage,
  read: ReadText,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map(front)
  const shortcodes = findShortcodes(text)
  const pairs = pairShortcodes(shortcodes)
  const alone = shortcodes.filter(({ kind }, at) => kind !== 'close' && !pairs.has(at))
  const names = new Set(alone.map(({ name }) => name).filter((name) => !knownShortcode(name)))
  for (const name of [...names].slice(0, mostTemplates)) {
    const path = resolveInFolder(root, `layouts/shortcodes/${name}.html`)
    const template = path === null ? null : await read(path)
    if (template !== null && template.length < 2000) values.set(templateOf + name, template)
  }
  const hasParameters = alone.some(({ name }) => name === 'param') || values.size > front.size
  if (!hasParameters && !placeholder.test(text)) return front
  for (let folder = parentFolder(from); ; folder = parentFolder(folder)) {
    const section = (await read(folder === '' ? '_index.md' : `${folder}/_index.md`)) ?? ''
    for (const [key, value] of parseFrontMatter(section).values) {
      const name = /^cascade\.(?:params\.)?([\w-]+)$/.exec(key)?.[1]?.toLowerCase()
      if (name !== undefined && !values.has(name)) values.set(name, value)
    }
    if (folder === root || folder === '') break
  }
  return values
}

const placeholder = /<[A-Z][A-Z\d]*(?:_[A-Z\d]+)+>/

/** Fills placeholders such as `<LOKI_VERSION>` in links with the value that a section sets. */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>): string {
  if (!placeholder.test(text)) return text
  return text.replace(/\]\([^()\s]*<[A-Z][A-Z\d_]*>[^()\n]*\)/g, (target) =>
    target.replace(/<([A-Z][A-Z\d_]*)>/g, (whole, name: string) => {
      return values.get(name.toLowerCase()) ?? (name.endsWith('_VERSION') ? 'latest' : whole)
    }),
  )
}
