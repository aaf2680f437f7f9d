import type { Generator } from './generator.ts'
import { resolveInFolder, rootForFileName } from './site-path.ts'

/**
 * Nuxt Content: `nuxt.config.ts`, with the pages in `content`. MDC syntax is parsed in any Markdown
 * file.
 */
export const nuxt: Generator = {
  name: 'Nuxt Content',
  rootOf: (path) =>
    rootForFileName(
      path,
      ['ts', 'js', 'mjs'].map((it) => `nuxt.config.${it}`),
    ),
  async read({ text, root }) {
    if (!/@nuxt\/content|docus|@nuxt\/ui-pro/.test(text)) return null
    return {
      folders: [resolveInFolder(root, 'content')!],
      partials: /\/_[^/]*\.(?:md|ya?ml)$|\/_[^/]+\//,
    }
  },
}
