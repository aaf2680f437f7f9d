import type { Generator } from './generator.ts'
import { rewriteMarkdown } from './markdown-lines.ts'
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
  // A heading may end with its id, `[#id]`, and with marks for its list of contents and its steps.
  toMarkup: (text) =>
    rewriteMarkdown(text, {
      prose: (line) =>
        /^#{1,6}[ \t].*\]\s*$/.test(line)
          ? line
              .replace(/(?:[ \t]+\[(?:!?toc|step)\])+\s*$/, '')
              .replace(/[ \t]+\[#([^\s[\]]{1,200})\]\s*$/, ' {#$1}')
          : line,
    }),
}
