import type { Generator } from './generator.ts'
import { resolveInFolder, rootForFileName } from './site-path.ts'

/** Fumadocs: `source.config.ts`, with pages in `content`. Its `<include>` is parsed in any MDX. */
export const fumadocs: Generator = {
  name: 'Fumadocs',
  rootOf: (path) =>
    rootForFileName(
      path,
      ['ts', 'mts', 'js', 'mjs'].map((it) => `source.config.${it}`),
    ),
  async read({ text, root }) {
    if (!text.includes('fumadocs')) return null
    return { folders: [resolveInFolder(root, 'content')!], bases: [root] }
  },
}
