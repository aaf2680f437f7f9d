import type { Include, IncludeFinder } from '../../include/include-file.ts'
import { withoutFrontBlock } from '../../front-block.ts'
import type { Generator } from '../generator.ts'
import { resolveSubfolder, rootForFileName } from '../site-path.ts'
import { eleventyToMarkdown } from './eleventy-text.ts'

const configs = ['js', 'cjs', 'mjs', 'ts'].map((it) => `eleventy.config.${it}`)

/** Eleventy: Markdown that is first a template of Nunjucks or Liquid, with parts in `_includes`. */
export const eleventy: Generator = {
  name: 'Eleventy',
  rootOf: (path) => rootForFileName(path, [...configs, '.eleventy.js']),
  async read({ text, root }) {
    const input = /\binput:\s*["']([\w./-]{1,200})["']/.exec(text)?.[1] ?? ''
    const includes = /\bincludes:\s*["']([\w./-]{1,200})["']/.exec(text)?.[1] ?? '_includes'
    const folder = resolveSubfolder(root, input) ?? root
    const bases = [resolveSubfolder(folder, includes) ?? folder, folder, root]
    return { folders: [folder], bases, partials: /(?:^|\/)_(?:includes|layouts|data)\// }
  },
  includes: findInclude,
  sign: /\{%-?\s*include/,
  toMarkup: (text) => eleventyToMarkdown(text),
}

/** Finds `{% include "part.njk" %}` on its own line. */
function findInclude(...[lines, { line, fence }]: Parameters<IncludeFinder>): Include | null {
  if (fence !== null) return null
  const [, target] =
    /^\s*\{%-?\s*include\s+["']?([\w./-]+\.\w+)["']?[^%]*-?%\}\s*$/.exec(lines[line] ?? '') ?? []
  if (target === undefined) return null
  const render = (text: string) => ['', ...withoutFrontBlock(text).split('\n'), '']
  return { from: line, to: line + 1, target, render, isMarkup: true }
}
