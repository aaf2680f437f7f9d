import type { Generator } from './generator.ts'
import { parentFolder, rootForFileName } from './site-path.ts'

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
  read: async ({ root }) => ({ folders: [root], bases: [root] }),
}
