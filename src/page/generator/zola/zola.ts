import type { DocsSite, Generator, ReadText, SiteConfig } from '../generator.ts'
import { parentFolder, resolveInFolder, rootForFileName } from '../site-path.ts'
import { templateKey, zolaToMarkdown } from './zola-text.ts'

/** Zola: `config.toml` or `zola.toml` with a `base_url`; pages are in `content`. */
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
  // The site's own templates precede its themes' templates.
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

/** Maximum length of a template, in characters. */
const templateLimit = 10_000

/** The text of an HTML template; a template that shows media has no text. */
function withoutTags(template: string): string {
  if (/<(?:img|picture|iframe|video|audio|svg|object|script)\b/i.test(template))
    return '{% media %}'
  return template.replace(/<\/?[a-z][^<>]{0,1000}>/gi, '').replace(/^[ \t]+/gm, '')
}
