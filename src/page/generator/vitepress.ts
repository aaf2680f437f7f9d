import type { Generator } from './generator.ts'
import { fromSidebar, linkedPaths } from './nav-order.ts'
import { parentFolder, resolveSubfolder, rootForFileName } from './site-path.ts'

/**
 * VitePress: the folder that contains `.vitepress`. VitePress includes are parsed in any Markdown
 * file.
 */
export const vitepress: Generator = {
  name: 'VitePress',
  rootOf(path) {
    const names = ['js', 'ts', 'mjs', 'mts', 'cjs'].map((extension) => `config.${extension}`)
    const folder = rootForFileName(path, names)
    return folder !== null && /(?:^|\/)\.vitepress$/.test(folder) ? parentFolder(folder) : null
  },
  async read({ text, root }) {
    const [, written = '.'] = /\bsrcDir\s*:\s*["'`]([^"'`$\n]{1,200})["'`]/.exec(text) ?? []
    const folders = [resolveSubfolder(root, written) ?? root]
    return { folders: [root], bases: [root], ...linkedPaths({ text: fromSidebar(text), folders }) }
  },
}
