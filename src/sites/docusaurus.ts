import type { Generator, ReadText } from './generator.ts'
import { localComponents } from './local-component.ts'
import { linkedPaths } from './nav-order.ts'
import { resolveInFolder, resolveSubfolder, rootForFileName } from './site-path.ts'

/**
 * Docusaurus: `docusaurus.config.js`. The configuration is a program, so og reads only its folder
 * paths, and page names in sidebars. Pages import partials and code as in MDX.
 */
export const docusaurus: Generator = {
  name: 'Docusaurus',
  rootOf: (path) =>
    rootForFileName(
      path,
      ['js', 'ts', 'mjs', 'cjs', 'mts'].map((it) => `docusaurus.config.${it}`),
    ),
  ...localComponents,
  async read({ text, root }, read) {
    const sources = Array.from(
      text.slice(0, textLimit).matchAll(/\bpath\s*:\s*(["'`])([^"'`$\n]{1,200})\1/g),
      ([, , path = '']) => resolveSubfolder(root, path),
    )
    const paths = sources.filter((path) => path !== null && path !== '')
    const folders = [...new Set([root, ...paths] as string[])]
    const sidebar = await sidebarText(text, root, read)
    const docs = [...paths, resolveSubfolder(root, 'docs')] as string[]
    const nav = linkedPaths({ text: sidebar, folders: docs })
    return { folders, bases: [root, ...paths] as string[], partials, ...nav }
  },
}

/** Returns the text of the file in `sidebarPath`, or else of `sidebars.*`; '' if there is none. */
async function sidebarText(text: string, root: string, read: ReadText): Promise<string> {
  const paths = Array.from(
    text.slice(0, textLimit).matchAll(sidebarPath),
    ([, , path = '']) => path,
  )
  const names = ['js', 'ts', 'json'].map((extension) => `sidebars.${extension}`)
  for (const name of [...paths.slice(0, 5), ...names]) {
    const path = resolveInFolder(root, name)
    const sidebar = path === null ? null : await read(path)
    if (sidebar !== null) return sidebar
  }
  return ''
}

const sidebarPath = /\bsidebarPath\s*:\s*(?:require\.resolve\(\s*)?(["'`])([^"'`$\n]{1,200})\1/g

/** Maximum number of characters of the configuration to search. */
const textLimit = 200_000

/** Files and folders with a leading underscore are not pages. */
const partials = /(?:^|\/)_[^/]*\.mdx?$|\/_[^/]+\//
