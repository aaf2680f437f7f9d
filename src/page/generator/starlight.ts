import type { Generator } from './generator.ts'
import { fromSidebar, linkedPaths } from './nav-order.ts'
import { resolveInFolder, rootForFileName } from './site-path.ts'

/**
 * Starlight, a theme of Astro: an `astro.config.mjs` that mentions it, with pages in
 * `src/content/docs`.
 */
export const starlight: Generator = {
  name: 'Starlight',
  rootOf: (path) =>
    rootForFileName(
      path,
      ['mjs', 'ts', 'js', 'mts'].map((it) => `astro.config.${it}`),
    ),
  async read({ text, root }) {
    if (!/starlight/i.test(text)) return null
    const docs = resolveInFolder(root, 'src/content/docs')!
    return {
      ...linkedPaths({ text: fromSidebar(text), folders: [docs] }),
      folders: [resolveInFolder(root, 'src/content')!],
      bases: [root, resolveInFolder(root, 'src')!],
    }
  },
}
